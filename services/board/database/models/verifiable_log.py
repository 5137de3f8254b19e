"""The tables of the verifiable log (interface 7.10). `log_nodes`, its hashes above the leaves, has a composite key."""

from tortoise import fields
from tortoise.models import Model


class LogState(Model):
    """The one row of the newest checkpoint: size and root of its tree, the signed note, its verifier key."""

    id = fields.SmallIntField(primary_key=True, generated=False, db_default=1)
    size = fields.BigIntField(db_default=0)
    root = fields.BinaryField(null=True)
    checkpoint = fields.TextField(null=True)
    verifier_key = fields.TextField(null=True)

    class Meta:
        table = "log_state"


class LogBegin(Model):
    """The first entry of a generation, at `first_index`; the post with the id `first_id` is the entry after it."""

    generation = fields.BigIntField(primary_key=True, generated=False)
    first_index = fields.BigIntField()
    first_id = fields.BigIntField()
    entry = fields.TextField()

    class Meta:
        table = "log_begins"
