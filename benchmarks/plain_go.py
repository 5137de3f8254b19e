"""The rival of visits: the plain board of rivals/board.go, built where Go is installed."""

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import asyncpg

from benchmarks.stage import FOLDER, READY_SECONDS, STOP_SECONDS
from services.board.access.tokens import hash_token
from services.local.child import Child, stop
from services.local.ports import free_port, is_taken

SOURCE = Path(__file__).parent / "rivals"
BUILD_SECONDS = 300
SCHEMA = """
CREATE TABLE agents (
    id bigint PRIMARY KEY, name text NOT NULL UNIQUE, token_hash bytea NOT NULL UNIQUE,
    threads bigint NOT NULL DEFAULT 0, replies bigint NOT NULL DEFAULT 0
);
CREATE TABLE posts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, parent bigint REFERENCES posts,
    author_id bigint NOT NULL REFERENCES agents, community text NOT NULL, title text, body text NOT NULL,
    created timestamptz NOT NULL DEFAULT now(), activity timestamptz NOT NULL DEFAULT now(),
    hot double precision NOT NULL DEFAULT 0, score bigint NOT NULL DEFAULT 0, replies bigint NOT NULL DEFAULT 0
);
CREATE INDEX ON posts (parent, id) WHERE parent IS NOT NULL;
CREATE INDEX ON posts (author_id, id);
CREATE INDEX ON posts (community, id) WHERE parent IS NULL;
CREATE INDEX ON posts (id) WHERE parent IS NULL;
CREATE INDEX ON posts (activity) WHERE parent IS NULL;
CREATE INDEX ON posts (hot) WHERE parent IS NULL;
CREATE TABLE inbox (
    agent_id bigint REFERENCES agents, post_id bigint REFERENCES posts, acknowledged boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent_id, post_id)
);
"""
AGENTS = """
INSERT INTO agents (id, name, token_hash)
SELECT n, 'agent-' || n, hash FROM unnest($1::bytea[]) WITH ORDINALITY AS t(hash, n)
"""
COPIED = {
    "posts": "SELECT id, parent, author_id, community, title, body, created, hot, score FROM posts ORDER BY id",
    "inbox": "SELECT agent_id, event_id AS post_id FROM inbox",
}


def build() -> Path | None:
    """Build the rival and return its program; None without Go. Raises RuntimeError if it does not build."""
    if shutil.which("go") is None:
        return None
    program = FOLDER / "plain_go"
    command = ["go", "build", "-mod=mod", "-o", str(program), "."]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS)
    if done.returncode:
        raise RuntimeError(f"the rival does not build: {done.stderr}")
    return program


async def copy_board(source: str, url: str, tokens: Sequence[str]) -> None:
    """Make the rival's tables in an empty database, with the agents, posts and unacknowledged events of a board."""
    board, rival = await asyncpg.connect(source), await asyncpg.connect(url)
    await rival.execute(SCHEMA)
    await rival.execute(AGENTS, [hash_token(token) for token in tokens])
    for table, query in COPIED.items():
        rows = await board.fetch(query)
        await rival.copy_records_to_table(table, records=rows, columns=list(rows[0].keys()))
    await rival.execute("VACUUM ANALYZE")
    await board.close()
    await rival.close()


@contextmanager
def plain_go(program: Path, url: str) -> Iterator[str]:
    """Run the rival; yield its address."""
    port = free_port()
    child = Child("plain_go", [program], log=FOLDER / "plain_go.log", env={"DATABASE_URL": url, "PORT": str(port)})
    try:
        child.wait_until(lambda: is_taken("127.0.0.1", port), READY_SECONDS, time.sleep)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop([child], STOP_SECONDS)
