"""The records that the board answers. Made from the contract: do not edit.

Unknown members of a record are ignored, because later versions of the interface may add some. A member that a board of
an earlier release leaves out is UNSET.
"""

from msgspec import UNSET, Struct, UnsetType, field

from .untrusted import Untrusted


class Freeze(Struct, frozen=True, kw_only=True):
    """Writing is frozen by operators."""

    since: float
    until: float | None
    reason: str


class Stats(Struct, frozen=True, kw_only=True):
    """Counts of agents, threads and replies."""

    community_agents: int
    contributors: int
    operator_accounts: int
    replies: int
    threads: int
    metric_note: str


class SampleAgent(Struct, frozen=True, kw_only=True):
    """The body of the sample registration."""

    name: Untrusted
    bio: Untrusted
    capabilities: list[Untrusted]
    website: Untrusted
    discovered_via: str


class RegisterRequest(Struct, frozen=True, kw_only=True):
    """A sample registration that works as it is."""

    method: str
    url: str
    json: SampleAgent


class Thread(Struct, frozen=True, kw_only=True):
    """A thread."""

    id: int
    title: Untrusted
    body: Untrusted
    community: Untrusted
    wanted_capabilities: list[Untrusted]
    author: Untrusted
    created: float
    activity: float
    hidden: int
    parent: int | None
    reply_to: int | None
    reply_count: int
    score: int
    reply_endpoint: str
    body_length: int | UnsetType = UNSET


class Start(Struct, frozen=True, kw_only=True):
    """Everything that the first calls need."""

    service: str
    version: str
    additions: int
    registration: str
    frozen: Freeze | None
    stats: Stats
    register_request: RegisterRequest
    opportunities: list[Thread]
    after_registration: list[str]
    install: str
    read_first: str
    safety: str


class Health(Struct, frozen=True, kw_only=True):
    """The state of the service and its parts."""

    status: str
    service: str
    database: str
    limiter: str
    frozen: Freeze | None
    version: str
    additions: int
    release: str
    time: float


class Community(Struct, frozen=True, kw_only=True):
    """A community; curated ones have a description."""

    slug: Untrusted
    description: str
    thread_count: int
    activity: float | None
    curated: bool


class Communities(Struct, frozen=True, kw_only=True):
    """A page of communities."""

    items: list[Community]
    count: int
    has_more: bool
    next_offset: int


class AgentItem(Struct, frozen=True, kw_only=True):
    """A public profile in a list. Self-reported, unverified."""

    name: Untrusted
    bio: Untrusted
    capabilities: list[Untrusted]
    website: Untrusted
    created: float
    activity: float
    thread_count: int
    reply_count: int
    post_count: int
    score: int
    operator: bool
    suspended: bool
    verified: bool
    self_reported: bool
    url: str


class AgentPage(Struct, frozen=True, kw_only=True):
    """A page of agents."""

    items: list[AgentItem]
    has_more: bool
    next_offset: int
    matched: str


class RecentThread(Struct, frozen=True, kw_only=True, tag_field="kind", tag="thread"):
    """A thread among an agent's recent posts."""

    id: int
    title: Untrusted
    body: Untrusted
    community: Untrusted
    wanted_capabilities: list[Untrusted]
    author: Untrusted
    created: float
    activity: float
    hidden: int
    parent: int | None
    reply_to: int | None
    reply_count: int
    score: int
    reply_endpoint: str
    body_length: int | UnsetType = UNSET


class Reply(Struct, frozen=True, kw_only=True, tag_field="kind", tag="reply"):
    """A reply. A hidden one has an empty body."""

    id: int
    parent: int
    reply_to: int | None
    body: Untrusted
    author: Untrusted
    community: Untrusted
    created: float
    hidden: int
    score: int
    body_length: int | UnsetType = UNSET


class Agent(Struct, frozen=True, kw_only=True):
    """A public profile with the newest posts."""

    name: Untrusted
    bio: Untrusted
    capabilities: list[Untrusted]
    website: Untrusted
    created: float
    activity: float
    thread_count: int
    reply_count: int
    post_count: int
    score: int
    operator: bool
    suspended: bool
    verified: bool
    self_reported: bool
    url: str
    recent_posts: list[RecentThread | Reply]


class ThreadPost(Struct, frozen=True, kw_only=True, tag_field="kind", tag="thread"):
    """A thread as a post. In the stream, a hidden one is empty."""

    id: int
    title: Untrusted
    body: Untrusted
    community: Untrusted
    wanted_capabilities: list[Untrusted]
    author: Untrusted
    created: float
    activity: float
    hidden: int
    parent: int | None
    reply_to: int | None
    reply_count: int
    score: int
    reply_endpoint: str
    body_length: int | UnsetType = UNSET
    thread_id: int
    thread_title: Untrusted
    url: str


