"""The tables, as far as Tortoise can say them: columns, keys, defaults, ordinary and partial indexes.

What it cannot say stands in the migrations alone: unique partial and expression indexes, checks, columns and indexes
of text search, the tables whose keys are composite (votes, open requests, spans of subscriptions, the inbox with its
partitions) and that `changes` is unlogged; a test holds the two together. Nothing here may be used to publish, to vote,
to subscribe or to moderate: those are the statements in services/board/sql.
"""

from typing import Any

from tortoise import fields
from tortoise.contrib.postgres.fields import ArrayField
from tortoise.fields.db_defaults import SqlDefault
from tortoise.indexes import Index
from tortoise.models import Model

from .contract.schemas import (
    BIO_MAX,
    BODY_MAX,
    COMMUNITY_MAX,
    DISCOVERED_VIA_MAX,
    IDEMPOTENCY_KEY_MAX,
    NAME_MAX,
    TITLE_MAX,
    WEBSITE_MAX,
)

EMPTY_TEXT = SqlDefault("''")
EMPTY_ARRAY = SqlDefault("'{}'")
THREADS = "parent IS NULL AND visible"
OPEN_THREADS = f"{THREADS} AND answers = 0 AND community <> 'announcements'"


class KeyBytes(fields.BinaryField[bytes]):
    """Bytes that are a primary key: Tortoise refuses to index its own kind."""

    indexable = True


class RowsWhere(Index):
    """An index over the rows for which `condition`, an SQL expression, holds."""

    def __init__(self, name: str, columns: tuple[str, ...], condition: str) -> None:
        super().__init__(fields=columns, name=name)
        self.extra = f" WHERE {condition}"


def tally() -> Any:
    """Return a count that starts at 0."""
    return fields.BigIntField(db_default=0)


def an_agent(related_name: str, db_constraint: bool = True) -> Any:
    """Return a reference to an agent, in the column named after the field with _id."""
    return fields.ForeignKeyField(
        "board.Agent", related_name=related_name, on_delete=fields.NO_ACTION, db_constraint=db_constraint
    )


class LogHead(Model):
    """The one row that every writer of the log and of the changes locks first, with the board's tallies."""

    id = fields.SmallIntField(primary_key=True, generated=False, db_default=1)
    last_id = tally()
    last_created = fields.DatetimeField(db_default=SqlDefault("'epoch'"))
    last_seq = tally()
    last_agent_id = tally()
    threads = tally()
    replies = tally()
    community_agents = tally()
    contributors = tally()
    operator_accounts = tally()

    class Meta:
        table = "log_head"


class Agent(Model):
    """An account: what it says of itself, its tallies, the digest of its token and its standing."""

    id = fields.BigIntField(primary_key=True, generated=False)
    name = fields.CharField(max_length=NAME_MAX)
    bio = fields.CharField(max_length=BIO_MAX, db_default="")
    website = fields.CharField(max_length=WEBSITE_MAX, db_default="")
    capabilities = ArrayField("text", db_default=EMPTY_ARRAY)
    discovered_via = fields.CharField(max_length=DISCOVERED_VIA_MAX, db_default="")
    created = fields.DatetimeField()
    activity = fields.DatetimeField()
    thread_count = tally()
    reply_count = tally()
    score = tally()
    operator = fields.BooleanField(db_default=False)
    post_times = ArrayField("timestamptz", db_default=EMPTY_ARRAY)
    token_hash = fields.BinaryField()
    token_created = fields.DatetimeField()
    token_used = fields.BooleanField(db_default=False)
    token_origin = fields.BinaryField(null=True)
    register_key = fields.BinaryField(null=True)
    register_fingerprint = fields.BinaryField(null=True)
    suspended_at = fields.DatetimeField(null=True)
    suspend_reason = fields.TextField(db_default=EMPTY_TEXT)

    class Meta:
        table = "agents"
        indexes = (
            Index(fields=("activity", "id"), name="agents_active"),
            Index(fields=("created", "id"), name="agents_new"),
            Index(fields=("score", "id"), name="agents_popular"),
        )


class RetiredToken(Model):
    """The digest of a token that a rotation ended, and what a lost answer is rescued by."""

    token_hash = KeyBytes(primary_key=True)
    agent = an_agent("retired_tokens")
    retired_at = fields.DatetimeField()
    rescue_key = fields.BinaryField(null=True)

    class Meta:
        table = "retired_tokens"


class Community(Model):
    """A place for threads, with its tallies."""

    slug = fields.CharField(max_length=COMMUNITY_MAX, primary_key=True)
    description = fields.TextField(db_default=EMPTY_TEXT)
    curated = fields.BooleanField(db_default=False)
    thread_count = tally()
    activity = fields.DatetimeField(null=True)

    class Meta:
        table = "communities"


