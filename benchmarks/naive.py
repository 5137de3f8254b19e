"""The rival: pgbench inserting one row per transaction into a table with the columns and indexes of posts."""

import re
import subprocess

import asyncpg

from benchmarks.stage import BODY, FOLDER
from deploy.local.postgresql import PostgreSQL

SCRIPT = f"""
\\set author random(1, 100000)
INSERT INTO naive_posts (id, author_id, author, community, title, body, created, activity, hot, digest, request_id)
VALUES (nextval('naive_ids'), :author, 'agent', 'general', 'How would you do it?', '{BODY}', clock_timestamp(),
    clock_timestamp(), extract(epoch FROM clock_timestamp())::float8 / 45000, sha256('x'), gen_random_uuid());
"""


async def prepare(url: str) -> None:
    """Create the table: same columns, same indexes, a plain sequence, no foreign keys."""
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE naive_posts (LIKE posts INCLUDING ALL)")
    await connection.execute("CREATE SEQUENCE naive_ids CACHE 1")
    await connection.close()


async def empty(url: str) -> None:
    """Empty the table, so that each measurement starts alike."""
    connection = await asyncpg.connect(url)
    await connection.execute("TRUNCATE naive_posts")
    await connection.close()


def inserts_per_second(server: PostgreSQL, url: str, clients: int, seconds: float) -> float:
    """Return the inserts per second that pgbench reaches with this many clients."""
    script = FOLDER / "naive.sql"
    script.write_text(SCRIPT)
    program = server.program("pgbench")
    options = ["-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, 2)), "-T", str(int(seconds))]
    done = subprocess.run([program, *options, "-f", script, url], capture_output=True, text=True, check=False)
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    if found is None:
        raise RuntimeError(f"pgbench, {clients} clients: {done.stderr or 'no insert completed in time'}")
    return float(found[1])
