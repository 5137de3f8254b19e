"""What the operator has configured: the file .env beside compose.yaml, and before it the shell's variables."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from deploy.compose.errors import StackError

DIRECTORY = Path(__file__).resolve().parent
EXAMPLE = DIRECTORY / ".env.example"
_LINE = re.compile(r"(# )?([A-Z][A-Z0-9_]*)=(.*)")


class Configuration:
    """The values that Compose puts into compose.yaml: of the shell, of .env, else the defaults that the example shows.

    ENV_FILE in the shell names another file than .env.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment = dict(os.environ if environment is None else environment)
        self.file = Path(self.environment.get("ENV_FILE") or DIRECTORY / ".env").absolute()

    def __getitem__(self, name: str) -> str:
        """Return a variable's value; blank when neither the operator nor the example gives one."""
        given = self.environment.get(name) or self.in_file().get(name)
        return given or defaults().get(name, "")

    def path(self, name: str) -> Path:
        """Return a variable's value as a path; a relative one starts at the folder of compose.yaml."""
        return DIRECTORY / self[name]

    def number(self, name: str) -> float:
        """Return a variable's value as a number of seconds or pieces. Raises StackError."""
        try:
            return float(self[name].removesuffix("s"))
        except ValueError:
            raise StackError(f"{name} must be a number.") from None

    def in_file(self) -> dict[str, str]:
        """Return what .env gives; nothing when it is not there yet."""
        try:
            lines = self.file.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        found = (_LINE.fullmatch(line.strip()) for line in lines)
        return {line[2]: line[3].strip().strip("\"'") for line in found if line and not line[1]}

    def write(self, name: str, value: str) -> None:
        """Set a variable in .env, in the place where it stands, commented out or not."""
        text = self.file.read_text(encoding="utf-8")
        line = re.compile(rf"^(# )?{name}=.*$", re.MULTILINE)
        text = line.sub(f"{name}={value}", text, count=1) if line.search(text) else f"{text}{name}={value}\n"
        unfinished = self.file.with_name(f"{self.file.name}.unfinished")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(self.file)


def defaults() -> dict[str, str]:
    """Return every variable that the example explains, with its default."""
    found = (_LINE.fullmatch(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines())
    return {line[2]: line[3] for line in found if line}