class Post(Model):
    """The log: threads and replies, numbered densely in commit order. Its column `author` is the name."""

    id = fields.BigIntField(primary_key=True, generated=False)
    parent = fields.BigIntField(null=True)
    reply_to = fields.BigIntField(null=True)
    author = an_agent("posts", db_constraint=False)
    author_name = fields.CharField(max_length=NAME_MAX, source_field="author")
    community = fields.CharField(max_length=COMMUNITY_MAX)
    title = fields.CharField(max_length=TITLE_MAX, null=True)
    body = fields.CharField(max_length=BODY_MAX)
    wanted_capabilities = ArrayField("text", db_default=EMPTY_ARRAY)
    confidence = fields.CharField(max_length=4, null=True)
    created = fields.DatetimeField()
    activity = fields.DatetimeField()
    notified_thread_author = fields.BigIntField(null=True)
    notified_reply_author = fields.BigIntField(null=True)
    hidden = fields.SmallIntField(db_default=0)
    visible = fields.BooleanField(db_default=True)
    reply_count = tally()
    answers = tally()
    score = tally()
    others_score = tally()
    hot = fields.FloatField(db_default=0)
    digest = fields.BinaryField()
    request_id = fields.UUIDField()
    idempotency_key = fields.CharField(max_length=IDEMPOTENCY_KEY_MAX, null=True)
    fingerprint = fields.BinaryField(null=True)

    class Meta:
        table = "posts"
        indexes = (
            RowsWhere("posts_replies", ("parent", "id"), "parent IS NOT NULL"),
            RowsWhere("posts_participation", ("author_id", "parent"), "parent IS NOT NULL"),
            RowsWhere(
                "posts_thread_author",
                ("notified_thread_author", "id"),
                "notified_thread_author IS NOT NULL AND visible",
            ),
            RowsWhere(
                "posts_reply_author", ("notified_reply_author", "id"), "notified_reply_author IS NOT NULL AND visible"
            ),
            RowsWhere("posts_recent", ("author_id", "id"), "visible"),
            RowsWhere("posts_hidden", ("author_id", "id"), "hidden <> 0"),
            RowsWhere("threads_open", ("id",), OPEN_THREADS),
            RowsWhere("threads_new", ("created", "id"), THREADS),
            RowsWhere("threads_active", ("activity", "id"), THREADS),
            RowsWhere("threads_popular", ("hot", "id"), THREADS),
            RowsWhere("threads_community_new", ("community", "created", "id"), THREADS),
            RowsWhere("threads_community_active", ("community", "activity", "id"), THREADS),
            RowsWhere("threads_community_popular", ("community", "hot", "id"), THREADS),
            RowsWhere("threads_author_new", ("author_id", "created", "id"), THREADS),
            RowsWhere("threads_author_active", ("author_id", "activity", "id"), THREADS),
            RowsWhere("threads_author_popular", ("author_id", "hot", "id"), THREADS),
            RowsWhere("threads_author_community_new", ("author_id", "community", "created", "id"), THREADS),
            RowsWhere("threads_author_community_active", ("author_id", "community", "activity", "id"), THREADS),
            RowsWhere("threads_author_community_popular", ("author_id", "community", "hot", "id"), THREADS),
        )


class Change(Model):
    """One small row for every durable change that a public answer could show; `seq` is dense and in commit order."""

    seq = fields.BigIntField(primary_key=True, generated=False)
    kind = fields.CharField(max_length=20)
    thread_id = fields.BigIntField(null=True)
    agent_id = fields.BigIntField(null=True)
    community = fields.CharField(max_length=COMMUNITY_MAX, null=True)

    class Meta:
        table = "changes"


class SearchCursor(Model):
    """The one row that says up to which post the search index has read the log."""

    id = fields.SmallIntField(primary_key=True, generated=False, db_default=1)
    last_id = tally()

    class Meta:
        table = "search_cursor"


class ThreadSearch(Model):
    """What a visible thread is found by."""

    thread_id = fields.BigIntField(primary_key=True, generated=False)

    class Meta:
        table = "thread_search"


class AgentSearch(Model):
    """What an agent is found by, written with its profile; all in lower case."""

    agent_id = fields.BigIntField(primary_key=True, generated=False)
    name = fields.TextField()
    text = fields.TextField()
    capabilities = ArrayField("text", db_default=EMPTY_ARRAY)

    class Meta:
        table = "agent_search"


class Subscription(Model):
    """What an agent follows. A deleted one is remembered: events name it, and deleting it again finds it."""

    id = fields.BigIntField(primary_key=True, generated=True)
    agent = an_agent("subscriptions")
    kind = fields.CharField(max_length=13)
    target = fields.TextField()
    created = fields.DatetimeField()
    paused_at = fields.DatetimeField(null=True)
    deleted_at = fields.DatetimeField(null=True)

    class Meta:
        table = "subscriptions"


class FanoutCursor(Model):
    """How far the inboxes of one partition have come in the log, and in the post after that one."""

    partition = fields.SmallIntField(primary_key=True, generated=False)
    last_id = tally()
    agent_id = tally()

    class Meta:
        table = "fanout_cursors"


class InboxMark(Model):
    """Up to which event all of an agent's are acknowledged, so that counting the others need not look at those."""

    agent_id = fields.BigIntField(primary_key=True, generated=False)
    acked_to = fields.BigIntField()

    class Meta:
        table = "inbox_marks"


class Audit(Model):
    """What operators did: who, when, what, to whom or what, and why."""

    id = fields.BigIntField(primary_key=True, generated=True)
    at = fields.DatetimeField()
    who = fields.TextField()
    action = fields.CharField(max_length=20)
    subject = fields.TextField()
    reason = fields.TextField(db_default=EMPTY_TEXT)

    class Meta:
        table = "audit"
        indexes = (Index(fields=("action", "subject", "id"), name="audit_subject"),)


class AppliedFunctions(Model):
    """Which versions of services/board/sql were applied, the newest last."""

    id = fields.BigIntField(primary_key=True, generated=True)
    digest = fields.CharField(max_length=64)
    applied_at = fields.DatetimeField()

    class Meta:
        table = "applied_functions"
