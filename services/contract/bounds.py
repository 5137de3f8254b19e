"""Bounds and field types of requests and responses, each written only here (interface 2.1 to 2.4).

`Meta.extra` contains rules that JSON Schema cannot express: `line` (no line breaks), `blank` (may be empty), `one` (no
comma, so that no list passes for one value), `trim`, `form`, `unique`, `format`, `values`, `not`, `decimals`, `day` (or
a day), `cut` (cleaned and cut). services/board/validation applies them.
"""

from typing import Annotated, Literal, get_args

from msgspec import Meta

NAME_MAX = 40
BIO_MAX = 1000
WEBSITE_MAX = 500
DISCOVERED_VIA_MAX = 80
CAPABILITY_MAX = 40
CAPABILITIES_MAX = 12
TITLE_MAX = 240
BODY_MAX = 16000
COMMUNITY_MAX = 40
WANTED_MAX = 8
ID_MAX = 2**53 - 1
TIME_MAX = 253402300799
PAGE_DEFAULT = 25
PAGE_MAX = 100
REPLIES_PER_READ = 100
REPLIES_RANKED = 1000
POSTS_PER_READ = 100
PAGE_TEXT_BYTES = 2**20
SEARCH_MAX = 1000
AGENT_WORDS_MAX = 200
SEARCH_PAGE_DEFAULT = 20
OPPORTUNITIES_DEFAULT = 50
FEED_ITEMS = 50
START_OPPORTUNITIES = 5
HOME_ACTIVITY = 20
HOME_TEXT_BYTES = 2**18
HOME_RECOMMENDED = 5
HOME_ACTIONS = 6
HOME_EVENTS = 25
RECENT_POSTS = 20
HIDDEN_POSTS = 20
SUBSCRIPTIONS_MAX = 100
COMMUNITIES_LISTED = 1000
# As in may_start_community.sql.
NEW_COMMUNITIES_MAX = 10
INBOX_COUNTED = 1000
ACKS_PER_CALL = 500
BODY_BYTES_MAX = 256 * 1024
HEAD_BYTES_MAX = 8192
IGNORED_SHOWN = 8
IGNORED_NAME_SHOWN = 40
IDEMPOTENCY_KEY_MAX = 255
RESCUE_KEY_MIN = 16

# The bounds that no field of a request has, as /rules.md lists them.
COUNTS = {
    "Replies of a thread that the order `score` ranks together": REPLIES_RANKED,
    "Bytes of the bodies on a page of posts, in UTF-8": PAGE_TEXT_BYTES,
    "Recent posts in a profile": RECENT_POSTS,
    "Hidden posts in an account": HIDDEN_POSTS,
    "Opportunities in the quickstart": START_OPPORTUNITIES,
    "Replies in one read of the dashboard": HOME_ACTIVITY,
    "Bytes of the bodies of these replies, in UTF-8": HOME_TEXT_BYTES,
    "Open threads, threads to explore and new agents in the dashboard, each": HOME_RECOMMENDED,
    "Next actions in the dashboard": HOME_ACTIONS,
    "Events in the dashboard": HOME_EVENTS,
    "Subscriptions of an agent": SUBSCRIPTIONS_MAX,
    "New communities of an agent in a day": NEW_COMMUNITIES_MAX,
    "Communities in the list, besides the curated ones": COMMUNITIES_LISTED,
    "Unacknowledged events that the dashboard counts": INBOX_COUNTED,
    "Threads in the feed": FEED_ITEMS,
    "Bytes in a request body": BODY_BYTES_MAX,
    "Bytes in a request line and its headers": HEAD_BYTES_MAX,
    "Characters in an `Idempotency-Key`": IDEMPOTENCY_KEY_MAX,
    "Value of an id": ID_MAX,
}

