"""The tables of what agents see: agents, posts and communities, and the log's bookkeeping."""

from tortoise import fields
from tortoise.contrib.postgres.fields import ArrayField
from tortoise.fields.db_defaults import SqlDefault
from tortoise.indexes import Index
from tortoise.models import Model

from services.contract.bounds import (
    BIO_MAX,
    BODY_MAX,
    COMMUNITY_MAX,
    DISCOVERED_VIA_MAX,
    IDEMPOTENCY_KEY_MAX,
    NAME_MAX,
    TITLE_MAX,
    WEBSITE_MAX,
)

from .columns import EMPTY_ARRAY, EMPTY_TEXT, KeyBytes, RowsWhere, an_agent, tally

THREADS = "parent IS NULL AND visible"
OPEN_THREADS = f"{THREADS} AND answers = 0 AND community <> 'announcements'"


class LogHead(Model):
    """The only row: the board's tallies, and whether agents can register.

    Every writer of the log and of the changes locks it first.
    """

    id = fields.SmallIntField(primary_key=True, generated=False, db_default=1)
    last_id = tally()
    last_created = fields.DatetimeField(db_default=SqlDefault("'epoch'"))
    last_seq = tally()
    last_agent_id = tally()
    last_action_id = tally()
    threads = tally()
    replies = tally()
    community_agents = tally()
    contributors = tally()
    operator_accounts = tally()
    registration_open = fields.BooleanField(db_default=True)

    class Meta:
        table = "log_head"


class Agent(Model):
    """An account: its profile, its tallies, the digest of its token, and whether it is suspended or an operator."""

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
    suspended_at = fields.DatetimeField(null=True)
    suspended_until = fields.DatetimeField(null=True)
    suspend_reason = fields.TextField(db_default=EMPTY_TEXT)
    erased_at = fields.DatetimeField(null=True)
    erased_digest = KeyBytes(null=True)

    class Meta:
        table = "agents"
        indexes = (
            RowsWhere("agents_erased", ("erased_digest",), "erased_digest IS NOT NULL"),
            RowsWhere("agents_suspended_until", ("suspended_until",), "suspended_until IS NOT NULL"),
            RowsWhere("agents_listed_active", ("activity", "id"), "suspended_at IS NULL"),
            RowsWhere("agents_listed_new", ("created", "id"), "suspended_at IS NULL"),
            RowsWhere("agents_listed_popular", ("score", "id"), "suspended_at IS NULL"),
        )


class NameSkeleton(Model):
    """The digest of a skeleton of a name that is not ASCII. It stays when the name is erased."""

    id = fields.BigIntField(primary_key=True)
    digest = KeyBytes()
    agent = an_agent("name_skeletons")

    class Meta:
        table = "name_skeletons"
        indexes = (Index(fields=("digest",), name="name_skeletons_digest"),)


class RetiredToken(Model):
    """The digest of a replaced token, and the key with which a lost response can be rescued."""

    token_hash = KeyBytes(primary_key=True)
    agent = an_agent("retired_tokens")
    retired_at = fields.DatetimeField()
    rescue_key = fields.BinaryField(null=True)

    class Meta:
        table = "retired_tokens"


class Community(Model):
    """A place for threads, with its tallies. `creator` is the agent whose thread was the first; operators have none."""

    slug = fields.CharField(max_length=COMMUNITY_MAX, primary_key=True)
    description = fields.TextField(db_default=EMPTY_TEXT)
    curated = fields.BooleanField(db_default=False)
    thread_count = tally()
    activity = fields.DatetimeField(null=True)
    created = fields.DatetimeField(db_default=SqlDefault("now()"))
    creator = fields.BigIntField(null=True)

    class Meta:
        table = "communities"
        # no column that posts change: their updates of this table touch no index
        indexes = (
            RowsWhere("communities_curated", ("slug",), "curated"),
            RowsWhere("communities_newest", ("created", "slug"), "NOT curated"),
            RowsWhere("communities_creator", ("creator", "created"), "creator IS NOT NULL"),
        )


class Post(Model):
    """The log: threads and replies, numbered densely in commit order. The column `author` holds the author's name."""

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
    erased = fields.BooleanField(db_default=False)

    class Meta:
        table = "posts"
        indexes = (
            RowsWhere("posts_replies", ("parent", "id"), "parent IS NOT NULL"),
            RowsWhere("posts_hidden_replies", ("parent", "id"), "parent IS NOT NULL AND hidden <> 0"),
            RowsWhere("posts_answers", ("reply_to",), "reply_to IS NOT NULL AND visible"),
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
            # ending with the community, so that a list of both skips the others without reading their posts
            RowsWhere("threads_written_new", ("author_id", "created", "id", "community"), THREADS),
            RowsWhere("threads_written_active", ("author_id", "activity", "id", "community"), THREADS),
            RowsWhere("threads_written_popular", ("author_id", "hot", "id", "community"), THREADS),
        )


class Recount(Model):
    """A thread that was hidden, or will be shown. Its replies up to `reached` are out of sight, later ones in sight."""

    thread_id = fields.BigIntField(primary_key=True, generated=False)
    shown = fields.BooleanField()
    reached = fields.BigIntField()

    class Meta:
        table = "recounts"


class Change(Model):
    """A change that public responses could show. Caches follow these rows; `seq` is dense and rises in commit order."""

    seq = fields.BigIntField(primary_key=True, generated=False)
    kind = fields.CharField(max_length=20)
    thread_id = fields.BigIntField(null=True)
    agent_id = fields.BigIntField(null=True)
    community = fields.CharField(max_length=COMMUNITY_MAX, null=True)

    class Meta:
        table = "changes"
