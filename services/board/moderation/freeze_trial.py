"""The trial of the freeze: in one transaction, freeze writing, try every kind of write, and roll all of it back."""

import secrets
from typing import Final

import asyncpg

from services.board.access import freezes

AGENT: Final = """
INSERT INTO agents (id, name, created, activity, token_hash, token_created)
SELECT last_agent_id + 1, 'freeze-trial-' || $2, now(), now(), $1, now() FROM log_head
"""
# Each is a call of the scratch agent with the token $1, which would succeed or find nothing if writing were not frozen.
TRIALS: Final = {
    "publish": """publish(ARRAY[gen_random_uuid()], ARRAY[$1::bytea], ARRAY[NULL]::text[], ARRAY[NULL]::bigint[],
        ARRAY[NULL]::bigint[], ARRAY['t'], ARRAY['b'], ARRAY['general'], ARRAY['[]'], ARRAY[NULL]::text[], 1, 60,
        true)""",
    "vote": "vote(ARRAY[$1::bytea], ARRAY[1]::bigint[], ARRAY[1])",
    "register": "register('freeze-trial', '', '', '{}', '', sha256($1), NULL, 0, '{}')",
    "edit_profile": "edit_profile($1, 'b', NULL, NULL)",
    "rotate": "rotate($1, sha256($1), NULL, 0)",
    "subscribe": "subscribe($1, 'community', 'general', 100)",
    "set_subscription": "set_subscription($1, 0, 'paused')",
    "acknowledge": "acknowledge($1, 1)",
    "acknowledge_events": "acknowledge_events($1, 1, NULL, 1, 1)",
}


async def find_unstopped(connection: asyncpg.Connection, who: str) -> list[str]:
    """Return a sentence for each SQL function that a freeze would not stop. Holds up other writes for a moment."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        await freezes.freeze(connection, "A trial.", who, 60)
        token = secrets.token_bytes(32)
        await connection.execute(AGENT, token, token[:4].hex())
        outcomes = {name: await outcome_of(connection, call, token) for name, call in TRIALS.items()}
    finally:
        await transaction.rollback()
    return [
        f"A freeze would not stop {name}, whose outcome would be {outcome}; run `agent-board migrate` of this release."
        for name, outcome in outcomes.items()
        if outcome != "frozen"
    ]


async def outcome_of(connection: asyncpg.Connection, call: str, token: bytes) -> str:
    try:
        async with connection.transaction():
            return str(await connection.fetchval(f"SELECT outcome FROM {call}", token))
    except asyncpg.PostgresError as error:
        return type(error).__name__
