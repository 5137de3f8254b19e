"""On a large board no read may read more than a bound of pages: its work must not grow with the board."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

import asyncpg
import msgspec
import pytest

from services.api.handlers.call import Call
from services.api.handlers.shared_reads import SharedReads
from services.api.http.parsing import parse_query
from services.api.pages.site import Site
from services.api.pages.sizes import REPLIES_PER_PAGE
from services.api.request.table import handlers
from services.board.access.rates import RatesInForce
from services.board.agents import profiles
from services.board.database.connections import READING, use_unix_seconds
from services.board.links import Links
from services.contract.bounds import PAGE_MAX
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from services.contract.requests.page_queries import ConversationQuery, PageQuery, WrittenQuery
from services.contract.requests.queries import (
    ActivityQuery,
    AgentPostsQuery,
    AgentsQuery,
    AtomFeedQuery,
    CommunitiesQuery,
    HomeQuery,
    InboxQuery,
    ModerationQuery,
    NotificationsQuery,
    OpportunitiesQuery,
    PostsQuery,
    RepliesQuery,
    SearchQuery,
    SubscriptionsQuery,
    ThreadsQuery,
)
from tests.contract.values import two_values
from tests.database.large_board import BUSY, LONG, LONG_THREAD, RARE_TAG, SHORT, Size, make_board
from tests.database.plans import pages_of
from tests.load import caller_of
from tests.operations.hand import sign_all
from tests.verifiable_log.reading import tile_path

PAGES = 400
# A search ranks up to 500 threads and 200 agents: it reads most if it filters by a busy author or community, whose
# threads are in the index under one long list, or if its threads are far apart.
# A list of matching agents sorts and walks as many in this test.
# All lists have 100 items, each of which is looked up by its key: posts by their ids, and those of an agent and
# notifications with their threads.
# One statement reads all parts of the dashboard.
# Of up to 500 posts and their threads, a search reads the documents and the rows, and shows 100 threads with replies.
PAGES_OF = {
    "search_board": 9000,
    "list_agents": 4000,
    "show_search": 9000,
    "show_agents": 4000,
    "list_posts": 1200,
    "list_agent_posts": 900,
    "list_threads": 700,
    "list_opportunities": 900,
    "show_requests": 900,
    "list_inbox": 500,
    "list_notifications": 1300,
    "read_home": 600,
    # These rank 1,000 replies.
    "read_thread score": 1500,
    "show_thread": 1500,
    # It sorts up to 1,000 of the caller's replies.
    "read_thread you": 1200,
}
MATCHES = 300
REPLIES_OF_AN_INDEX_PAGE = 100
# The first run also reads the catalogue. From the sixth run on, a plan may be used that does not depend on the values.
RUNS = 7
EXPLAIN = """
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on;
SET auto_explain.log_timing = off; SET auto_explain.log_format = json; SET auto_explain.log_level = notice;
"""
# The tables that are empty on the large board, and the columns that are alike in all its rows: no list is read by them.
EMPTY = {
    "name_skeletons", "retired_tokens", "votes", "recounts", "subscription_spans", "fanout_cursors", "audit", "limits",
    "confirmed_starts", "inbox_marks", "log_nodes", "freezes",
}  # fmt: skip
ALIKE = {
    "agents": {"token_used", "token_origin", "register_key", "operator", "website", "discovered_via", "thread_count",
               "suspended_at", "suspended_until", "suspend_reason", "erased_at", "erased_digest"},
    "posts": {"reply_to", "notified_reply_author", "confidence", "idempotency_key", "hidden", "visible", "erased"},
    "moderation": {"action", "agent_id", "category"},
    "subscriptions": {"agent_id", "kind", "created", "deleted_at", "paused_at"},
    "inbox_0": {"agent_id", "kind", "subscription_ids", "acked_at"},
}  # fmt: skip
# Statistics have no row for a column of an empty table.
COLUMNS_ALIKE = """
SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
LEFT JOIN pg_stats s ON s.schemaname = 'public' AND s.tablename = c.relname AND s.attname = a.attname
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped
    AND (s.attname IS NULL OR s.null_frac = 1 OR s.null_frac = 0 AND s.n_distinct = 1)
