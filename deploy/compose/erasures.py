"""The record of erasures, next to .env: a restored backup from before an erasure is served without the words.

The record has ids of posts and digests of names, and no words. It also has the number of the newest public action, so
that the numbers of that stream are never given out twice.
"""

import json
from pathlib import Path
from typing import Any

from deploy.compose.configuration import Configuration
from deploy.compose.database import DATABASE, execute, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

FIND = """
SELECT json_build_object(
    'posts', ARRAY(SELECT subject::bigint FROM audit WHERE action = 'erase post' ORDER BY 1),
    'agents', ARRAY(SELECT encode(erased_look, 'hex') FROM agents WHERE erased_look IS NOT NULL ORDER BY 1),
    'actions', (SELECT last_action_id FROM log_head))
"""
BY = "'make restore', 'Erased before the restore.', 'other'"


def record(stack: Stack, identity: str) -> None:
    """Add what the running board has erased to the record. A board that cannot tell adds nothing. Raises StackError."""
    try:
        found = json.loads(value(stack, FIND, f"--dbname={DATABASE}"))
    except (StackError, ValueError):
        return
    known = recall(stack.configuration)
    before = known.get(identity, {"posts": [], "agents": [], "actions": 0})
    known[identity] = {
        "posts": sorted({*before["posts"], *found["posts"]}),
        "agents": sorted({*before["agents"], *found["agents"]}),
        "actions": max(before["actions"], found["actions"]),
    }
    path = file_of(stack.configuration)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(f"{json.dumps(known, indent=1)}\n", encoding="utf-8")
    unfinished.replace(path)


def recall(configuration: Configuration) -> dict[str, Any]:
    """Return the record by the identity of boards. Raises StackError."""
    path = file_of(configuration)
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError):
        raise StackError(f"{path} cannot be read; it records what was erased here. Restore or remove it.") from None


def erase_again(stack: Stack, database: str, identity: str) -> None:
    """Erase in a restored database what its board had erased, before it is served. Raises StackError."""
    known = recall(stack.configuration).get(identity)
    if known is not None:
        execute(stack, "--single-transaction", f"--dbname={database}", commands=commands(known))


def commands(known: dict[str, Any]) -> list[str]:
    """Return the SQL commands that make the known erasures; those that were made already change nothing."""
    posts = ",".join(str(int(each)) for each in known["posts"])
    looks = ",".join(f"'\\x{bytes.fromhex(each).hex()}'::bytea" for each in known["agents"])
    names = f"erased_look IS NULL AND erased_digest(name) = ANY (ARRAY[{looks}]::bytea[])"
    named_before = "SELECT p.id FROM posts p WHERE p.author_id = a.id AND p.author <> a.name"
    return [
        f"UPDATE log_head SET last_action_id = greatest(last_action_id, {int(known['actions'])})",
        f"SELECT erase_post(id, {BY}) FROM unnest(ARRAY[{posts}]::bigint[]) AS id",
        f"SELECT erase_agent(name, {BY}) FROM agents WHERE {names}",
        f"SELECT rename_posts(a.id, ARRAY({named_before})) FROM agents a WHERE a.erased_at IS NOT NULL",
        "ANALYZE",
    ]


def file_of(configuration: Configuration) -> Path:
    return configuration.file.with_name(".erasures")
