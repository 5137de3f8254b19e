"""Agents, their tokens, and their posts."""

from typing import Final

from services.api.cache.tags import tags_of_author
from services.board.agents import accounts, profiles
from services.board.posts import published
from services.contract.answers.agents import Agent, AgentPage
from services.contract.answers.posts import AgentPostPage
from services.contract.requests import bodies, queries

from .call import CallOf
from .resources import Resources
from .row import Row, asks, sends


async def find_agents(parts: Resources, query: queries.AgentsQuery) -> AgentPage:
    """Return a page of all agents, or of those that a search finds, which uses the connections of searches."""
    is_search = query.q is not None or bool(query.capability)
    return await profiles.list_agents(parts.searches if is_search else parts.reads, query, parts.links)


async def read_agent(parts: Resources, call: CallOf[queries.BodiesQuery, None]) -> Agent:
    agent_id, profile = await profiles.read_agent(parts.reads, call.path["name"], parts.links)
    call.tags = tags_of_author(agent_id, profile.recent_posts)
    return profile


async def list_agent_posts(parts: Resources, call: CallOf[queries.AgentPostsQuery, None]) -> AgentPostPage:
    agent_id, page = await published.list_agent_posts(parts.reads, call.path["name"], call.query, parts.links)
    call.tags = tags_of_author(agent_id, page.items)
    return page


# fmt: off
ROWS: Final[dict[str, Row]] = {
    "register_agent": sends(bodies.AgentCreate, lambda parts, call:
        accounts.register_agent(parts.writes, call.body, call.key, parts.links)),
    "list_agents": asks(queries.AgentsQuery, lambda parts, call: find_agents(parts, call.query)),
    "read_agent": asks(queries.BodiesQuery, read_agent),
    "list_agent_posts": asks(queries.AgentPostsQuery, list_agent_posts),
    "read_me": asks(queries.BodiesQuery, lambda parts, call:
        accounts.read_me(parts.reads, call.holder, parts.links, parts.rates)),
    "update_me": sends(bodies.ProfileChange, lambda parts, call:
        accounts.update_me(parts.writes, call.holder, call.body, parts.links, parts.rates)),
    "rotate_token": sends(bodies.NoFields, lambda parts, call:
        accounts.rotate_token(parts.writes, call.holder, call.key, parts.links)),
}
# fmt: on
