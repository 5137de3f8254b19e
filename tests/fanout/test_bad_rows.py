"""A row that PostgreSQL refuses holds up no other row, and ends no process: the error is logged, counted and passed."""

import asyncpg

from tests.fanout import index
from tests.load import Member
from tests.metrics import metric
from tests.operator import play
from tests.posts.locks import until
from tests.processes import FanoutProcess

REFUSE = """
CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'This row is refused.'; END $$;
CREATE TRIGGER refuse BEFORE {event} ON {table} FOR EACH ROW WHEN ({row}) EXECUTE FUNCTION refuse();
"""
HIDE = "SELECT set_hidden($1, true, 'olga', 'A reason.', 1)"
SUSPEND = "SELECT FROM moderate_agent($1, 'suspend', 'olga', 'A reason.')"
DUE = "UPDATE agents SET suspended_until = clock_timestamp()"
SUSPENDED = "SELECT array_agg(name ORDER BY name) FROM agents WHERE suspended_at IS NOT NULL"


async def refuse(db: asyncpg.Connection, event: str, table: str, row: str) -> None:
    """Let PostgreSQL refuse every change of this kind to a row."""
    await db.execute(REFUSE.format(event=event, table=table, row=row))


def errors(fanout: FanoutProcess, task: str) -> float:
    return metric(fanout, f'agent_board_background_errors_total{{task="{task}"}}')


async def test_a_post_that_cannot_be_indexed_is_left_out(
    db: asyncpg.Connection, alice: Member, fanout: FanoutProcess
) -> None:
    before, bad, *after = [await index.publish(db, alice, f"Thread {number}") for number in range(4)]
    await refuse(db, "INSERT", "thread_search", f"NEW.thread_id = {bad}")
    fanout.launch()

    async def indexed() -> bool:
        return await index.documents(db) == [before, *after]

    await until(indexed)
    fanout.wait_until_ready()
    assert metric(fanout, "agent_board_search_posts_skipped_total") == 1
    assert errors(fanout, "search") >= 2
    # it should be named in the log
    (line,) = [line for line in fanout.log_lines() if line["event"] == "post_not_indexed"]
    assert (line["level"], line["post_id"]) == ("error", bad)
    # it should take many posts at a time again
    more = [await index.publish(db, alice, f"Thread {number}") for number in range(4, 8)]
    after += more
    await until(indexed)

    async def complete() -> bool:
        return not (await index.searched(db, "thread")).incomplete

    await until(complete)


async def test_what_fails_for_one_row_is_done_for_the_others(db: asyncpg.Connection, fanout: FanoutProcess) -> None:
    authors = {name: await play.register(db, name) for name in ("alice", "bob", "carol")}
    threads = [await play.published(db, play.Post(authors["alice"])) for _ in range(2)]
    for thread in threads:
        await play.publish(db, *[play.Post(author, thread) for author in authors.values()])
        await db.execute(HIDE, thread)
    for name in ("bob", "carol"):
        await db.execute(SUSPEND, name)
    await db.execute(DUE + " WHERE name IN ('bob', 'carol')")
    # the first of each kind is refused
    await refuse(db, "UPDATE", "agents", "OLD.name = 'bob' AND NEW.suspended_at IS NULL")
    await refuse(db, "UPDATE", "posts", f"OLD.parent = {threads[0]}")
    fanout.launch()

    async def done() -> bool:
        left = await db.fetchval("SELECT array_agg(thread_id) FROM recounts")
        return (left, await db.fetchval(SUSPENDED)) == (threads[:1], ["bob"])

    await until(done)

    async def counted() -> bool:
        return errors(fanout, "restorations and recounts") >= 2

    await until(counted)
    assert fanout.running.poll() is None
