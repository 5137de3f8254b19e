"""The operator's configuration: .env next to compose.yaml, and nothing else.

A variable of the shell, such as PORT or BASE_URL, may be meant for another program or another board.
"""

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from deploy.compose.errors import StackError

DIRECTORY = Path(__file__).resolve().parent
EXAMPLE = DIRECTORY / ".env.example"
MOST_REPLICAS = 20
REPLICAS = ("API_REPLICAS", "LIMITER_REPLICAS", "FANOUT_REPLICAS")
LINE = re.compile(r"(# )?([A-Z][A-Z0-9_]*)=(.*)")


class Configuration:
    """The values that Compose substitutes in compose.yaml: from .env, else the example's defaults.

    ENV_FILE in the shell names a file to use instead of .env. A caller's own `environment` takes precedence over both.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment = dict(without_settings(os.environ) if environment is None else environment)
        self.file = Path(self.environment.get("ENV_FILE") or DIRECTORY / ".env").absolute()

    def __getitem__(self, name: str) -> str:
        """Return a variable's value; blank if neither the operator nor the example gives one."""
        given = self.environment.get(name) or self.in_file().get(name)
        return given or defaults().get(name, "")

    def missing(self) -> str:
        """Return a sentence if there is no .env; otherwise nothing."""
        name = os.path.relpath(self.file)
        return (
            "" if self.file.exists() else f"{name} is missing: put your copy back, or run make secrets for a new one."
        )

    def empty(self) -> list[str]:
        """Return the names of settings that .env gives without a value, except those that `make secrets` fills in."""
        known = {name for name in defaults() if not name.startswith("RUN_AS_")}
        return sorted(name for name, value in self.in_file().items() if name in known and not value)

    def unknown(self) -> Iterator[str]:
        """Yield a sentence for each variable in .env that nothing reads."""
        for name in sorted(self.in_file().keys() - defaults().keys()):
            nearest = difflib.get_close_matches(name, defaults(), n=1)
            hint = f"did you mean {nearest[0]}?" if nearest else f"{EXAMPLE.name} lists the settings."
            yield f"{self.file.name} sets {name}, which nothing reads; {hint}"

    def without_effect(self, shell: Mapping[str, str]) -> list[str]:
        """Return the names of the settings to which a shell gives another value than the one in force."""
        kept = without_settings(shell)
        return sorted(name for name, value in shell.items() if name not in kept and value and value != self[name])

    def path(self, name: str) -> Path:
        """Return a variable's value as a path; a relative one is relative to the folder of compose.yaml."""
        return DIRECTORY / self[name]

    def number(self, name: str) -> float:
        """Return a variable's value as a number, with or without a trailing "s" for seconds. Raises StackError."""
        try:
            return float(self[name].removesuffix("s"))
        except ValueError:
            raise StackError(f"{name} must be a number.") from None

    def address(self, name: str) -> IPv4Address | IPv6Address:
        """Return a variable's value as an IP address. Raises StackError."""
        try:
            return ip_address(self[name])
        except ValueError:
            raise StackError(f"{name} must be an IP address of this machine, such as 127.0.0.1.") from None

    def whole(self, name: str, most: int) -> int:
        """Return a variable's value as a whole number from 1 on. Raises StackError."""
        value = self[name]
        if not re.fullmatch("[0-9]{1,9}", value) or not 1 <= int(value) <= most:
            raise StackError(f"{name} must be a whole number from 1 to {most}.")
        return int(value)

    def check(self) -> None:
        """Raise StackError for what Compose would accept, or refuse without the name of the setting."""
        if self["COMPOSE_FILE"].split(":")[0] != "compose.yaml":
            raise StackError("COMPOSE_FILE must begin with compose.yaml, as in COMPOSE_FILE=compose.yaml:mcp.yaml.")
        self.address("BIND")
        self.whole("PORT", 65535)
        for name in REPLICAS:
            self.whole(name, MOST_REPLICAS)
        for name in ("BACKUP_DAYS", "BACKUP_FULL_DAYS", "BACKUP_HOURS"):
            self.whole(name, 9999)

    def in_file(self) -> dict[str, str]:
        """Return the variables in .env; none if the file does not exist yet."""
        try:
            lines = self.file.read_text(encoding="utf-8-sig").splitlines()
        except FileNotFoundError:
            return {}
        found = (LINE.fullmatch(line.strip()) for line in lines)
        return {line[2]: line[3].strip().strip("\"'") for line in found if line and not line[1]}


def without_settings(shell: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in shell.items() if name not in defaults() and not name.startswith("COMPOSE_")}


def defaults() -> dict[str, str]:
    """Return every variable in the example, with its default."""
    found = (LINE.fullmatch(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines())
    return {line[2]: line[3] for line in found if line}