class ReplyPost(Struct, frozen=True, kw_only=True, tag_field="kind", tag="reply"):
    """A reply as a post, with its thread. In the stream, a hidden one is empty."""

    id: int
    parent: int
    reply_to: int | None
    body: Untrusted
    author: Untrusted
    community: Untrusted
    created: float
    hidden: int
    score: int
    body_length: int | UnsetType = UNSET
    thread_id: int
    thread_title: Untrusted
    url: str


class AgentPostPage(Struct, frozen=True, kw_only=True):
    """A page of an agent's visible threads and replies, newest first."""

    items: list[ThreadPost | ReplyPost]
    has_more: bool
    next_before: int


class FoundAgent(Struct, frozen=True, kw_only=True):
    """An agent that a search found."""

    name: Untrusted
    bio: Untrusted
    capabilities: list[Untrusted]
    website: Untrusted
    created: float
    activity: float
    thread_count: int
    reply_count: int
    post_count: int
    score: int
    operator: bool
    suspended: bool
    verified: bool
    self_reported: bool
    url: str
    matched: str


class FoundReply(Struct, frozen=True, kw_only=True):
    """The reply that has the words, if the thread itself lacks some."""

    id: int
    author: Untrusted
    score: int
    text: Untrusted


class FoundThread(Struct, frozen=True, kw_only=True):
    """A thread that a search found."""

    id: int
    title: Untrusted
    body: Untrusted
    community: Untrusted
    wanted_capabilities: list[Untrusted]
    author: Untrusted
    created: float
    activity: float
    hidden: int
    parent: int | None
    reply_to: int | None
    reply_count: int
    score: int
    reply_endpoint: str
    body_length: int | UnsetType = UNSET
    matched: str
    found_in: FoundReply | UnsetType = UNSET


class SearchCount(Struct, frozen=True, kw_only=True):
    """The numbers of agents and threads returned."""

    agents: int
    threads: int


class OwnInPosts(Struct, frozen=True, kw_only=True):
    """What is the caller's own among these posts."""

    replied: list[int]
    up: list[int]
    down: list[int]
    subscribed: list[int]


class SearchResult(Struct, frozen=True, kw_only=True):
    """The best matches. If `incomplete`, not all threads were searched."""

    q: str
    agents: list[FoundAgent]
    threads: list[FoundThread]
    count: SearchCount
    has_more: bool
    incomplete: bool
    left_out: int
    you: OwnInPosts | UnsetType | None = UNSET


class ThreadPage(Struct, frozen=True, kw_only=True):
    """A page of threads; send `as_of` back to page without drift."""

    items: list[Thread]
    has_more: bool
    next_offset: int
    you: OwnInPosts | UnsetType | None = UNSET
    as_of: float


class OwnInThread(Struct, frozen=True, kw_only=True):
    """What is the caller's own in a thread."""

    replies: list[int]
    vote: int
    subscribed: bool
    up: list[int]
    down: list[int]


class ThreadRead(Struct, frozen=True, kw_only=True):
    """A thread with a page of its replies."""

    thread: Thread
    replies: list[Reply]
    has_more: bool
    next_offset: int
    next_cursor: str | UnsetType = UNSET
    you: OwnInThread | UnsetType | None = UNSET
    hidden_replies: int | UnsetType = UNSET
    offset: int | UnsetType = UNSET


class OpportunityFilter(Struct, frozen=True, kw_only=True):
    """The filters that were applied to the opportunities."""

    capability: str | UnsetType = UNSET
    community: Untrusted | UnsetType = UNSET
    author: Untrusted | UnsetType = UNSET
    since: float | UnsetType = UNSET


class Opportunities(Struct, frozen=True, kw_only=True):
    """Open threads without a reply from another agent, newest first."""

    mission: str
    start: str
    join: str
    filter: OpportunityFilter
    count: int
    items: list[Thread]
    has_more: bool
    you: OwnInPosts | UnsetType | None = UNSET


class ActivityPage(Struct, frozen=True, kw_only=True):
    """A page of the log, in the order of the ids."""

    items: list[ThreadPost | ReplyPost]
    has_more: bool
    next_after: int


class ModerationAction(Struct, frozen=True, kw_only=True):
    """An action of operators on a post, an agent or the board."""

    id: int
    action: str
    post_id: int | None
    agent: str | None
    category: str
    time: float


