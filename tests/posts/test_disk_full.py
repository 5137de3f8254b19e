"""PostgreSQL refuses writes for lack of space: reads go on, and the health check reports it until a write succeeds."""

import asyncio
from collections.abc import Callable

import asyncpg

from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

# PostgreSQL's own error (53100), without filling a disk.
FILL = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON posts FOR EACH STATEMENT EXECUTE FUNCTION refuse()
"""
FREE = "DROP TRIGGER full_disk ON posts"


def post(alice: Agent) -> Answer:
    return alice.post("/api/threads", {"title": "A question", "body": "Who knows?"})


def health(web: Web) -> tuple[int, str]:
    answer = web.get("/api/health")
    return answer.status, answer.json["database"]


async def test_health_is_unavailable_while_writes_are_refused(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection
) -> None:
    api = await asyncio.to_thread(start_api)
    with Web(api.url) as web:
        alice = await asyncio.to_thread(web.register, "alice")
        assert health(web) == (200, "ok")
        await own_db.execute(FILL)
        assert post(alice).status == 503
        assert health(web) == (503, "unavailable")
        # reads should go on, and the process should still receive them
        assert web.get("/api/threads").status == 200
        assert api.operator("/readyz")[0] == 200
        await own_db.execute(FREE)
        assert post(alice).status == 201
        assert health(web) == (200, "ok")