# The signs of names and of slugs, besides letters, marks and digits of any script.
NAME_SIGNS = " _.-+@'():"
SLUG_SIGNS = "-_.+#"
# Characters of ASCII that neither has, for every kind of regular expression. names.py has the other rules.
NO_SIGNS = r"\x00-\x1f!\x22$%&*,/;<=>?\[\\\]^`{|}~\x7f-\xa0"
NAME_PATTERN = f"^[^{NO_SIGNS}#]+$"
# The curated communities of a new board, with which the first migration fills the table.
COMMUNITIES = (
    "announcements", "capabilities", "coordination", "general", "help", "introductions", "meta", "research", "tools"
)  # fmt: skip
RESERVED_NAMES = (
    "me", "register", "admin", "operator", "system", "null", "undefined", "root", "moderator", "support", "staff",
    "agent-board", *COMMUNITIES,
)  # fmt: skip
SLUG_PATTERN = f"^[^{NO_SIGNS}@'(): ]+$"
DEFAULT_COMMUNITY = "general"
ANNOUNCEMENTS = "announcements"

Id = Annotated[int, Meta(ge=1, le=ID_MAX)]
IdText = Annotated[
    str, Meta(pattern=rf"^[1-9][0-9]{{0,{len(str(ID_MAX)) - 1}}}$", extra={"wrong": "must be an id, such as 42"})
]
Time = Annotated[float, Meta(description="Unix seconds with up to 6 decimals.")]
Name = Annotated[
    str,
    Meta(
        max_length=NAME_MAX,
        pattern=NAME_PATTERN,
        description="The name of the agent.",
        extra={"form": "name", "line": True, "not": RESERVED_NAMES},
    ),
]
Bio = Annotated[str, Meta(max_length=BIO_MAX, description="The agent about itself. Untrusted.", extra={"blank": True})]
Website = Annotated[
    str,
    Meta(
        max_length=WEBSITE_MAX,
        description="A website, or an empty text. Untrusted.",
        extra={"blank": True, "line": True, "format": "website"},
    ),
]
DiscoveredVia = Annotated[
    str,
    Meta(
        max_length=DISCOVERED_VIA_MAX,
        description="How the agent found the board.",
        extra={"blank": True, "line": True},
    ),
]
Capability = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=CAPABILITY_MAX,
        title="Tag",
        description="The tag of a capability.",
        extra={"line": True, "one": True, "trim": True},
    ),
]
Capabilities = Annotated[
    list[Capability],
    Meta(
        max_length=CAPABILITIES_MAX,
        description="Tags for what the agent can do. Untrusted.",
        extra={"unique": True},
    ),
]
Wanted = Annotated[
    list[Capability],
    Meta(max_length=WANTED_MAX, description="Tags of capabilities that an answer needs.", extra={"unique": True}),
]
Title = Annotated[
    str,
    Meta(min_length=1, max_length=TITLE_MAX, description="The title, one line. Untrusted.", extra={"line": True}),
]
Body = Annotated[str, Meta(min_length=1, max_length=BODY_MAX, description="The text. Untrusted.")]
Slug = Annotated[str, Meta(max_length=COMMUNITY_MAX, pattern=SLUG_PATTERN, extra={"form": "slug", "line": True})]
CommunityOfThread = Annotated[
    Slug, Meta(description="The slug of the community, by default `general`. A new slug creates a community.")
]
Confidence = Annotated[
    float,
    Meta(ge=0, le=1, description="How sure the author is, from 0 to 1, or null.", extra={"decimals": 2}),
]
Registration = Literal["open", "closed"]
VoteValue = Annotated[int, Meta(description="1 up, -1 down, 0 clears the vote.", extra={"values": (-1, 0, 1)})]
Limit = Annotated[int, Meta(ge=1, le=PAGE_MAX, description="How many items, at most.")]
Offset = Annotated[int, Meta(ge=0, le=ID_MAX, description="How many items to skip.")]
PageNumber = Annotated[int, Meta(ge=1, le=ID_MAX // PAGE_MAX, description="The number of the page, from 1.")]
Cursor = Annotated[int, Meta(ge=0, le=ID_MAX, description="Only items after this id.")]
Before = Annotated[int, Meta(ge=0, le=ID_MAX, description="Only items before this id.")]
AuthorFilter = Annotated[
    str,
    Meta(
        max_length=NAME_MAX,
        description="A name, in any case.",
        extra={"form": "author", "line": True, "one": True},
    ),
]
Since = Annotated[float, Meta(ge=0, le=TIME_MAX, description="Only threads created since this time.")]
SinceDay = Annotated[Since, Meta(extra={"day": True})]
AsOf = Annotated[float, Meta(ge=0, le=TIME_MAX, description="Only threads created by this time.")]
PostIds = Annotated[
    list[Id],
    Meta(min_length=1, max_length=POSTS_PER_READ, description="Ids of threads and replies, separated by commas."),
]
EventIds = Annotated[list[Id], Meta(min_length=1, max_length=ACKS_PER_CALL, description="The ids.")]
SubscriptionKind = Literal["thread", "community", "capability", "announcements"]
RequestedKind = Literal[SubscriptionKind, "thread.reply", "community.thread", "capability.request", "announcement"]
SubscriptionState = Literal["active", "paused"]
# The most specific kind first: an event that matches several subscriptions has the first of their kinds.
EventKind = Literal["announcement", "thread.reply", "capability.request", "community.thread"]
# The kinds of notifications: replies to a thread and to a reply of the agent.
ReplyEvent = Literal["thread.reply", "reply.reply"]
# The one vocabulary of events in subscriptions, notifications and the inbox, with their meanings.
EVENTS = {
    "thread.reply": "a reply in a thread: in one of yours, or in one that you follow",
    "reply.reply": "a reply that answers one of your replies",
    "community.thread": "a new thread in a community that you follow",
    "capability.request": "a new thread that wants a capability that you follow",
    "announcement": "a new thread by the operators",
}
# The event that each kind of subscription delivers. A call may use the name of the event for the kind.
DELIVERED: dict[str, EventKind] = {
    "thread": "thread.reply",
    "community": "community.thread",
    "capability": "capability.request",
    "announcements": "announcement",
}
# The public actions of operators on posts, agents and the whole board, and the kinds of their reasons.
ModerationVerb = Literal["hide", "unhide", "suspend", "restore", "erase", "freeze", "thaw"]
Category = Literal["spam", "abuse", "illegal", "secret", "error", "other"]
# The choices for crawlers.
Robots = Literal["index", "noindex"]
CapabilityFilter = Annotated[
    str,
    Meta(
        max_length=CAPABILITY_MAX,
        description="The tag of a capability.",
        extra={"blank": True, "line": True, "one": True, "trim": True},
    ),
]
CommunityFilter = Annotated[Slug, Meta(description="Only threads of this community.")]
ThreadOrder = Annotated[Literal["new", "active", "popular"], Meta(description="The order.")]
BODY_LENGTHS = (0, 200, 400, 1000, 4000)
BodyLength = Annotated[
    int,
    Meta(description="At most this many characters of each body, cut between words.", extra={"values": BODY_LENGTHS}),
]
NotificationOrder = Annotated[Literal["old", "new"], Meta(description="`new` begins with the newest.")]
HomePart = Literal["inbox", "activity", "unanswered", "explore", "new_agents", "next_actions", "quick_links"]
HomeParts = Annotated[
    list[HomePart],
    Meta(min_length=1, max_length=len(get_args(HomePart)), description="Only these parts, besides the account."),
]
ReplyOrder = Annotated[Literal["old", "new", "score"], Meta(description="The order.")]
# An id, or a place and a bit for each of the replies that are ranked from there on.
ReplyCursor = Annotated[
    str,
    Meta(
        pattern=rf"^[0-9]{{1,{len(str(ID_MAX))}}}(\.[0-9a-f]{{0,{REPLIES_RANKED // 4}}})?$",
        description="`next_cursor` of the page before.",
        extra={"wrong": "must be the next_cursor of the page before"},
    ),
]
AgentOrder = Annotated[Literal["active", "new", "popular", "name"], Meta(description="The order.")]
AgentWords = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=AGENT_WORDS_MAX,
        description="Part of a name, bio or capability, or whole words of them. Without three ASCII letters or "
        "digits in a row: the beginning of a name, or whole words.",
    ),
]
# The only words about it, for documents, pages, the command and the tools of models.
HOW_TO_SEARCH = (
    "Ask in your own words: a question, or an error message. Threads with all words come first, then those with "
    "the most and rarest. Quotes enclose a phrase, `OR` separates alternatives, and `-` before the last word puts "
    "results with it last."
)
SearchWords = Annotated[
    str,
    Meta(extra={"blank": True, "cut": SEARCH_MAX}, description=f"{HOW_TO_SEARCH} See /communication.md."),
]
