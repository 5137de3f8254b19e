"""Wrong builds of the board, each of which a judge must find: `python -m tests.chaos.wrong_builds [NAME...]`.

It prints the seconds of seeds that each one takes, at most five minutes. A build is a mutant of an SQL function from
tests/mutants, another replacement in one, a statement that damages the database now and then, or a wrong API process.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.board.database.revision import functions
from services.board.moderation.restore_points import LOST_IDS_MAX
from tests.chaos.run import run
from tests.chaos.starting import local_board
from tests.history.traffic import CLIENTS
from tests.mutants.mutant import mutants
from tests.processes import ApiProcess

SECONDS_MAX = 300.0
SEED_SECONDS = 6.0
PAUSE_SECONDS = 1.0
MUTANTS = {mutant.name: mutant for mutant in mutants()}


class WrongApi(ApiProcess):
    """A wrong build of the judges."""

    module = "tests.history.wrong_api"


@dataclass(frozen=True)
class Wrong:
    """A wrong build and the judges that may find it, under `only` one fault. A build of the API has a kind.

    `restored` is a statement that it runs in a restored database, under restores only.
    """

    judges: tuple[str, ...]
    kind: type[ApiProcess] = ApiProcess
    function: str = ""
    was: str = ""
    becomes: str = ""
    statement: str = ""
    only: str = ""
    restored: str = ""


REWRITE = "UPDATE posts SET {} WHERE id = (SELECT last_id - 2 FROM log_head) AND EXISTS (SELECT FROM posts OFFSET 30)"
UNINDEXED = "DELETE FROM thread_search"
IDS_AGAIN = f"UPDATE log_head SET last_id = last_id - {LOST_IDS_MAX}"
BUILDS = {
    "acknowledges what is rolled back": Wrong(("once",), WrongApi),
    "denies what is committed": Wrong(("once",), WrongApi),
    "sends again without looking": Wrong(("once",), WrongApi, only="commit-cut"),
    "validates once a second": Wrong(("fresh", "linear"), WrongApi),
    "joins an earlier question": Wrong(("fresh", "linear"), WrongApi),
    "keeps tokens for 5 s": Wrong(("linear",), WrongApi),
    "shows what no standby has": Wrong(("content",), WrongApi, only="standby-promoted"),
    "forgets that votes show on threads": Wrong(("linear",), WrongApi),
    "forgets that profiles change": Wrong(("fresh",), WrongApi),
    "forgets that hiding shows on receipts": Wrong(("gone",), WrongApi),
    "forgets that posts show on statistics": Wrong(("fresh",), WrongApi),
    "log_without_a_lock": Wrong(("once", "order", "answers", "content")),
    "ids_with_gaps": Wrong(("order",)),
    "posts_of_a_batch_at_one_time": Wrong(("order",)),
    "key_of_another_agent": Wrong(("once", "answers")),
    "key_with_other_content": Wrong(("once", "answers")),
    "limit_before_replay": Wrong(("limit",)),
    "quota_one_too_many": Wrong(("limit",)),
    "quota_one_too_few": Wrong(("limit",)),
    "suspended_agent_publishes": Wrong(("answers",)),
    "own_posts_delivered": Wrong(("inbox",)),
    "pause_one_post_early": Wrong(("inbox",)),
    "subscription_one_post_early": Wrong(("inbox",)),
    "index_skips_a_post": Wrong(("fresh",)),
    "search_without_the_tail": Wrong(("fresh",)),
    "forgets keys": Wrong(("once",), function="publish", was="p_request[n], key\n", becomes="p_request[n], NULL\n"),
    "passes over events": Wrong(
        ("inbox",), function="deliver", was="WHERE p.id > done_id ORDER BY", becomes="WHERE p.id > done_id + 1 ORDER BY"
    ),
    "acknowledges again": Wrong(
        ("linear",), function="acknowledge", was="i.event_id = p_event AND i.acked_at IS NULL\n",
        becomes="i.event_id = p_event\n",
    ),
    "forgets the vote before": Wrong(
        ("linear",), function="vote", was="coalesce(v.value, 0)::int AS held", becomes="0 AS held"
    ),
    "gives an id a second content": Wrong(("content",), statement=REWRITE.format("created = created + '1 us'")),
    "changes the log after it was signed": Wrong(("tree",), statement=REWRITE.format("digest = sha256('x')")),
    "restores without votes": Wrong(("linear",), restored="UPDATE posts SET score = 0"),
    "restores without marks of events": Wrong(("linear",), restored="UPDATE inbox SET acked_at = NULL"),
    "restores without old events": Wrong(("inbox",), restored="DELETE FROM inbox"),
    "restores without keys": Wrong(("once",), restored="UPDATE posts SET idempotency_key = NULL"),
    "restores without the index": Wrong(("fresh",), restored=UNINDEXED),
    "gives ids out again after a restore": Wrong(("content",), restored=IDS_AGAIN),
}  # fmt: skip


@asynccontextmanager
async def wrong_board(name: str, folder: Path) -> AsyncIterator[Any]:
    """A board of a wrong build."""
    wrong = BUILDS[name]
    settings = {} if wrong.kind is ApiProcess else {"WRONG": name}
    async with local_board(folder, kind=wrong.kind, settings=settings) as board:
        function, was, becomes = wrong.function, wrong.was, wrong.becomes
        if mutant := MUTANTS.get(name):
            function, was, becomes = Path(mutant.file).stem, mutant.was, mutant.becomes
        if function:
            right = functions()[function]
            assert was in right, name
            await board.query(right.replace(was, becomes))
        board.after_restore = wrong.restored
        yield board


async def damage(board: Any, statement: str) -> None:
    """Run a statement now and then. It fails while the database is away."""
    while True:
        await asyncio.sleep(PAUSE_SECONDS)
        try:
            await board.query(statement)
        except Exception as failure:  # noqa: BLE001 - the next attempt may succeed
            print(type(failure).__name__, file=sys.stderr)


async def seconds_until_found(name: str, folder: Path) -> tuple[float, list[str]]:
    """Return the seconds of seeds until a judge finds a wrong build, and its findings, none after five minutes."""
    wrong, seed = BUILDS[name], 0
    async with wrong_board(name, folder) as board:
        began = time.monotonic()
        damaging = asyncio.create_task(damage(board, wrong.statement)) if wrong.statement else None
        found: list[str] = []
        while not found and time.monotonic() < began + SECONDS_MAX:
            seed += 1
            only = "restored" if wrong.restored else wrong.only
            verdict = await run(board, seed, SEED_SECONDS, CLIENTS, folder / "history.jsonl", signed=False, only=only)
            found = [what for judge in wrong.judges for what in verdict.broken.get(judge, ())]
        if damaging:
            damaging.cancel()
    return time.monotonic() - began, found


def main() -> int:
    """Try the builds that the command line names, or all."""
    missed = 0
    for name in sys.argv[1:] or BUILDS:
        with tempfile.TemporaryDirectory(prefix="history-") as folder:
            Path(folder).chmod(0o755)
            seconds, found = asyncio.run(seconds_until_found(name, Path(folder)))
        missed += not found
        print(f"{seconds:5.0f} s  {name}: {found[0] if found else 'NOT FOUND'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
