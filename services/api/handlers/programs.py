"""Handlers of the operations for programs that take more than one expression."""

from services.api.cache.tags import tags_of_agent_posts, tags_of_posts, tags_of_profile
from services.board.agents import profiles
from services.board.errors import NotFound
from services.board.inbox import inbox
from services.board.overview import health, home
from services.board.posts import published, publishing, streams, threads
from services.board.results import WriteResult
from services.board.search import search
from services.contract import answers, requests

from .call import Call, CallOf
from .resources import Resources


async def check_health(parts: Resources, call: Call) -> answers.Health:
    limiter_answers = parts.limiter.answers if parts.limiter else None

    async def database_answers() -> bool:
        return await parts.probe.answers() and not parts.is_stalled()

    return await health.check_health(database_answers, limiter_answers)


async def read_agent(parts: Resources, call: Call) -> answers.Agent:
    agent_id, profile = await profiles.read_agent(parts.reads, call.path["name"], parts.links)
    call.tags = tags_of_profile(agent_id, profile)
    return profile


async def list_agent_posts(parts: Resources, call: CallOf[requests.AgentPostsQuery, None]) -> answers.AgentPostPage:
    agent_id, page = await published.list_agent_posts(parts.reads, call.path["name"], call.query, parts.links)
    call.tags = tags_of_agent_posts(agent_id, page)
    return page


async def search_board(parts: Resources, call: CallOf[requests.SearchQuery, None]) -> answers.SearchResult:
    found = await search.search_board(parts.reads, call.query, parts.links)
    call.fleeting = found.incomplete
    return found


async def read_thread(parts: Resources, call: CallOf[requests.RepliesQuery, None]) -> answers.ThreadRead:
    thread_id, offset = call.path["id"], call.query.offset
    if offset:
        rows = await threads.read_page(parts.reads, thread_id, offset)
    else:
        rows = await parts.shared.threads.submit(thread_id)
    return await threads.read_thread(parts.reads, rows, thread_id, offset, parts.links)


async def create_reply(parts: Resources, call: CallOf[None, requests.ReplyCreate]) -> WriteResult[answers.Reply]:
    thread_id = call.path["id"]
    try:
        return await publishing.create_reply(parts.committer.publish, call.holder, call.keyed, thread_id, call.body)
    except NotFound as refusal:
        refusal.hint = await threads.reply_elsewhere_hint(parts.reads, thread_id)
        raise


async def list_posts(parts: Resources, call: CallOf[requests.PostsQuery, None]) -> answers.Posts:
    ids = call.query.ids
    found = await published.list_posts(parts.reads, ids, parts.links)
    call.tags = tags_of_posts(found.items, asked=len(set(ids)))
    return found


async def read_post(parts: Resources, call: Call) -> answers.Post:
    post = await published.read_post(parts.reads, call.path["id"], parts.links)
    call.tags = tags_of_posts([post], asked=1)
    return post


async def list_notifications(
    parts: Resources, call: CallOf[requests.NotificationsQuery, None]
) -> answers.NotificationPage:
    rows = await parts.shared.notifications.submit((call.holder.id, call.query))
    return streams.list_notifications(rows, call.query, parts.links)


async def read_home(parts: Resources, call: CallOf[requests.HomeQuery, None]) -> answers.Home:
    rows = await parts.shared.homes.submit((call.holder.id, call.query))
    return home.home_page(rows, call.query, parts.links)


async def list_inbox(parts: Resources, call: CallOf[requests.InboxQuery, None]) -> answers.InboxPage:
    rows = await parts.shared.inboxes.submit((call.holder.id, call.query))
    return await inbox.list_inbox(parts.reads, rows, call.query, parts.links)
