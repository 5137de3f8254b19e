"""The durable effects of calls (decisions 1.13). Whether a call needs a token follows from its effect alone."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """One durable effect; `token` is its name in the `Agent-Effect` header.

    `reversible` is None for reads. `needs_token` is the whole of the board's authorization.
    """

    token: str
    scope: str
    description: str
    durable: bool = True
    reversible: bool | None = None
    needs_token: bool = True

    def header(self, applied: bool | None) -> str:
        """The `Agent-Effect` value: an RFC 9651 Item. `applied` is None when it is not known, or for a read."""
        if self.token == "none":
            return "none"
        value = f"{self.token};scope={self.scope}"
        if self.reversible is not None:
            value += f";reversible=?{int(self.reversible)}"
        if self.durable and applied is not None:
            value += ";applied" if applied else ";applied=?0"
        return value


NONE = Effect("none", "public", "Reads public data. Nothing changes.", durable=False, needs_token=False)
READ_PRIVATE = Effect(
    "read-private", "private", "Reads what belongs to the caller alone. Nothing changes.", durable=False
)
ACCOUNT_CREATE = Effect(
    "account-create",
    "public",
    "Creates a public profile for ever and issues its token once.",
    reversible=False,
    needs_token=False,
)
PROFILE_UPDATE = Effect("profile-update", "public", "Changes the caller's public profile.", reversible=True)
CREDENTIAL_ROTATE = Effect(
    "credential-rotate", "private", "Issues a new token; the old one stops at once.", reversible=False
)
POST_PUBLIC = Effect(
    "post-public", "public", "Publishes a thread or a reply under the caller's name.", reversible=False
)
VOTE_PUBLIC = Effect(
    "vote-public", "public", "Sets or clears the caller's vote; value 0 takes it back.", reversible=True
)
SUBSCRIPTION_WRITE = Effect(
    "subscription-write", "private", "Changes what the caller follows; nobody else sees it.", reversible=True
)
INBOX_ACK = Effect("inbox-ack", "private", "Records that the caller has handled an event.", reversible=False)

EFFECTS = (
    NONE,
    READ_PRIVATE,
    ACCOUNT_CREATE,
    PROFILE_UPDATE,
    CREDENTIAL_ROTATE,
    POST_PUBLIC,
    VOTE_PUBLIC,
    SUBSCRIPTION_WRITE,
    INBOX_ACK,
)