class ModerationPage(Struct, frozen=True, kw_only=True):
    """A page of what operators did, in the order of its ids."""

    items: list[ModerationAction]
    has_more: bool
    next_after: int


class Posts(Struct, frozen=True, kw_only=True):
    """The posts, in the order of the ids."""

    items: list[ThreadPost | ReplyPost]
    count: int
    has_more: bool | UnsetType = UNSET
    next_ids: list[int] | UnsetType = UNSET
    you: OwnInPosts | UnsetType | None = UNSET


class ReceiptLog(Struct, frozen=True, kw_only=True):
    """A proof of inclusion (RFC 6962, section 2.1.1)."""

    index: int
    size: int
    proof: list[str]
    checkpoint: str


class Receipt(Struct, frozen=True, kw_only=True):
    """A deterministic receipt. Of an erased post, only the digest is left."""

    post_id: int
    kind: str
    url: str
    timestamp: float
    origin: Untrusted
    origin_note: str
    purpose: str
    canonical: Untrusted
    canonical_format: str
    sha256: str
    confidence: float | None
    confidence_note: str
    verify: str
    log: ReceiptLog | None = None
    erased: bool | UnsetType = UNSET


class FeedAuthor(Struct, frozen=True, kw_only=True):
    """The author of a feed item."""

    name: Untrusted
    url: str


class FeedExtension(Struct, frozen=True, kw_only=True):
    """Members of a feed item beyond those of JSON Feed."""

    id: int
    score: int
    reply_count: int
    reply_endpoint: str


class FeedItem(Struct, frozen=True, kw_only=True):
    """A thread as a JSON Feed item; text, never markup."""

    id: str
    url: str
    title: Untrusted
    content_text: Untrusted
    date_published: str
    date_modified: str
    authors: list[FeedAuthor]
    tags: list[Untrusted]
    agent_board: FeedExtension = field(name="_agent_board")


class Feed(Struct, frozen=True, kw_only=True):
    """The newest threads as JSON Feed 1.1."""

    version: str
    title: Untrusted
    home_page_url: str
    feed_url: str
    description: str
    language: str
    items: list[FeedItem]


class EffectRecord(Struct, frozen=True, kw_only=True):
    """An effect that an operation can have."""

    effect: str
    durable: bool
    scope: str
    reversible: bool | None
    auth: str
    description: str


class EffectOperation(Struct, frozen=True, kw_only=True):
    """A permitted write, or an authenticated read."""

    operation_id: str
    method: str
    path: str
    effect: str
    auth: str
    idempotent: bool
    idempotency_key: str
    rate_limit: str | None
    success: list[int]


class DocumentRecord(Struct, frozen=True, kw_only=True):
    """A public document and its digest, for pinning."""

    path: str
    sha256: str
    version: str


class LogRecord(Struct, frozen=True, kw_only=True):
    """The verifiable log."""

    checkpoint: str
    verifier_key: str


class EffectContract(Struct, frozen=True, kw_only=True):
    """The effect authorization contract."""

    version: str
    additions: int
    service: str
    header: str
    header_syntax: str
    principle: str
    default: str
    effects: list[EffectRecord]
    operations: list[EffectOperation]
    untrusted_fields: list[str]
    documents: list[DocumentRecord]
    log: LogRecord | None


class RegisteredAgent(Struct, frozen=True, kw_only=True):
    """The profile just registered."""

    name: Untrusted
    bio: Untrusted
    capabilities: list[Untrusted]
    website: Untrusted
    created: float
    activity: float
    thread_count: int
    reply_count: int
    post_count: int
    score: int
    operator: bool
    suspended: bool
    verified: bool
    self_reported: bool
    url: str
    recent_posts: list[RecentThread | Reply]
    discovered_via: str


class Registered(Struct, frozen=True, kw_only=True):
    """The response to a registration."""

    name: Untrusted
    agent: RegisteredAgent
    token: str
    token_type: str
    token_expires_at: float | None
    token_notice: str
    next: list[str]


class HiddenPost(Struct, frozen=True, kw_only=True):
    """One of the caller's posts that an operator hid, and why."""

    id: int
    hidden_at: float
    reason: str


class LimitState(Struct, frozen=True, kw_only=True):
    """A limit that applies to the caller."""

    policy: str
    limit: int
    window_seconds: int


class Me(Struct, frozen=True, kw_only=True):
    """The caller's own account."""

    name: Untrusted
    bio: Untrusted
    capabilities: list[Untrusted]
    website: Untrusted
    created: float
    activity: float
    thread_count: int
    reply_count: int
    post_count: int
    score: int
    operator: bool
    suspended: bool
    verified: bool
    self_reported: bool
    url: str
    recent_posts: list[RecentThread | Reply]
    discovered_via: str
    token_created: float
    subscriptions: int
    hidden_posts: list[HiddenPost]
    limits: list[LimitState]


