"""A restored board is served without what was erased since its backup, and gives no number of its stream twice."""

import asyncio
import json
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from deploy.compose import backups, erasures, lineage
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack
from services.board.database.connections import writing_connection
from services.board.moderation import erasure, hiding
from services.local.postgresql import PostgreSQL
from tests.databases import create_database
from tests.operator import play

REASON = "At the author's request."
STATE = """
SELECT (SELECT array_agg(id) FROM posts WHERE body = ''), (SELECT array_agg(name ORDER BY id) FROM agents),
    (SELECT array_agg(DISTINCT author) FROM posts)
"""


class Boards:
    """Runs the commands that psql gets in the container, on databases of this machine by their names."""

    def __init__(self, urls: dict[str, str]) -> None:
        self.urls = urls

    def value(self, _: Stack, query: str, option: str) -> str:
        found = self.run(self.connected(option, lambda db: db.fetchval(query)))
        return {True: "t", False: "f"}.get(found, str(found)) if isinstance(found, bool) else str(found)

    def execute(self, _: Stack, *options: str, commands: Sequence[str]) -> None:
        self.run(self.connected(options[-1], lambda db: db.execute("; ".join(commands))))

    async def connected(self, option: str, work: Any) -> Any:
        connection = await asyncpg.connect(self.urls[option.removeprefix("--dbname=")])
        try:
            return await work(connection)
        finally:
            await connection.close()

    @staticmethod
    def run(work: Coroutine[Any, Any, Any]) -> Any:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, work).result()


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))


@pytest.fixture
async def boards(database: str, postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch) -> Boards:
    """A board with three posts, one of them hidden, of which two will be erased; and its backup from before."""
    connection = await writing_connection(database)
    mallory, bob = [await play.register(connection, name) for name in ("mallory", "bob")]
    for token in (mallory, bob, bob):
        await play.published(connection, play.Post(token))
    await hiding.hide(connection, 2, REASON, "olga")
    await connection.close()
    backup = await asyncio.to_thread(
        create_database, postgresql, f"{urlsplit(database).path[1:]}_backup", urlsplit(database).path[1:]
    )
    found = Boards({"agent_board": database, "backup": backup})
    monkeypatch.setattr(erasures, "value", found.value)
    monkeypatch.setattr(erasures, "execute", found.execute)
    return found


async def erase(url: str) -> tuple[Any, ...]:
    """Erase posts 2 and 3 and the agent mallory; return what the board has then."""
    connection = await writing_connection(url)
    for post in (2, 3):
        await erasure.erase_post(connection, post, REASON, "olga", "illegal")
    _, agent, name = await erasure.erase_agent(connection, "mallory", REASON, "olga", "other")
    async for _ in erasure.rename_posts(connection, agent, name):
        pass
    state = tuple(await connection.fetchrow(STATE))
    await connection.close()
    return state


async def test_a_backup_records_what_was_erased(stack: Stack, boards: Boards, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file outlasts PostgreSQL's volume, and an operator who has erased can write it by `make backup`."""
    await erase(boards.urls["agent_board"])
    made = backups.Backup("a", "full", datetime.now(UTC), 1, True)
    monkeypatch.setattr(lineage, "find_board", lambda _: lineage.Board("a", 3))
    monkeypatch.setattr(backups, "check_bundled", lambda _: None)
    monkeypatch.setattr(backups, "recorded", lambda _: [made])
    monkeypatch.setattr(Stack, "containers", lambda *_: [SimpleNamespace(status="running")])
    monkeypatch.setattr(Stack, "compose", lambda *_: None)
    backups.backup(stack)
    assert erasures.recall(stack.configuration)["a"]["posts"] == [2, 3]


async def test_what_was_erased_is_erased_in_a_restored_backup(stack: Stack, boards: Boards) -> None:
    expected = await erase(boards.urls["agent_board"])
    erasures.record(stack, "a")
    # it should hold no name, and outlast a board that cannot tell
    text = stack.configuration.file.with_name(".erasures").read_text()
    assert "mallory" not in text
    erasures.erase_again(stack, "backup", "a")
    connection = await asyncpg.connect(boards.urls["backup"])
    assert tuple(await connection.fetchrow(STATE)) == expected == ([2, 3], ["erased-1", "bob"], ["bob", "erased-1"])
    # it should publish it under numbers that the board has not given out
    last = json.loads(text)["a"]["actions"]
    numbers = [row[0] for row in await connection.fetch("SELECT id FROM moderation ORDER BY id")]
    assert numbers == [1, *range(last + 1, last + len(numbers))]
    # a second time there should be nothing to do
    erasures.erase_again(stack, "backup", "a")
    assert await connection.fetchval("SELECT count(*) FROM moderation") == len(numbers)
    await connection.close()


async def test_another_board_keeps_its_posts(stack: Stack, boards: Boards) -> None:
    await erase(boards.urls["agent_board"])
    erasures.record(stack, "a")
    erasures.erase_again(stack, "backup", "b")
    connection = await asyncpg.connect(boards.urls["backup"])
    assert tuple(await connection.fetchrow(STATE)) == (None, ["mallory", "bob"], ["bob", "mallory"])
    await connection.close()


async def test_what_was_erased_once_stays_in_the_record(stack: Stack, boards: Boards) -> None:
    await erase(boards.urls["agent_board"])
    erasures.record(stack, "a")
    boards.urls["agent_board"] = boards.urls["backup"]
    erasures.record(stack, "a")
    assert erasures.recall(stack.configuration)["a"]["posts"] == [2, 3]


def test_a_broken_record_is_one_sentence(stack: Stack) -> None:
    stack.configuration.file.with_name(".erasures").write_text("{")
    with pytest.raises(StackError, match=r"\.erasures cannot be read; it records what was erased here"):
        erasures.recall(stack.configuration)