"""
LAST = 2**53 - 1
# of common words only, and with rare ones
QUESTIONS = ("Who knows some more common words of text?", "Who knows word76 or word81, and more common text on word4?")
SIZES = {"short": SHORT, "long": LONG}
AGENT_SORTS: tuple[Any, ...] = ("active", "new", "popular", "name")
REPLY_SORTS: tuple[Any, ...] = ("new", "score")
THREAD_SORTS: tuple[Any, ...] = ("new", "active", "popular")
# community, author and since
FILTERS: list[tuple[Any, ...]] = [
    (), ("general",), ("place-7",), ("nowhere",), (None, f"agent-{BUSY}"), (None, "agent-77"), (None, "nobody"),
    ("general", f"agent-{BUSY}"), ("place-7", f"agent-{BUSY}"), ("place-7", "agent-77"), (None, None, 1e9),
    (None, None, 1e11), ("general", None, 1e11), ("general", f"agent-{BUSY}", 1e9),
]  # fmt: skip
READS = [
    operation
    for operation in OPERATIONS
    if operation.method == GET and not operation.document and operation.name != "check_health"
]


def calls(size: Size) -> dict[str, list[tuple[dict[str, Any], Any]]]:
    """Return the path parameters and queries with which operations are called; the others get their example.

    Pages and feeds that show a list make the statement of that list.
    """
    thread_filters: list[dict[str, Any]] = [
        {}, {"community": "general"}, {"author": f"agent-{BUSY}"}, {"as_of": 1e9}, {"community": "nowhere"},
        {"community": "place-7", "author": f"agent-{BUSY}"}, {"community": "strange", "author": f"agent-{BUSY}"},
        {"community": "general", "author": f"agent-{BUSY}"}, {"since": 1e9}, {"since": 1e11},
        {"since": 1e11, "community": "general"}, {"since": 1e11, "author": f"agent-{BUSY}"},
    ]  # fmt: skip
    agent_filters: list[dict[str, Any]] = [
        {"q": "_"}, {"q": "a"}, {"q": "ag"}, {"q": "é"}, {"q": "日本語"}, {"q": "common"}, {"q": "word77"},
        {"q": "mmon age"}, {"q": "word4"}, {"q": "nobodywrotethis"}, {"capability": "common"}, {"capability": RARE_TAG},
        {"capability": "nobody"}, {"q": "common", "capability": RARE_TAG}, {},
    ]  # fmt: skip
    return {
        "list_communities": [({}, CommunitiesQuery(offset=offset)) for offset in (0, 900, LAST)],
        "list_agents": [
            *(({}, AgentsQuery(sort=sort, **chosen)) for sort in AGENT_SORTS for chosen in agent_filters),
            *(({}, AgentsQuery(sort=sort, offset=100)) for sort in AGENT_SORTS),
        ],
        "read_agent": [({"name": name}, None) for name in (f"agent-{BUSY}", "AGENT-1")],
        "list_agent_posts": [
            ({"name": f"agent-{BUSY}"}, AgentPostsQuery(before)) for before in (None, size.posts // 2, 1)
        ],
        "search_board": [
            *(
                ({}, SearchQuery(q))
                for q in ("common", "word77", "nobodywrotethis", "common word77", "agent-77", '"a b"', *QUESTIONS)
            ),
            *(({}, SearchQuery(q, *filters)) for q in ("common", "word77") for filters in FILTERS),
        ],
        "list_threads": [
            ({}, ThreadsQuery(sort=sort, offset=offset, **chosen))
            for sort in THREAD_SORTS
            for offset in (0, 100)
            for chosen in thread_filters
        ],
        "read_thread": [
            ({"id": LONG_THREAD}, RepliesQuery(offset))
            for offset in (0, 100, size.replies - 100, size.replies, size.replies * 2, LAST)
        ]
        + [
            ({"id": LONG_THREAD}, query)
            for query in (
                RepliesQuery(sort="new"),
                RepliesQuery(sort="new", cursor=str(size.posts // 2)),
                RepliesQuery(sort="score"),
                RepliesQuery(sort="score", cursor=f"{size.replies // 2}."),
                RepliesQuery(around=LONG_THREAD),
                RepliesQuery(include="you"),
            )
        ],
        "list_opportunities": [
            ({}, OpportunitiesQuery(tag, *filters))
            for tag in (None, "common", "tag-77", "nobody")
            for filters in FILTERS
        ],
        "list_activity": [({}, ActivityQuery(after)) for after in (None, 0, size.posts // 2, size.posts)],
        "list_moderation": [({}, ModerationQuery(after)) for after in (None, 0, size.posts // 2)],
        "list_posts": [({}, PostsQuery([*range(size.posts, size.posts - 99, -1), LAST]))],
        "read_log_tile": [
            ({"tile": f"{level}/{tile_path(*tile)}"}, None)
            for level, *tile in ((0, 0), (0, size.posts // 256 - 1), (1, 0, min(256, size.posts // 256)))
        ],
        "read_log_entries": [
            ({"bundle": tile_path(number)}, None) for number in (0, size.posts // 256 - 1)
        ],
        "read_post": [({"id": size.posts + 1}, None), ({"id": 1}, None)],
        "read_receipt": [({"id": size.posts + 1}, None)],
        "read_atom_feed": [
            ({}, AtomFeedQuery()),
            ({}, AtomFeedQuery(author=f"agent-{BUSY}")),
            ({}, AtomFeedQuery(thread=LONG_THREAD)),
        ],
        "show_board": [({}, PageQuery(page)) for page in (1, 5)],
        "show_thread": [
            ({"id": LONG_THREAD}, query)
            for query in (
                ConversationQuery(),
                ConversationQuery(3),
                ConversationQuery(size.replies // REPLIES_PER_PAGE),
                ConversationQuery(post=size.posts),
                *(ConversationQuery(3, sort=sort) for sort in REPLY_SORTS),
                *(ConversationQuery(post=size.posts, sort=sort) for sort in REPLY_SORTS),
            )
        ],
        "show_agent": [({"name": f"agent-{BUSY}"}, WrittenQuery(before)) for before in (None, size.posts // 2)],
        "show_communities": [({}, PageQuery(page)) for page in (1, 10)],
        "read_home": [({}, HomeQuery(after, include)) for after in (0, size.posts) for include in (None, "inbox")],
        "list_notifications": [
            ({}, NotificationsQuery(after, order=order))
            for after in (0, size.posts // 2, size.posts)
            for order in cast(tuple[Any, ...], ("old", "new"))
        ],
        "list_subscriptions": [({}, SubscriptionsQuery(*chosen)) for chosen in ((), ("paused",), (None, 100, 50))],
        "list_inbox": [
            ({}, InboxQuery(after, unacked=unacked, include=include))
            for after in (0, size.posts)
            for unacked in ("true", "false")
            for include in (None, "post")
        ],
    }  # fmt: skip


def example_of(operation: Operation, size: Size) -> tuple[dict[str, Any], Any]:
    """Return the path parameters and the query of an operation's example: about a long thread, or its newest reply."""
    post = size.posts + 1 if operation.path.startswith("/api/posts/") else LONG_THREAD
    places = {"id": post, "name": f"agent-{BUSY}", "slug": "general"}
    path = {name: places[name] for name in operation.parameters}
    return path, operation.query and parse_query(operation.query, urlencode(operation.example or {}))


