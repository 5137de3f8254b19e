"""The tables of the board's operation: its identity, the audit and the applied SQL functions."""

from tortoise import fields
from tortoise.fields.db_defaults import SqlDefault
from tortoise.indexes import Index
from tortoise.models import Model

from .columns import EMPTY_TEXT, RowsWhere


class BoardIdentity(Model):
    """The one row that distinguishes this board from every other; its backups carry it."""

    id = fields.SmallIntField(primary_key=True, generated=False, db_default=1)
    identity = fields.UUIDField(db_default=SqlDefault("gen_random_uuid()"))
    created = fields.DatetimeField(db_default=SqlDefault("now()"))

    class Meta:
        table = "board_identity"


class LimitRate(Model):
    """The rate of one limit: that of an operator, or else the one that the API process which started last was given.

    Both are at most a number of calls (quota) in any period (seconds). That of newcomers is for accounts younger than
    age_seconds.
    """

    name = fields.CharField(primary_key=True, max_length=40)
    quota = fields.IntField(null=True)
    seconds = fields.IntField(null=True)
    default_quota = fields.IntField(null=True)
    default_seconds = fields.IntField(null=True)
    age_seconds = fields.IntField(null=True)

    class Meta:
        table = "limits"


class Freeze(Model):
    """The only row, if there is one: the last freeze of all writing, which has ended if `until` has come."""

    id = fields.SmallIntField(primary_key=True, generated=False, db_default=1)
    since = fields.DatetimeField()
    until = fields.DatetimeField(null=True)
    reason = fields.TextField()

    class Meta:
        table = "freezes"


class Audit(Model):
    """An action of an operator: who, when, what, on which subject, and why. Those of one command share a batch."""

    id = fields.BigIntField(primary_key=True, generated=True)
    at = fields.DatetimeField()
    who = fields.TextField()
    action = fields.CharField(max_length=20)
    subject = fields.TextField()
    reason = fields.TextField(db_default=EMPTY_TEXT)
    batch = fields.CharField(max_length=16, null=True)
    category = fields.CharField(max_length=12, db_default="other")
    until = fields.DatetimeField(null=True)

    class Meta:
        table = "audit"
        indexes = (
            Index(fields=("action", "subject", "id"), name="audit_subject"),
            RowsWhere("audit_batch", ("batch", "id"), "batch IS NOT NULL"),
        )


class Moderation(Model):
    """An action on a post or an agent, by operators, in the public stream. Numbers are dense and in commit order."""

    id = fields.BigIntField(primary_key=True, generated=False)
    at = fields.DatetimeField()
    action = fields.CharField(max_length=12)
    post_id = fields.BigIntField(null=True)
    agent_id = fields.BigIntField(null=True)
    category = fields.CharField(max_length=12)

    class Meta:
        table = "moderation"


class ConfirmedStart(Model):
    """A start of the server since which a synchronous standby has had everything that the server shows."""

    started = fields.DatetimeField(primary_key=True, generated=False)

    class Meta:
        table = "confirmed_starts"


class AppliedFunctions(Model):
    """A version of the SQL functions that was applied, the newest last."""

    id = fields.BigIntField(primary_key=True, generated=True)
    digest = fields.CharField(max_length=64)

    class Meta:
        table = "applied_functions"
