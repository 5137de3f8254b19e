"""`make doctor` checks the list of docs/production.md on a board that serves others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.compose import production
from deploy.compose.configuration import Configuration
from deploy.compose.log_key import new_key
from deploy.compose.secret_files import make_secrets
from deploy.compose.stack import Stack
from deploy.environment import CHECKOUT

Found = Callable[..., list[str]]
NOW = 1_800_000_000
READY = {
    "BASE_URL": "https://board.example.com",
    "TLS_CERTIFICATE": "/etc/board.pem",
    "OPERATOR_CONTACT": "mailto:board@example.com",
    "COMPOSE_PROFILES": "observability",
    "RUNBOOK_BASE_URL": "https://git.example.com/runbooks",
    "BACKUP_REPOSITORY": "/mnt/backups",
    "BOARD_IMAGE": "agent-board:0.2.0",
    "DATABASE_IMAGE": "agent-board-postgresql:0.2.0",
}
RECEIVERS = ("alert_webhook_url", "ticket_webhook_url", "watchdog_webhook_url")


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Found:
    """Return the findings about a board that is ready except for some settings and secrets."""
    monkeypatch.setattr("time.time", lambda: NOW)
    folders = {name: str(tmp_path / name.lower()) for name in ("SECRETS_DIR", "METRICS_DIR")}

    def run(external: bool = False, secrets: dict[str, str] | None = None, **settings: str) -> list[str]:
        environment = {"RUN_AS_UID": "10001", "RUN_AS_GID": "10001", "ENV_FILE": str(tmp_path / ".env")}
        configuration = Configuration({**environment, **folders, **READY, **settings})
        make_secrets(configuration)
        for name, text in {**dict.fromkeys(RECEIVERS, "https://pager.example.com"), **(secrets or {})}.items():
            (tmp_path / "secrets_dir" / name).write_text(text + "\n")
        stack = Stack(configuration)
        monkeypatch.setattr(stack, "runs", lambda service: not external)
        return list(production.check(stack))

    (tmp_path / "metrics_dir").mkdir()
    for what in ("backup", "drill"):
        text = f"agent_board_{what}_timestamp_seconds {NOW - 3600}\n"
        (tmp_path / "metrics_dir" / f"{what}.prom").write_text(text)
    return run


def test_nothing_is_wrong_with_a_board_that_is_ready_or_local(found: Found) -> None:
    assert found() == []
    assert found(BASE_URL="http://127.0.0.1:8000", COMPOSE_PROFILES="", OPERATOR_CONTACT="") == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"BASE_URL": "http://board.example.com"}, "BASE_URL is not https"),
        ({"TLS_CERTIFICATE": ""}, "TLS_CERTIFICATE is not set"),
        ({"OPERATOR_CONTACT": ""}, "OPERATOR_CONTACT is not set"),
        ({"COMPOSE_PROFILES": ""}, "nothing raises an alert"),
        ({"RUNBOOK_BASE_URL": ""}, "RUNBOOK_BASE_URL is not an address"),
        ({"secrets": {"alert_webhook_url": "http://127.0.0.1:9/"}}, "pages are discarded"),
        (
            {"secrets": {"watchdog_webhook_url": "http://127.0.0.1:9/"}},
            "the signs of life of the alerting are discarded",
        ),
        ({"BACKUP_REPOSITORY": "repository"}, "The backups are in a volume of this machine"),
        ({"BOARD_IMAGE": "agent-board:local"}, "BOARD_IMAGE does not name a release"),
        ({"DATABASE_IMAGE": "agent-board-postgresql:local"}, "DATABASE_IMAGE does not name a release"),
        ({"secrets": {"operator_secret": ""}}, "The secret operator_secret has fewer than 16 characters"),
        (
            {"secrets": {"log_key": new_key("127.0.0.1:8000/log")}},
            "The secret log_key has the name 127.0.0.1:8000/log, not board.example.com/log",
        ),
        ({"secrets": {"postgres_password": "postgres"}}, "The secret postgres_password has fewer than 16 characters"),
    ],
)
def test_each_line_that_does_not_hold_is_a_sentence(found: Found, settings: dict[str, str], sentence: str) -> None:
    [said] = found(**settings)
    assert sentence in said


def test_a_proxy_on_this_machine_may_decrypt(found: Found) -> None:
    assert found(TLS_CERTIFICATE="", BIND="127.0.0.1") == []


def test_an_object_store_may_hold_the_backups(found: Found) -> None:
    repository = "[global]\nrepo1-cipher-pass=x\nrepo1-type=s3"
    assert found(BACKUP_REPOSITORY="", secrets={"backup_repository": repository}) == []


def test_stores_elsewhere_must_be_verified(found: Found) -> None:
    said = found(external=True)
    assert [line.split()[5] for line in said] == ["database_url", "read_database_url", "redis_url"]
    verified = "postgresql://a:b@db.example.com/agent_board?sslmode=verify-full&sslrootcert=/run/secrets/stores_ca"
    urls = {"database_url": verified, "read_database_url": verified, "redis_url": "rediss://:c@cache.example.com"}
    assert found(external=True, secrets=urls, DATABASE_IMAGE="agent-board-postgresql:local") == []


def test_an_old_or_missing_backup_is_reported(found: Found, tmp_path: Path) -> None:
    file = tmp_path / "metrics_dir" / "backup.prom"
    file.write_text(f"agent_board_backup_timestamp_seconds {NOW - 30 * 3600}\n")
    assert found() == ["The newest verified backup is 30 hours old."]
    file.unlink()
    assert found() == ["There is no verified backup; make backup makes one."]
    # a PostgreSQL elsewhere has backups of its own
    assert not any("backup" in line for line in found(external=True))


def test_the_list_names_everything_that_the_doctor_checks() -> None:
    listed = (CHECKOUT / "docs/production.md").read_text()
    for name in (*READY, *RECEIVERS, *production.PASSWORDS, "sslmode=verify-full", "rediss"):
        assert name in listed, name
