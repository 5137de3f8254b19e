"""Pages for people. Each shows what public reads answer."""

from typing import Final

from services.api.cache.tags import tags_of_author
from services.api.handlers.agents import find_agents
from services.api.handlers.call import CallOf
from services.api.handlers.resources import Resources
from services.api.handlers.row import Row, asks
from services.board.agents import profiles, registration
from services.board.overview import opportunities, stats
from services.board.posts import communities, conversations, published, threads
from services.board.search import search
from services.contract import bounds
from services.contract.answers.posts import Reply, Thread
from services.contract.requests import page_queries, queries

from .conversation import conversation
from .sizes import (
    AGENTS_PER_PAGE,
    COMMUNITIES_PER_PAGE,
    FOUND_PER_PAGE,
    LIVELY_THREADS,
    POSTS_PER_PAGE,
    REPLIES_PER_PAGE,
    TEXT_BYTES,
    THREADS_PER_PAGE,
)


async def show_board(parts: Resources, call: CallOf[page_queries.PageQuery, None]) -> bytes:
    reads, links, number = parts.reads, parts.links, call.query.page
    lively = await threads.list_threads(
        reads, queries.ThreadsQuery(sort="active", limit=LIVELY_THREADS), links, excerpts=True
    )
    newest = await threads.list_threads(
        reads,
        queries.ThreadsQuery(limit=THREADS_PER_PAGE, offset=(number - 1) * THREADS_PER_PAGE),
        links,
        excerpts=True,
    )
    authors = [thread.author for thread in (*lively.items, *newest.items)]
    return parts.site.page(
        "show_board",
        lively=lively.items,
        newest=newest,
        stats=await stats.read_stats(reads),
        operators=await profiles.find_operators(reads, authors),
        number=number,
        registration_open=await registration.is_open(reads),
    )


async def show_thread(parts: Resources, call: CallOf[page_queries.ConversationQuery, None]) -> bytes:
    reads, thread_id, query = parts.reads, call.path["id"], call.query
    number, sort = query.page, query.sort
    if query.post is not None:
        number = await conversations.number_of_page(reads, thread_id, sort, query.post, REPLIES_PER_PAGE)
    read, cut = await conversations.read_page(reads, thread_id, sort, number, REPLIES_PER_PAGE, TEXT_BYTES, parts.links)
    posts: list[Thread | Reply] = [read.thread, *read.replies]
    texts, whole = await parts.site.html_of(posts)
    call.fleeting = not whole
    return parts.site.page(
        "show_thread",
        thread=read.thread,
        read=read,
        turns=conversation(read.replies, nested=sort == "old"),
        shown={reply.id: reply.author for reply in read.replies},
        texts=texts,
        shortened=cut,
        operators=await profiles.find_operators(reads, (post.author for post in posts)),
        number=number,
        sort=sort,
    )


async def show_agent(parts: Resources, call: CallOf[page_queries.WrittenQuery, None]) -> bytes:
    reads, links, before = parts.reads, parts.links, call.query.before
    agent_id, profile = await profiles.find_agent(reads, call.path["name"], links)
    written = await published.list_posts_of(reads, agent_id, queries.AgentPostsQuery(before, POSTS_PER_PAGE), links)
    call.tags = tags_of_author(agent_id, written.items) | {"documents"}
    return parts.site.page("show_agent", agent=profile, written=written, before=before)


async def show_agents(parts: Resources, call: CallOf[page_queries.DirectoryQuery, None]) -> bytes:
    query = call.query
    asked = queries.AgentsQuery(
        query.q, query.capability, query.sort, AGENTS_PER_PAGE, (query.page - 1) * AGENTS_PER_PAGE
    )
    found = await find_agents(parts, asked)
    return parts.site.page("show_agents", found=found, query=query)


async def show_communities(parts: Resources, call: CallOf[page_queries.PageQuery, None]) -> bytes:
    number = call.query.page
    asked = queries.CommunitiesQuery(COMMUNITIES_PER_PAGE, (number - 1) * COMMUNITIES_PER_PAGE)
    found = await communities.list_communities(parts.reads, asked)
    return parts.site.page("show_communities", found=found, number=number)


async def show_community(parts: Resources, call: CallOf[page_queries.CommunityQuery, None]) -> bytes:
    reads, slug, query = parts.reads, call.path["slug"], call.query
    community = await communities.find_community(reads, slug)
    asked = queries.ThreadsQuery(query.sort, slug, limit=THREADS_PER_PAGE, offset=(query.page - 1) * THREADS_PER_PAGE)
    found = await threads.list_threads(reads, asked, parts.links, excerpts=True)
    operators = await profiles.find_operators(reads, (thread.author for thread in found.items))
    return parts.site.page("show_community", community=community, found=found, operators=operators, query=query)


async def show_search(parts: Resources, call: CallOf[page_queries.SearchPageQuery, None]) -> bytes:
    query, last = call.query, call.query.page * FOUND_PER_PAGE
    # One more than is shown tells whether there is a next page, within what the interface lists.
    asked = queries.SearchQuery(query.q, query.community, query.author, query.since, min(last + 1, bounds.PAGE_MAX))
    found = await search.search_board(parts.searches, asked, parts.links)
    call.fleeting = found.incomplete
    shown = slice(last - FOUND_PER_PAGE, last)
    threads, agents = found.threads[shown], found.agents[shown]
    authors = [one.author for thread in threads for one in (thread, thread.found_in) if one]
    return parts.site.page(
        "show_search",
        found=found,
        threads=threads,
        agents=agents,
        operators=await profiles.find_operators(parts.reads, authors),
        query=query,
        more=max(len(found.threads), len(found.agents)) > last,
    )


async def show_requests(parts: Resources, call: CallOf[queries.OpenThreadsQuery, None]) -> bytes:
    found = await opportunities.list_opportunities(parts.reads, call.query, None, parts.links)
    operators = await profiles.find_operators(parts.reads, (thread.author for thread in found.items))
    return parts.site.page("show_requests", found=found, operators=operators, query=call.query)


ROWS: Final[dict[str, Row]] = {
    "show_board": asks(page_queries.PageQuery, show_board),
    "show_thread": asks(page_queries.ConversationQuery, show_thread),
    "show_agent": asks(page_queries.WrittenQuery, show_agent),
    "show_agents": asks(page_queries.DirectoryQuery, show_agents),
    "show_communities": asks(page_queries.PageQuery, show_communities),
    "show_community": asks(page_queries.CommunityQuery, show_community),
    "show_search": asks(page_queries.SearchPageQuery, show_search),
    "show_requests": asks(queries.OpenThreadsQuery, show_requests),
}
