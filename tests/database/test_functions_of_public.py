"""The powers of the role of reads by the functions that PostgreSQL lets every role call.

Every volatile one is known here as harmless, as refused, or as one whose effect SECURITY.md admits. A new version of
PostgreSQL with another such function fails the first test.
"""

import re

import asyncpg

from tests.conftest import Reading
from tests.processes import CHECKOUT

# without those that only PostgreSQL itself calls
VOLATILE = """
SELECT DISTINCT proname::text FROM pg_proc p
WHERE provolatile = 'v' AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
    AND NOT 'internal'::regtype = ANY (proargtypes) AND has_function_privilege(p.oid, 'EXECUTE')
"""
# They read, or change only the caller's session.
HARMLESS = re.compile(
    r"amvalidate|array_(sample|shuffle)|clock_timestamp|current_query|currtid2|currval|cursor_to_xml(schema)?"
    r"|gen_random_uuid|lastval|lo_(close|get|lseek|lseek64|open|tell|tell64)|loread|plpgsql_(call_handler|validator)"
    r"|query_to_xml(_and_xmlschema|schema)?|random(_normal)?|set_(config|limit)|setseed|timeofday|ts_(rewrite|stat)"
    r"|txid_status|uuidv[47]|pg_(stat_.*|control_.*|current_wal_.*|last_.*|.*_size|is_.*|jit_available|lock_status"
    r"|sleep(_for|_until)?|(database_)?collation_actual_version|(safe_snapshot_)?blocking_pids|get_.*|wal_summary_contents"
    r"|available_wal_summaries|isolation_test_session_is_blocked|notification_queue_usage|partition_(ancestors|tree)"
    r"|prepared_xact|sequence_last_value|xact_(status|commit_timestamp(_origin)?)|safe_snapshot_blocking_pids)"
)
INDEX = "'posts_pkey'::regclass"
SLOT = "'mine'"
REFUSED = {
    "binary_upgrade_add_sub_rel_state": "'a', 1::oid, 'r', '0/1'",
    "binary_upgrade_create_empty_extension": "'a', 'public', false, '1', '{}', '{}', '{}'",
    "binary_upgrade_logical_slot_has_caught_up": SLOT,
    "binary_upgrade_replorigin_advance": "'a', '0/1'",
    "binary_upgrade_set_missing_value": "1::oid, 'a', 'b'",
    "binary_upgrade_set_record_init_privs": "true",
    **{f"binary_upgrade_set_next_{what}": "1::oid" for what in (
        "array_pg_type_oid", "heap_pg_class_oid", "heap_relfilenode", "index_pg_class_oid", "index_relfilenode",
        "multirange_array_pg_type_oid", "multirange_pg_type_oid", "pg_authid_oid", "pg_enum_oid", "pg_tablespace_oid",
        "pg_type_oid", "toast_pg_class_oid", "toast_relfilenode")},
    "brin_desummarize_range": f"{INDEX}, 0",
    "brin_summarize_new_values": INDEX,
    "brin_summarize_range": f"{INDEX}, 0",
    "gin_clean_pending_list": INDEX,
    "nextval": "'aerich_id_seq'",
    "setval": "'aerich_id_seq', 1000",
    "pg_cancel_backend": "$1::int",
    "pg_terminate_backend": "$1::int",
    "pg_clear_attribute_stats": "'public', 'posts', 'id', false",
    "pg_clear_relation_stats": "'public', 'posts'",
    "pg_restore_attribute_stats": "'schemaname', 'public', 'relname', 'posts', 'attname', 'id', 'inherited', false",
    "pg_restore_relation_stats": "'schemaname', 'public', 'relname', 'posts', 'relpages', 1",
    "pg_copy_logical_replication_slot": f"{SLOT}, 'other'",
    "pg_copy_physical_replication_slot": f"{SLOT}, 'other'",
    "pg_create_logical_replication_slot": f"{SLOT}, 'pgoutput'",
    "pg_create_physical_replication_slot": SLOT,
    "pg_drop_replication_slot": SLOT,
    "pg_logical_slot_get_binary_changes": f"{SLOT}, NULL, NULL",
    "pg_logical_slot_get_changes": f"{SLOT}, NULL, NULL",
    "pg_logical_slot_peek_binary_changes": f"{SLOT}, NULL, NULL",
    "pg_logical_slot_peek_changes": f"{SLOT}, NULL, NULL",
    "pg_replication_slot_advance": f"{SLOT}, '0/1'",
    "pg_sync_replication_slots": "",
    "pg_extension_config_dump": "'posts', ''",
    "pg_import_system_collations": "'public'",
    "pg_nextoid": "'pg_class', 'oid', 'pg_class_oid_index'",
    "pg_stop_making_pinned_objects": "",
}  # fmt: skip
# What PostgreSQL 17 does not have.
NEW = {
    "pg_clear_attribute_stats", "pg_clear_relation_stats", "pg_restore_attribute_stats", "pg_restore_relation_stats",
}  # fmt: skip
ADVISORY = (
    "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared",
    "pg_try_advisory_lock", "pg_try_advisory_lock_shared", "pg_try_advisory_xact_lock",
    "pg_try_advisory_xact_lock_shared", "pg_advisory_unlock", "pg_advisory_unlock_shared",
)  # fmt: skip
# The words of SECURITY.md about each, and a call that succeeds; later ones use the objects of the first.
ADMITTED = {
    "lo_creat": ("large objects", "-1"),
    "lo_create": ("large objects", "4711"),
    "lo_from_bytea": ("large objects", "4712, 'x'"),
    "lo_put": ("large objects", "4711, 0, 'x'"),
    "lowrite": ("large objects", "lo_open(4711, 131072), 'x'"),
    "lo_truncate": ("large objects", "lo_open(4711, 131072), 0"),
    "lo_truncate64": ("large objects", "lo_open(4711, 131072), 0"),
    "lo_unlink": ("large objects", "4711"),
    "pg_notify": ("notifications", "'channel', 'x'"),
    "pg_logical_emit_message": ("messages in the write-ahead log", "true, 'x', 'x'"),
    "pg_export_snapshot": ("snapshots", ""),
    **dict.fromkeys(ADVISORY, ("advisory locks", "4711")),
    "pg_advisory_unlock_all": ("advisory locks", ""),
}  # fmt: skip
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"


