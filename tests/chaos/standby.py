"""A standby takes the place of the primary, which crashes in place before it is lost."""

import asyncio
import shutil
import time
from asyncio import to_thread
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.local.errors import LocalError
from tests.chaos.row import AWAY, Row, Trial
from tests.posts.standby import Standby, promoted, require_standby

PAUSE_SECONDS = (0.2, 2.0)
READ_PAUSE_SECONDS = 0.1
START_PAUSE_SECONDS, START_SECONDS = 0.3, 60.0


@asynccontextmanager
async def standby_promoted(trial: Trial) -> AsyncIterator[None]:
    """Let commits wait for a new standby, and lose first that one, then the primary; then promote the standby.

    Meanwhile the primary recovers in place, and its server shows commits that no standby has.
    """
    board, chance = trial.board, trial.chance
    primary = board.postgresql
    standby = Standby(primary, primary.data_dir.with_name(f"standby-{time.monotonic_ns()}"))
    board.servers.callback(standby.stop)
    await start(standby)
    await require_standby(primary.url())
    yield
    await to_thread(standby.kill)
    await asyncio.sleep(chance.uniform(*PAUSE_SECONDS))
    await board.kill("postgresql")
    await read(trial, chance.uniform(*PAUSE_SECONDS))
    await to_thread(primary.kill)
    await start(standby)
    await (await promoted(standby)).close()
    board.lead(standby)
    await to_thread(shutil.rmtree, primary.cluster)


async def start(standby: Standby) -> None:
    """Start a standby. Another fault, such as a full disk, can keep it from that for a while; raise what does later."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return await to_thread(standby.start)
        except LocalError:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(START_PAUSE_SECONDS)


async def read(trial: Trial, seconds: float) -> None:
    """Read the newest posts all the time, while the other agents may wait for their writes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await trial.traffic.founder.read("list_activity", "/api/activity?limit=10", newest="posts")
        await asyncio.sleep(READ_PAUSE_SECONDS)


ROWS = (Row("standby-promoted", "nothing acknowledged is lost, no id has two contents", standby_promoted, AWAY),)
