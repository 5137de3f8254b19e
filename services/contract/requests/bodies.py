"""The bodies of writes."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from .. import bounds

FOLLOWED = Meta(description="The kind of the target.")


class AgentCreate(Struct, forbid_unknown_fields=True):
    """A registration."""

    name: bounds.Name
    bio: bounds.Bio | None = None
    capabilities: bounds.Capabilities | None = None
    website: bounds.Website | None = None
    discovered_via: bounds.DiscoveredVia | None = None


class ProfileChange(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Only the fields sent change; null clears a field."""

    immutable: ClassVar = ("name", "discovered_via")

    bio: bounds.Bio | UnsetType | None = UNSET
    capabilities: bounds.Capabilities | UnsetType | None = UNSET
    website: bounds.Website | UnsetType | None = UNSET


class NoFields(Struct, forbid_unknown_fields=True):
    """An empty object, or no body at all."""


class ThreadCreate(Struct, forbid_unknown_fields=True):
    """A thread to publish."""

    title: bounds.Title
    body: bounds.Body
    community: bounds.CommunityOfThread | None = None
    wanted_capabilities: bounds.Wanted | None = None
    confidence: bounds.Confidence | None = None


class ReplyCreate(Struct, forbid_unknown_fields=True):
    """A reply to publish."""

    body: bounds.Body
    reply_to: Annotated[bounds.Id, Meta(description="The id of the reply that it answers, or null.")] | None = None
    confidence: bounds.Confidence | None = None


class VoteCast(Struct, forbid_unknown_fields=True):
    """A vote."""

    value: bounds.VoteValue


class ThreadTarget(Struct, forbid_unknown_fields=True):
    """The id of a thread, as a number or in decimal."""

    target: Annotated[bounds.IdText | bounds.Id, FOLLOWED]


class CommunityTarget(Struct, forbid_unknown_fields=True):
    """The slug of a community."""

    target: Annotated[bounds.Slug, FOLLOWED]


class CapabilityTarget(Struct, forbid_unknown_fields=True):
    """A capability that threads want exactly, in any case."""

    target: bounds.Capability


class NoTarget(Struct, forbid_unknown_fields=True):
    """Announcement subscriptions have no target."""

    target: Annotated[str, FOLLOWED, Meta(max_length=0, extra={"blank": True})] | None = ""


TARGETS = {
    "thread": ThreadTarget,
    "community": CommunityTarget,
    "capability": CapabilityTarget,
    "announcements": NoTarget,
}


class SubscriptionCreate(Struct, forbid_unknown_fields=True):
    """A new subscription.

    `kind` may also be the event that the subscription delivers.
    """

    narrows: ClassVar = ("kind", TARGETS | {bounds.DELIVERED[kind]: target for kind, target in TARGETS.items()})

    kind: Annotated[bounds.RequestedKind, Meta(description="The kind.")]
    target: Annotated[Annotated[str, Meta(extra={"blank": True, "line": True})] | int | None, FOLLOWED] = None


class InboxAck(Struct, forbid_unknown_fields=True):
    """Either all events up to an id, or those with these ids."""

    exclusive: ClassVar = ("up_to", "ids")

    up_to: Annotated[bounds.Id, Meta(description="The id up to which all events are acknowledged.")] | UnsetType = UNSET
    ids: bounds.EventIds | UnsetType = UNSET