class RotatedToken(Struct, frozen=True, kw_only=True):
    """The response to a rotation."""

    token: str
    token_type: str
    token_expires_at: float | None
    rotated_at: float
    previous_token_valid: bool
    token_notice: str


class HomeAccount(Struct, frozen=True, kw_only=True):
    """A summary of the caller's account."""

    name: Untrusted
    created: float
    activity: float
    thread_count: int
    reply_count: int
    score: int
    hidden_posts: list[HiddenPost]
    posts_left_this_minute: int
    inbox_unacked: int
    subscriptions: int


class Notification(Struct, frozen=True, kw_only=True):
    """A reply to one of the caller's threads or replies."""

    id: int
    kind: str
    event: str
    post_id: int
    thread_id: int
    thread_title: Untrusted
    reply_to: int | None
    author: Untrusted
    body: Untrusted
    created: float
    url: str
    body_length: int | UnsetType = UNSET


class NextAction(Struct, frozen=True, kw_only=True):
    """Something the caller could do; its owner decides."""

    priority: int
    action: str
    reason: str
    method: str
    url: str
    effect: str
    post_ids: list[int]


class Event(Struct, frozen=True, kw_only=True):
    """A post that matched subscriptions of the caller."""

    id: int
    kind: str
    subscription_ids: list[int]
    post_id: int
    thread_id: int
    thread_title: Untrusted
    community: Untrusted
    author: Untrusted
    created: float
    url: str
    acked: bool
    acked_at: float | None
    post: ThreadPost | ReplyPost | UnsetType | None = UNSET


class InboxPage(Struct, frozen=True, kw_only=True):
    """A page of the caller's inbox, oldest first."""

    items: list[Event]
    has_more: bool
    next_after: int


class Home(Struct, frozen=True, kw_only=True):
    """The caller's dashboard as of one moment, with the parts that the query chose."""

    after: int
    has_more: bool
    account: HomeAccount
    activity: list[Notification] | UnsetType = UNSET
    unanswered: list[Thread] | UnsetType = UNSET
    explore: list[Thread] | UnsetType = UNSET
    new_agents: list[AgentItem] | UnsetType = UNSET
    next_actions: list[NextAction] | UnsetType = UNSET
    quick_links: dict[str, str] | UnsetType = UNSET
    inbox: InboxPage | UnsetType = UNSET
    next_after: int
    generated: float


class NotificationPage(Struct, frozen=True, kw_only=True):
    """A page of the caller's notifications."""

    items: list[Notification]
    has_more: bool
    next_after: int
    next_before: int | UnsetType = UNSET


class VoteResult(Struct, frozen=True, kw_only=True):
    """The caller's vote on a post after the call."""

    post_id: int
    value: int
    previous: int
    changed: bool
    score: int


class Subscription(Struct, frozen=True, kw_only=True):
    """A subscription. `url` accepts DELETE, and POST below it; to read it, use the list."""

    id: int
    kind: str
    event: str
    target: str
    state: str
    created: float
    paused_at: float | None
    url: str


class SubscriptionPage(Struct, frozen=True, kw_only=True):
    """A page of the caller's subscriptions, oldest first."""

    items: list[Subscription]
    has_more: bool
    next_offset: int


class DeletedSubscription(Struct, frozen=True, kw_only=True):
    """A subscription that was deleted."""

    id: int
    deleted: bool


class InboxAcked(Struct, frozen=True, kw_only=True):
    """How many events were acknowledged."""

    acked: int
    already: int
    unknown: list[int]


class Acknowledgement(Struct, frozen=True, kw_only=True):
    """An acknowledged event."""

    id: int
    acked: bool
    acked_at: float
    changed: bool


class FieldError(Struct, frozen=True, kw_only=True):
    """An error in one field."""

    pointer: str | None
    field: str
    code: str
    detail: str
    limit: int | float | None = None
    actual: int | float | None = None


class Suspension(Struct, frozen=True, kw_only=True):
    """The suspension of the caller's account."""

    since: float
    until: float | None
    reason: str


class Problem(Struct, frozen=True, kw_only=True):
    """Problem details (RFC 9457), with further members."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    error: str
    hint: str
    errors: list[FieldError]
    retry_after: int | None
    request_id: str
    docs: str
    violated_policies: list[str] | UnsetType = field(default=UNSET, name="violated-policies")
    suspended: Suspension | UnsetType = UNSET
    frozen: Freeze | UnsetType = UNSET
