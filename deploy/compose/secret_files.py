"""The passwords of the stack, each in its own file: created once, readable only by the owner, never overwritten."""

import json
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from deploy.compose.configuration import EXAMPLE, Configuration
from deploy.compose.errors import StackError
from deploy.compose.log_key import new_key

USER_OF_THE_IMAGE = 10001, 10001
PASSWORDS = ("postgres_password", "database_password", "read_password", "monitor_password", "valkey_password",
              "grafana_password")  # fmt: skip
NOWHERE = "http://127.0.0.1:9/"
ENCRYPTED = "[global]\nrepo1-cipher-type=aes-256-cbc\nrepo1-cipher-pass="
MADE_OF_THEM: dict[str, Callable[[Callable[[str], str]], str]] = {
    "database_url": lambda of: f"postgresql://agent_board:{of('database_password')}@postgresql:5432/agent_board",
    "read_database_url": lambda of: (
        f"postgresql://agent_board_reader:{of('read_password')}@postgresql:5432/agent_board"
    ),
    "redis_url": lambda of: f"redis://:{of('valkey_password')}@valkey:6379/0",
    "valkey_config": lambda of: f"requirepass {of('valkey_password')}",
    # Where pages, tickets and the watchdog go. A placeholder discards them; the operator replaces it by a webhook.
    "alert_webhook_url": lambda _: NOWHERE,
    "ticket_webhook_url": lambda _: NOWHERE,
    "watchdog_webhook_url": lambda _: NOWHERE,
    # pgBackRest's configuration of the repository. Without the passphrase, no backup can be read.
    "backup_repository": lambda _: ENCRYPTED + secrets.token_hex(24),
    "valkey_passwords": lambda of: json.dumps({"redis://valkey:6379": of("valkey_password")}),
}
NAMES = (*PASSWORDS, "log_key", *MADE_OF_THEM)
KEPT = {
    "postgres_password": "postgresql",
    "database_password": "postgresql",
    "monitor_password": "postgresql",
    "backup_repository": "postgresql",
    "log_key": "fanout",
}
"""The secrets that data, backups and readers of the log keep, so that another one is of no use, and their keepers."""
MADE_LATER = "valkey_passwords"
LOST = (
    "The secret {0} is missing. Put your copy back: the data, the backups and the readers of this board know "
    "no other. While its container runs, docker compose exec {1} cat /run/secrets/{0} prints it."
)


def make_secrets(configuration: Configuration) -> list[Path]:
    """Create what is missing: .env, secrets, and the folders that containers mount. Return the new files.

    Raises StackError.
    """
    try:
        created = [*make_env_file(configuration), *make_files(configuration)]
        make_directories(configuration)
        return created
    except OSError as error:
        raise StackError(f"Cannot create {error.filename}: {error.strerror}.") from None


def owner(configuration: Configuration) -> tuple[int, int]:
    """Return the user and the group of RUN_AS_UID and RUN_AS_GID. Raises StackError."""
    uid, gid = configuration["RUN_AS_UID"], configuration["RUN_AS_GID"]
    if not uid.isdecimal() or not gid.isdecimal() or int(uid) == 0:
        raise StackError("RUN_AS_UID and RUN_AS_GID must be numbers, such as 10001, and the user must not be root.")
    return int(uid), int(gid)


def make_env_file(configuration: Configuration) -> Iterator[Path]:
    if configuration.file.exists():
        return
    uid, gid = USER_OF_THE_IMAGE if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    text = EXAMPLE.read_text(encoding="utf-8")
    text = text.replace("\nRUN_AS_UID=\n", f"\nRUN_AS_UID={uid}\n").replace("\nRUN_AS_GID=\n", f"\nRUN_AS_GID={gid}\n")
    if made(configuration.file, text, 0o600, None):
        yield configuration.file


def make_files(configuration: Configuration) -> Iterator[Path]:
    directory = configuration.path("SECRETS_DIR")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if name := lost(configuration, directory):
        raise StackError(LOST.format(name, KEPT[name]))
    whose = owner(configuration) if os.geteuid() == 0 else None

    def password(name: str) -> str:
        return (directory / name).read_text(encoding="utf-8").strip()

    def log_key(_: object) -> str:
        address = urlsplit(configuration["BASE_URL"])
        if not address.netloc:
            raise StackError("BASE_URL must be an http or https address, such as https://board.example.")
        return new_key(f"{address.netloc}{address.path.rstrip('/')}/log")

    recipes = {**MADE_OF_THEM, "log_key": log_key}
    for name in missing(directory):
        compose = recipes.get(name)
        content = compose(password) if compose else secrets.token_hex(24)
        if made(directory / name, content + "\n", 0o600, whose):
            yield directory / name


def lost(configuration: Configuration, directory: Path) -> str:
    """Return the name of a secret that data know and that was there, because one that is made later is; or nothing.

    Operators may write any other secret before the first run. Until a board has run here, there is no log.
    """
    if not (directory / MADE_LATER).exists():
        return ""
    has_run = any(configuration.path("METRICS_DIR").glob("*.prom"))
    kept = (name for name in KEPT if name != "log_key" or has_run)
    return next((name for name in kept if not (directory / name).exists()), "")


def missing(directory: Path) -> Iterator[str]:
    """Yield the name of each secret that is not there when its turn has come."""
    return (name for name in NAMES if not (directory / name).exists())


def make_directories(configuration: Configuration) -> None:
    """Create what containers mount from the checkout, before the engine does so as root."""
    # Containers write to these, too.
    for name, mode in {"METRICS_DIR": 0o755, "ALERTMANAGER_DIR": 0o700}.items():
        folder = configuration.path(name)
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(folder, *owner(configuration))


def made(path: Path, content: str, mode: int, whose: tuple[int, int] | None) -> bool:
    """Write a file unless it exists. A concurrent run never sees or leaves a partial one."""
    if path.exists():
        return False
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # after a loss of power, an empty file would look like a secret
        if whose:
            os.chown(unfinished, *whose)
        os.link(unfinished, path)
    except FileExistsError:
        return False
    finally:
        unfinished.unlink(missing_ok=True)
    return True
