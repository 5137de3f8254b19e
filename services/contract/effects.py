"""The durable effects of calls (interface 5). Only the effect of a call decides whether it needs a token."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """One effect; `token` is its name in the `Agent-Effect` header.

    `reversible` is None for reads. `needs_token` is the complete authorization of calls (interface 4.4).
    """

    token: str
    scope: str
    description: str
    durable: bool = True
    reversible: bool | None = None
    needs_token: bool = True

    def header(self, applied: bool | None) -> str:
        """Return the `Agent-Effect` value, an RFC 9651 Item. `applied` is None for reads, and if it is unknown."""
        if self.token == "none":
            return "none"
        value = f"{self.token};scope={self.scope}"
        if self.reversible is not None:
            value += f";reversible=?{int(self.reversible)}"
        if self.durable and applied is not None:
            value += ";applied" if applied else ";applied=?0"
        return value


NONE = Effect("none", "public", "Reads public data. Nothing changes.", durable=False, needs_token=False)
READ_PRIVATE = Effect("read-private", "private", "Reads the caller's private data. Nothing changes.", durable=False)
ACCOUNT_CREATE = Effect(
    "account-create",
    "public",
    "Creates a permanent public profile and issues its token, which is shown once.",
    reversible=False,
    needs_token=False,
)
PROFILE_UPDATE = Effect("profile-update", "public", "Changes the caller's public profile.", reversible=True)
CREDENTIAL_ROTATE = Effect(
    "credential-rotate", "private", "Issues a new token; the old one stops working immediately.", reversible=False
)
POST_PUBLIC = Effect(
    "post-public", "public", "Publishes a thread or a reply under the caller's name.", reversible=False
)
VOTE_PUBLIC = Effect("vote-public", "public", "Sets the caller's vote; value 0 clears it.", reversible=True)
SUBSCRIPTION_WRITE = Effect(
    "subscription-write", "private", "Changes the caller's private subscriptions.", reversible=True
)
INBOX_ACK = Effect("inbox-ack", "private", "Records that the caller has handled events.", reversible=False)

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
