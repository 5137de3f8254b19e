"""Every secret is changed under load as the README describes. No call fails, and no person gets a page."""

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy.compose.changes import changed
from tests.compose.secret_table import Row, rows
from tests.observability.alerting import webhook
from tests.observability.expressions import alerts
from tests.stack.by_hand import blocks, run
from tests.stack.make import Board
from tests.stack.prometheus import Prometheus, until
from tests.stack.test_observability import WATCHING
from tests.stack.traffic import Traffic

PROFILE = ("--profile", "observability")
EXPORTERS = {"postgres-exporter": ("9187", "pg_up 1"), "valkey-exporter": ("9121", "redis_up 1")}
FETCH = "import urllib.request; print(urllib.request.urlopen('http://{}:{}/metrics').read().decode())"
PAGES = [name for name, rule in alerts().items() if rule["labels"]["severity"] == "page"]
RECEIVERS = ("alert_webhook_url", "ticket_webhook_url", "watchdog_webhook_url")
RAISE = ("amtool", "--alertmanager.url=http://127.0.0.1:9093", "alert", "add")
OPTION = "process-max=2\n"
LEFT = "  docker compose up --detach --no-build --force-recreate postgresql"


def in_place(file: Path, text: str) -> None:
    file.write_text(text)


def by_rename(file: Path, text: str) -> None:
    """As an editor does: into another file, which takes its place."""
    status, new = file.stat(), file.with_name("new")
    new.write_text(text)
    new.chmod(0o600)
    os.chown(new, status.st_uid, status.st_gid)
    new.rename(file)


@pytest.fixture
def received(board: Board, folder: Path) -> Iterator[tuple[str, set[str]]]:
    """The address of a webhook for the stack's monitoring, and the deliveries to it."""
    files = [folder / "secrets" / name for name in RECEIVERS]
    with webhook(board.stack.configuration["BIND"]) as (address, received):
        for file in files:
            in_place(file, f"{address}old/{file.name}\n")
        board.stack.compose(*PROFILE, "up", "--detach", "--no-build", "--no-recreate", "--wait", *WATCHING)
        yield address, received
        board.stack.compose(*PROFILE, "rm", "--stop", "--force", "--volumes", *WATCHING)
    for file in files:
        file.unlink()
    board.make("secrets")


def changed_text(row: Row, text: str, address: str) -> str:
    """Return what is written into the first file of a row, which has a text now."""
    if row.files[0] == "backup_repository":
        return text.removesuffix(OPTION) if text.endswith(OPTION) else f"{text}{OPTION}"
    if row.is_kept:
        return text
    return f"{address}new/{row.files[0]}\n" if row.files[0] in RECEIVERS else f"{secrets.token_hex(24)}\n"


def logged_in(board: Board) -> set[str]:
    """Return the exporters that reach their stores."""
    api = board.containers("api")[0].id
    pages = {
        name: board.stack.docker("exec", api, "/opt/agent-board/bin/python", "-c", FETCH.format(name, port))
        for name, (port, _) in EXPORTERS.items()
    }
    return {name for name, (_, line) in EXPORTERS.items() if line in pages[name].splitlines()}


def has_notified(board: Board, received: set[str], alert: str) -> None:
    """Wait until an alert of each severity reaches its new receiver, after all that was raised before."""
    for severity in ("page", "ticket"):
        board.inside("alertmanager", *RAISE, alert, f"severity={severity}")
    new = {f"/new/{name} {raised}" for name, raised in zip(RECEIVERS, (alert, alert, "Watchdog"), strict=True)}
    until(lambda: new & received, new)


@pytest.mark.slow
@pytest.mark.parametrize("write", [in_place, by_rename])
def test_every_secret_is_changed_without_a_failed_call(
    board: Board,
    received: tuple[str, set[str]],
    folder: Path,
    figures: dict[str, str],
    write: Callable[[Path, str], None],
) -> None:
    [function] = blocks("Secrets")
    address, paged = received
    prometheus = Prometheus(board)
    until(lambda: "/old/watchdog_webhook_url Watchdog" in paged and prometheus.raised(*PAGES), set())
    with Traffic(board) as traffic:
        traffic.until(10)
        for row in rows():
            first, *made = (folder / "secrets" / name for name in row.files)
            write(first, changed_text(row, first.read_text(), address))
            for file in made:
                file.unlink()
        board.make("secrets")
        commands = [row.command for row in rows() if not row.is_kept]
        run(board, [*function, *commands], {"secrets/": f"{folder}/secrets/"})
        said = board.make("roll")
        traffic.until(10)
        assert "was made and verified" in board.make("backup")
        until(lambda: logged_in(board), EXPORTERS.keys())
        # another name than in the test before: Alertmanager remembers its notifications
        has_notified(board, paged, f"Proof_{write.__name__}")
        until(lambda: prometheus.raised(*PAGES), set())
        traffic.until(10)
    traffic.check()
    board.stack.ask("exec", "-T", "api", "agent-board", "verify")
    assert {each for each in paged if "/alert_" in each} == {f"/new/alert_webhook_url Proof_{write.__name__}"}
    figures[f"secrets {write.__name__}"] = traffic.figures()
    # services without a new secret should be left, and of the others only what costs service
    assert (LEFT in said) == (write is by_rename)
    if LEFT in said:
        run(board, [LEFT], {})
        board.until_well()
        assert "was made and verified" in board.make("backup")
    assert changed(board.stack) <= {"migrate"}