def refused(connection: asyncpg.Connection) -> dict[str, str]:
    """Return those of REFUSED that the server has."""
    missing = NEW if connection.get_server_version().major < 18 else set()
    return {name: arguments for name, arguments in REFUSED.items() if name not in missing}


async def contents(owner: asyncpg.Connection) -> dict[str, str]:
    """Return a digest of each table of the board."""
    digest = "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {} t"
    return {table: await owner.fetchval(digest.format(table)) for (table,) in await owner.fetch(TABLES)}


async def test_every_function_that_changes_something_is_known(shared_database: str, reading: Reading) -> None:
    connection = await asyncpg.connect(reading(shared_database))
    found = {row[0] for row in await connection.fetch(VOLATILE)}
    await connection.close()
    assert {name for name in found if not HARMLESS.fullmatch(name)} == refused(connection).keys() | ADMITTED.keys()


async def test_what_could_change_the_board_is_refused(database: str, reading: Reading) -> None:
    owner, reader = await asyncpg.connect(database), await asyncpg.connect(reading(database))
    succeeded = []
    for name, arguments in refused(reader).items():
        values = [owner.get_server_pid()] if "$1" in arguments else []
        try:
            await reader.fetch(f"SELECT {name}({arguments})", *values)
            succeeded.append(name)
        except asyncpg.UndefinedFunctionError:
            raise
        except asyncpg.PostgresError:
            continue
    assert succeeded == []
    assert await owner.fetchval("SELECT count(*) FROM pg_replication_slots") == 0
    await reader.close()
    await owner.close()


async def test_what_succeeds_changes_no_row_of_the_board_and_is_admitted(database: str, reading: Reading) -> None:
    owner, reader = await asyncpg.connect(database), await asyncpg.connect(reading(database))
    before = await contents(owner)
    promise = " ".join((CHECKOUT / "SECURITY.md").read_text().split())
    for name, (words, arguments) in ADMITTED.items():
        async with reader.transaction():
            await reader.fetch(f"SELECT {name}({arguments})")
        assert words in promise
    assert await contents(owner) == before
    await reader.close()
    await owner.close()
