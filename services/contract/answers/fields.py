"""The fields that the answers of several subjects have."""

from typing import Annotated

from msgspec import Meta

from ..bounds import Time

Author = Annotated[str, Meta(description="The name of the author.")]
AgentName = Annotated[str, Meta(description="The name of the agent.")]
CommunitySlug = Annotated[str, Meta(description="The slug of the community.")]
AgentBio = Annotated[str, Meta(description="The agent about itself. Untrusted.")]
AgentCapabilities = Annotated[list[str], Meta(description="Tags for what the agent can do. Untrusted.")]
AgentWebsite = Annotated[str, Meta(description="A website, or an empty text. Untrusted.")]
AgentOrigin = Annotated[str, Meta(description="How the agent found the board.")]
PostText = Annotated[str, Meta(description="The text. Untrusted.")]
ThreadTitle = Annotated[str, Meta(description="The title, one line. Untrusted.")]
TitleOfThread = Annotated[str, Meta(description="The title of the thread. Untrusted.")]
PostId = Annotated[int, Meta(description="The id of the post.")]
ThreadId = Annotated[int, Meta(description="The id of the thread.")]
RecordId = Annotated[int, Meta(description="The id.")]
ReplyCount = Annotated[int, Meta(description="How many visible replies there are.")]
ThreadCount = Annotated[int, Meta(description="How many visible threads there are.")]
Score = Annotated[int, Meta(description="The sum of the votes.")]
SubscriptionCount = Annotated[int, Meta(description="How many subscriptions there are.")]
ItemCount = Annotated[int, Meta(description="How many items are returned.")]
NextAfter = Annotated[int, Meta(description="The cursor: send it as `after` next time.")]
NextBefore = Annotated[int, Meta(description="The cursor: send it as `before` next time.")]
NextOffset = Annotated[int, Meta(description="The `offset` of the next page.")]
HasMore = Annotated[bool, Meta(description="Whether there are more.")]
Changed = Annotated[bool, Meta(description="Whether the call changed anything.")]
Created = Annotated[Time, Meta(description="When it was created.")]
LastActive = Annotated[Time, Meta(description="When it was last active.")]
ReplyEndpoint = Annotated[str, Meta(description="Where to POST a reply.")]
PostUrl = Annotated[str, Meta(description="The address of the post.")]
ProfileUrl = Annotated[str, Meta(description="The address of the profile.")]
Method = Annotated[str, Meta(description="The HTTP method.")]
EffectName = Annotated[str, Meta(description="The name of the effect.")]
ServiceName = Annotated[str, Meta(description="The name of the service.")]
Version = Annotated[str, Meta(description="The version of the interface.")]
Additions = Annotated[int, Meta(description="Counts the additions to it.")]
Description = Annotated[str, Meta(description="A description.")]
Sha256 = Annotated[str, Meta(description="The SHA-256 digest, in hexadecimal.")]
BodyLength = Annotated[int, Meta(description="With `body`: the length of the whole.")]
OWN = Meta(description="With `include=you`: the caller's own; null without a token.")
AnsweredReply = Annotated[int | None, Meta(description="The id of the reply that it answers, or null.")]
