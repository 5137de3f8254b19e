"""The fan-out as a process: its start and stop, its probes and metrics, and connections that end."""

import asyncio
import re
import signal
from collections.abc import Callable

import asyncpg
import pytest
from pydantic import SecretStr

from services.board.database.migrations import migrate
from services.fanout.app import Fanout
from services.fanout.worker import Consumer, Work
from services.local.postgresql import PostgreSQL
from services.process.metrics import Registry
from services.process.settings import Settings
from tests.conftest import numbers
from tests.databases import create_database
from tests.fanout import index
from tests.load import Member
from tests.posts.locks import until
from tests.processes import STOP_SECONDS, FanoutProcess

StartFanout = Callable[..., FanoutProcess]
METRICS = (
    "agent_board_search_posts_indexed_total",
    "agent_board_search_steps_total",
    "agent_board_search_step_seconds",
    "agent_board_search_posts_behind",
    "agent_board_search_oldest_seconds",
)


def metric(fanout: FanoutProcess, name: str) -> float:
    """Return the value of a line of /metrics, or 0 if there is none."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", fanout.operator("/metrics")[1], re.M)
    return float(found[1]) if found else 0


async def until_metric(fanout: FanoutProcess, name: str, true: Callable[[float], bool]) -> None:
    async def reached() -> bool:
        return true(await asyncio.to_thread(metric, fanout, name))

    await until(reached)


async def until_ready(fanout: FanoutProcess, status: int) -> str:
    """Return the text of the readiness probe as soon as it has this status; the process must be alive meanwhile."""
    text = ""

    async def answers() -> bool:
        nonlocal text
        assert (await asyncio.to_thread(fanout.operator, "/livez"))[0] == 200
        found, text = await asyncio.to_thread(fanout.operator, "/readyz")
        return found == status

    await until(answers)

    return text


def steps(outcome: str) -> str:
    return f'agent_board_search_steps_total{{outcome="{outcome}"}}'


async def test_it_indexes_and_counts_old_and_new_posts(
    start_fanout: StartFanout, db: asyncpg.Connection, alice: Member
) -> None:
    for n in range(450):
        await index.publish(db, alice, f"Before {n}", wanted=["sql"])
    fanout = start_fanout()
    await index.caught_up(db)
    for n in range(10):
        await index.publish(db, alice, f"After {n}")
    await index.caught_up(db)
    assert await index.wrong_index(db) == []
    # it should count them
    await until_metric(fanout, "agent_board_search_posts_indexed_total", lambda value: value == 460)
    assert metric(fanout, "agent_board_search_posts_behind") == 0
    assert metric(fanout, "agent_board_search_oldest_seconds") == 0
    assert 3 <= metric(fanout, "agent_board_search_step_seconds_count") == metric(fanout, steps("indexed"))
    await until_metric(fanout, steps("idle"), lambda value: value > 0)
    assert metric(fanout, steps("failed")) == 0
    page = fanout.operator("/metrics")[1]
    assert [name for name in METRICS if f"# TYPE {name}" not in page] == []
    assert 'process="fanout"' in page


async def test_a_step_without_work_writes_nothing_to_the_log(
    database: str, db: asyncpg.Connection, alice: Member
) -> None:
    def consumers() -> list[Consumer]:
        return [worker.consumer for worker in Fanout(settings, Registry()).workers]

    settings = Settings(database_url=SecretStr(database))
    await index.publish(db, alice)
    for consumer in consumers():
        while await consumer.step(db) is not Work.NONE:
            pass
    for consumer in consumers():
        async with db.transaction():
            await consumer.step(db)
            assert await db.fetchval("SELECT pg_current_xact_id_if_assigned()") is None, consumer.name


async def test_a_step_that_fails_is_counted_and_retried(
    start_fanout: StartFanout, db: asyncpg.Connection, alice: Member
) -> None:
    fanout = start_fanout()
    await db.execute("ALTER FUNCTION index_requests RENAME TO lost")
    await index.publish(db, alice, wanted=["sql"])
    assert await until_ready(fanout, 503) == "The last step of search failed."
    await until_metric(fanout, steps("failed"), lambda value: value >= 3)
    failed = [line for line in fanout.log_lines() if line["event"] == "step_failed"]
    assert failed[0]["error"] == "UndefinedFunctionError"
    await db.execute("ALTER FUNCTION lost RENAME TO index_requests")
    assert await until_ready(fanout, 200) == "ready"
    await index.caught_up(db)
    assert await index.wrong_index(db) == []


async def test_a_stop_finishes_the_step_in_flight(
    start_fanout: StartFanout, db: asyncpg.Connection, alice: Member
) -> None:
    fanout = start_fanout()
    async with index.held(db, "UPDATE ON search_cursor"):
        thread = await index.publish(db, alice)
        await index.standing(db)
        fanout.signal(signal.SIGTERM)

        async def stopping() -> bool:
            return "is stopping" in (await asyncio.to_thread(fanout.operator, "/readyz"))[1]

        await until(stopping)
        assert fanout.running.poll() is None
    assert await asyncio.to_thread(fanout.running.wait, STOP_SECONDS) == 0
    assert await db.fetchval("SELECT last_id FROM search_cursor") == thread
    # it should have interrupted nothing
    assert [line["event"] for line in fanout.log_lines() if line["level"] != "info"] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_stop_between_steps_is_clean(
    start_fanout: StartFanout, db: asyncpg.Connection, number: signal.Signals
) -> None:
    fanout = start_fanout()
    await until_metric(fanout, steps("idle"), lambda value: value >= 5)
    fanout.signal(number)
    assert await asyncio.to_thread(fanout.running.wait, STOP_SECONDS) == 0
    assert [line["event"] for line in fanout.log_lines() if line["level"] != "info"] == []
    # other boards of this server may have a fan-out, too
    fanouts = "pg_stat_activity WHERE application_name = 'agent-board fanout' AND datname = current_database()"
    gone = f"SELECT NOT EXISTS (SELECT FROM {fanouts})"

    async def disconnected() -> bool:
        return bool(await db.fetchval(gone))

    await until(disconnected)


async def test_a_step_cut_off_at_the_deadline_happens_completely_or_not_at_all(
    start_fanout: StartFanout, db: asyncpg.Connection, alice: Member
) -> None:
    fanout = start_fanout("tests.fanout.impatient_fanout")
    async with index.held(db, "UPDATE ON search_cursor"):
        await index.publish(db, alice, wanted=["sql"])
        await index.standing(db)
        assert await asyncio.to_thread(fanout.terminate) == 0
        assert await index.wrong_index(db) == []
    start_fanout()
    await index.caught_up(db)
    assert await index.wrong_index(db) == []


@pytest.fixture
def empty_url(postgresql: PostgreSQL) -> str:
    """The address of a database without a schema."""
    return create_database(postgresql, f"empty_{next(numbers)}", "template1")


def test_without_the_schema_it_refuses_to_start_and_names_the_missing_migration(
    start_fanout: StartFanout, empty_url: str
) -> None:
    fanout = start_fanout("tests.fanout.impatient_fanout", wait=False, DATABASE_URL=empty_url)
    assert fanout.running.wait(STOP_SECONDS) == 1
    (error,) = [line for line in fanout.log_lines() if line["level"] == "error"]
    assert error["event"] == "start_refused"
    assert re.fullmatch(r"The database lacks migration \w+: run `agent-board migrate`\.", error["reason"])


async def test_it_waits_for_the_schema_and_then_starts(start_fanout: StartFanout, empty_url: str) -> None:
    fanout = start_fanout(wait=False, DATABASE_URL=empty_url)

    async def starting() -> bool:
        return (await asyncio.to_thread(fanout.operator, "/readyz")) == (503, "fanout is starting.")

    async def reported() -> bool:
        return [line["level"] for line in fanout.log_lines() if line["event"] == "database_awaited"] == ["warning"]

    await until(starting)
    await until(reported)
    await migrate(empty_url, lambda _: None)
    await asyncio.to_thread(fanout.wait_until_ready)


def test_a_wrong_setting_ends_it_with_exit_code_2_and_a_reason(start_fanout: StartFanout) -> None:
    fanout = start_fanout(wait=False, DATABASE_URL="mysql://h/db")
    assert fanout.running.wait(STOP_SECONDS) == 2
    assert fanout.log.read_text().startswith("DATABASE_URL ")