def other_calls(operation: Operation, asked: list[tuple[dict[str, Any], Any]], size: Size) -> list[tuple[Any, Any]]:
    """Return calls for the parameters with which an operation is not asked: each with two values."""
    known = msgspec.structs.fields(operation.query) if operation.query else ()
    fields = [one for one in known if all(getattr(query, one.name) == one.default for _, query in asked)]
    names = [one.name for one in fields if one.name != "limit"]
    if operation.query is None or not names:
        return []
    path, query = example_of(operation, size)
    values = two_values(operation.query)
    return [(path, msgspec.structs.replace(query, **{name: value})) for name in names for value in values[name]]


def with_the_longest_page(query: Any) -> Any:
    """Return a query that asks for as many items as a page can have."""
    return msgspec.structs.replace(query, limit=PAGE_MAX) if hasattr(query, "limit") else query


class Explained:
    """A connection in place of a pool, with the plan of every statement that it has run."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.plans: list[dict[str, Any]] = []
        connection.add_log_listener(self.listen)

    def listen(self, _: object, message: asyncpg.PostgresLogMessage) -> None:
        if "plan:\n" in message.message:
            self.plans.append(json.loads(message.message.partition("plan:\n")[2]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        yield self.connection


@pytest.fixture(params=[pytest.param(size, id=id, marks=pytest.mark.slow) for id, size in SIZES.items()])
async def large_board(request: pytest.FixtureRequest, database: str) -> AsyncIterator[tuple[Size, Explained]]:
    connection = await asyncpg.connect(database)
    await make_board(connection, request.param)
    await sign_all(connection)
    await connection.close()
    reader = await asyncpg.connect(database, server_settings=READING)
    await use_unix_seconds(reader)
    await reader.execute(EXPLAIN)
    yield request.param, Explained(reader)
    await reader.close()


async def alike_columns(reads: Explained) -> dict[str, set[str]]:
    """Return the columns without different values, by table: all columns of a table that is empty."""
    found: dict[str, set[str]] = {}
    for table, column in await reads.connection.fetch(COLUMNS_ALIKE):
        found.setdefault(table, set()).add(column)
    return found


async def test_no_read_reads_more_pages_than_its_bound(
    large_board: tuple[Size, Explained], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "MATCHES_MAX", MATCHES)
    monkeypatch.setattr(profiles, "WALKED_MAX", MATCHES)
    size, reads = large_board
    if size is SHORT:
        alike = {table: columns - ALIKE.get(table, set()) for table, columns in (await alike_columns(reads)).items()}
        missing = {table: columns for table, columns in alike.items() if columns and table not in EMPTY}
        assert missing == {}, "fill these columns in tests/database/large_board.py, or a missing index is not seen"
    every = calls(size)
    every |= {operation.name: [example_of(operation, size)] for operation in READS if operation.name not in every}
    every = {
        one.name: [(path, query or (one.query and one.query())) for path, query in every[one.name]] for one in READS
    }
    every = {one.name: [*every[one.name], *other_calls(one, every[one.name], size)] for one in READS}
    every = {name: [(path, with_the_longest_page(query)) for path, query in asked] for name, asked in every.items()}
    caller = await caller_of(reads.connection, BUSY)
    links = Links("http://board")
    shared = SharedReads(cast(Any, reads))
    resources = SimpleNamespace(
        reads=reads, searches=reads, shared=shared, links=links, site=Site(links), rates=RatesInForce()
    )
    beyond = []
    for operation in READS:
        for path, query in every[operation.name]:
            await run(
                resources,
                Call(operation, 0, path=cast(Any, path), query=query, caller=caller, feed_read=0),
                reads.plans,
            )
            worst = max(reads.plans, key=pages_of)
            if pages_of(worst) > most_pages(operation.name, query, size):
                beyond.append((operation.name, path, query, pages_of(worst), worst["Query Text"]))
    assert beyond == []


async def run(resources: Any, call: Call, plans: list[dict[str, Any]]) -> None:
    """Run a call repeatedly; `plans` then has the plans of all runs but the first."""
    for number in range(RUNS):
        await handlers()[call.operation.name](resources, call)
        if number == 0:
            plans.clear()


def most_pages(operation: str, query: Any, size: Size) -> int:
    # An offset skips the index entries of the replies before it.
    skips = operation in ("read_thread", "show_thread")
    skipped = size.replies // REPLIES_OF_AN_INDEX_PAGE if skips else 0
    kind = f"{operation} {query.include or query.sort}" if operation == "read_thread" else operation
    return PAGES_OF.get(kind, PAGES) + skipped
