"""The checks of `make doctor` for a board that serves others, as docs/production.md lists them.

A board at a local address is for trying out, and none of this is checked.
"""

import time
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from deploy.compose.configuration import Configuration, defaults
from deploy.compose.log_key import log_name, name_of
from deploy.compose.measurements import measured
from deploy.compose.secret_files import NOWHERE
from deploy.compose.spoken import is_archive
from deploy.compose.stack import Stack

BACKUP_HOURS = 26
LEAST_PASSWORD = 16
PASSWORDS = ("postgres_password", "database_password", "valkey_password", "operator_secret", "grafana_password")
RECEIVERS = {
    "alert_webhook_url": "pages",
    "ticket_webhook_url": "tickets",
    "watchdog_webhook_url": "the signs of life of the alerting",
}


def check(stack: Stack) -> Iterator[str]:
    """Yield one sentence for each line of the checklist that does not hold, if BASE_URL is not local."""
    configuration = stack.configuration
    if is_public(configuration["BASE_URL"]):
        yield from addresses(configuration)
        yield from passwords(configuration)
        yield from log_key(configuration)
        yield from alerts(configuration)
        if stack.runs("postgresql"):
            yield from backup_age(configuration, time.time())
            yield from repository(configuration)
        else:
            yield from stores(configuration)
        yield from releases(configuration, ["BOARD_IMAGE", *(["DATABASE_IMAGE"] if stack.runs("postgresql") else [])])


def is_public(base_url: str) -> bool:
    """Return whether an address leads to more than this machine, as far as its text shows."""
    host = urlsplit(base_url).hostname or "localhost"
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".localhost", ".test", ".local"))


def addresses(configuration: Configuration) -> Iterator[str]:
    if not configuration["BASE_URL"].startswith("https://"):
        yield "BASE_URL is not https: tokens travel in the clear."
    elif not configuration["TLS_CERTIFICATE"] and not configuration.address("BIND").is_loopback:
        yield "TLS_CERTIFICATE is not set: set it, or BIND=127.0.0.1 if a proxy on this machine decrypts."
    if not configuration["OPERATOR_CONTACT"]:
        yield "OPERATOR_CONTACT is not set: owners of agents do not know whom to write to, also about a vulnerability."


def passwords(configuration: Configuration) -> Iterator[str]:
    for name in PASSWORDS:
        if (configuration.path("SECRETS_DIR") / name).exists() and len(secret(configuration, name)) < LEAST_PASSWORD:
            yield f"The secret {name} has fewer than {LEAST_PASSWORD} characters."


def log_key(configuration: Configuration) -> Iterator[str]:
    name, wanted = name_of(secret(configuration, "log_key")), log_name(configuration["BASE_URL"])
    if name and name != wanted:
        yield (
            f"The secret log_key has the name {name}, not {wanted}: before others read the log, remove the file and "
            "run make up."
        )


def stores(configuration: Configuration) -> Iterator[str]:
    for name in ("database_url", "read_database_url"):
        if "sslmode=verify-full" not in secret(configuration, name):
            yield f"The address in the secret {name} does not say sslmode=verify-full: PostgreSQL is not verified."
    if not secret(configuration, "redis_url").startswith("rediss://"):
        yield "The address in the secret redis_url does not begin with rediss: Redis is not verified."


def releases(configuration: Configuration, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if configuration[name] == defaults()[name] and not is_archive():
            yield f"{name} does not name a release: an upgrade replaces the image to which you could return."


def repository(configuration: Configuration) -> Iterator[str]:
    # A volume of the engine has a name, and a path has a slash.
    is_volume = "/" not in configuration["BACKUP_REPOSITORY"]
    if is_volume and "repo1-type=" not in secret(configuration, "backup_repository"):
        yield "The backups are in a volume of this machine: set BACKUP_REPOSITORY, or use object-store.yaml."


def alerts(configuration: Configuration) -> Iterator[str]:
    if "observability" not in configuration["COMPOSE_PROFILES"].split(","):
        yield "COMPOSE_PROFILES does not contain observability: nothing raises an alert."
        return
    for name, what in RECEIVERS.items():
        if secret(configuration, name) in ("", NOWHERE):
            yield f"The secret {name} is the placeholder: {what} are discarded."
    if not configuration["RUNBOOK_BASE_URL"].startswith(("http://", "https://")):
        yield "RUNBOOK_BASE_URL is not an address: the links in alerts lead nowhere."


def backup_age(configuration: Configuration, now: float) -> Iterator[str]:
    """Yield a sentence if the newest verified backup is older than a day and two hours at a time in seconds."""
    made = measured(configuration, "backup")
    if made is None:
        yield "There is no verified backup; make backup makes one."
    elif now - made > BACKUP_HOURS * 3600:
        yield f"The newest verified backup is {(now - made) / 3600:.0f} hours old."


def secret(configuration: Configuration, name: str) -> str:
    """Return a secret; blank if there is none, which another check reports."""
    try:
        return (configuration.path("SECRETS_DIR") / name).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
