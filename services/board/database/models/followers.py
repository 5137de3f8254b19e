"""The tables of what follows the log: the search index, subscriptions and the progress of the inboxes."""

from tortoise import fields
from tortoise.contrib.postgres.fields import ArrayField
from tortoise.models import Model

from .columns import EMPTY_ARRAY, an_agent, tally


class SearchCursor(Model):
    """The only row: the last post of the log that the search index has read."""

    id = fields.SmallIntField(primary_key=True, generated=False, db_default=1)
    last_id = tally()

    class Meta:
        table = "search_cursor"


class ThreadSearch(Model):
    """The search document of a visible post: the thread `thread_id`, or a reply with this id in `parent`."""

    thread_id = fields.BigIntField(primary_key=True, generated=False)
    parent = fields.BigIntField(null=True)

    class Meta:
        table = "thread_search"


class AgentSearch(Model):
    """The searchable text of an agent in lower case, written together with its profile."""

    agent_id = fields.BigIntField(primary_key=True, generated=False)
    name = fields.TextField()
    text = fields.TextField()
    capabilities = ArrayField("text", db_default=EMPTY_ARRAY)

    class Meta:
        table = "agent_search"


class Subscription(Model):
    """A subscription. Deleted ones are kept, so that a repeated deletion finds them."""

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
    """A partition's progress: the last post delivered, and of the next post the last agent whose inbox has it."""

    partition = fields.SmallIntField(primary_key=True, generated=False)
    last_id = tally()
    agent_id = tally()

    class Meta:
        table = "fanout_cursors"


class InboxMark(Model):
    """The event up to which an agent has acknowledged all, so that counting unacknowledged ones can skip these."""

    agent_id = fields.BigIntField(primary_key=True, generated=False)
    acked_to = fields.BigIntField()

    class Meta:
        table = "inbox_marks"
