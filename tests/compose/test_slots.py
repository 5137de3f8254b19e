"""Replication slots that nothing uses are reported, and those of followers that are gone are dropped."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import backups, doctor, slots
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack
from services.local.postgresql import PostgreSQL

ONE, THREE = "compose.yaml", "compose.yaml:patroni.yaml"
FOLLOWERS = ("postgresql2", "postgresql3")
NAMES = "SELECT slot_name FROM pg_replication_slots ORDER BY 1"


class Served(Stack):
    """A stack whose commands in PostgreSQL's container run on the server of the tests."""

    def __init__(self, server: PostgreSQL, folder: Path, files: str) -> None:
        super().__init__(Configuration({"ENV_FILE": str(folder / ".env"), "COMPOSE_FILE": files}))
        self.server = server

    def ask(self, *arguments: str, **_: Any) -> str:
        command = [
            str(self.server.program("psql")),
            *arguments[arguments.index("psql") + 1 :],
            "--dbname",
            self.server.url(),
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def runs(self, service: str) -> bool:
        return service == "postgresql"

    def containers(self, *_: str) -> list[Any]:
        return []

    def query(self, query: str) -> list[str]:
        return self.ask("psql", "--no-psqlrc", "--tuples-only", "--no-align", f"--command={query}").split()


@pytest.fixture
def stack(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """A stack of these files whose PostgreSQL has slots of these names, which nothing uses."""
    made: list[Served] = []

    def make(files: str, *names: str) -> Served:
        made.append(stack := Served(postgresql, tmp_path, files))
        for name in names:
            stack.query(f"SELECT pg_create_physical_replication_slot('{name}', true)")
        return stack

    yield make
    made[0].query("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")


def test_slots_of_followers_that_are_gone_are_reported_and_dropped(stack: Callable[..., Served]) -> None:
    alone = stack(ONE, *FOLLOWERS, "warehouse")
    with pytest.raises(
        StackError, match=r"uses: postgresql2 \(\d+ \w+\), postgresql3 \(.+\), warehouse \(.+make up drops"
    ):
        slots.check(alone)
    slots.drop(alone)
    # its reader may come back to it
    assert alone.query(NAMES) == ["warehouse"]
    with pytest.raises(StackError, match="uses: warehouse"):
        slots.check(alone)
    alone.query("SELECT pg_drop_replication_slot('warehouse')")
    slots.check(alone)
    slots.drop(alone)


def test_three_servers_keep_the_slots_of_a_follower_that_is_away(stack: Callable[..., Served]) -> None:
    three = stack(THREE, "postgresql3")
    slots.drop(three)
    slots.check(three)
    assert three.query(NAMES) == ["postgresql3"]
    three.query("SELECT pg_create_physical_replication_slot('warehouse')")
    with pytest.raises(StackError, match=r"uses: warehouse \(nothing\)"):
        slots.check(three)


def test_the_doctor_looks_for_them(stack: Callable[..., Served], monkeypatch: pytest.MonkeyPatch) -> None:
    alone = stack(ONE, "postgresql2")
    monkeypatch.setattr(alone, "containers", lambda *_: [type("Well", (), {"well": True})])
    for module, name in ((backups, "check_archiving"), (backups, "check_timeline")):
        monkeypatch.setattr(module, name, lambda _: None)
    assert any("slots that nothing uses: postgresql2" in each for each in doctor.database_troubles(alone))
