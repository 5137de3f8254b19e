"""A primary and its synchronous standby: two real PostgreSQL servers with streaming replication."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg

from services.board.database.admission import Admission
from services.local.postgresql import PostgreSQL
from tests.databases import QUICK, CopyServer
from tests.posts.conftest import connect
from tests.posts.locks import until

SYNCHRONOUS = "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')"


class Standby(PostgreSQL):
    """A copy of a running server, which follows it until it is promoted."""

    def __init__(self, primary: PostgreSQL, data_dir: Path) -> None:
        super().__init__(data_dir, settings=QUICK, throwaway=True)
        self.primary = primary

    def make_cluster(self, lock: int) -> None:
        self.put(self.password_file, self.primary.password_file.read_text())
        options = ["--checkpoint=fast", "--write-recovery-conf", "--no-sync"]
        source = [f"--dbname={self.primary.url()}", f"--pgdata={self.cluster}"]
        copy = self.spawn([self.program("pg_basebackup"), *source, *options], lock)
        if copy.process.wait() != 0:
            raise copy.failure("could not copy the primary")


@contextmanager
def replicated(own_server: CopyServer, folder: Path) -> Iterator[tuple[PostgreSQL, Standby]]:
    """Run a primary with an empty board, and a standby for which each of its commits waits."""
    folder.mkdir(exist_ok=True)
    with own_server(folder / "primary", QUICK) as primary, Standby(primary, folder / "standby") as standby:
        # After the copy, so that the standby waits for no other server when it is promoted.
        asyncio.run(require_standby(primary.url()))
        asyncio.run(confirm(primary.url()))
        yield primary, standby


async def require_standby(url: str) -> None:
    """Let each commit of a primary wait for a standby, and return when one is there."""
    connection = await asyncpg.connect(url)
    await connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await connection.execute("SELECT pg_reload_conf()")
    await connection.close()
    await has_standby(url)


async def confirm(url: str) -> None:
    """Let connections to a primary be used from now on, whether its standby is there or not."""
    connection = await asyncpg.connect(url)
    await Admission(url).admit(connection)
    await connection.close()


async def has_standby(url: str) -> None:
    """Return when a standby confirms the commits of a primary."""
    connection = await asyncpg.connect(url)

    async def confirms() -> bool:
        return bool(await connection.fetchval(SYNCHRONOUS))

    await until(confirms)
    await connection.close()


async def promoted(standby: Standby) -> asyncpg.Connection:
    """Promote a standby, and return a connection to it."""
    connection = await asyncpg.connect(standby.url())
    assert await connection.fetchval("SELECT pg_promote(true, 600)")
    await connection.close()
    return await connect(standby.url())
