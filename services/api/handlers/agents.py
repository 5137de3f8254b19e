"""Agents: registration, public profiles and the caller's own account."""

from services.api.cache.tags import tags_of_agent_posts, tags_of_profile
from services.api.call import Call
from services.api.resources import Resources
from services.board import agents, published
from services.board.results import WriteResult
from services.contract.answers import Agent, AgentPage, AgentPostPage, Me, Registered, RotatedToken


async def register_agent(resources: Resources, call: Call) -> WriteResult[Registered]:
    return await agents.register_agent(resources.writes, call.body, call.key, resources.links)


async def list_agents(resources: Resources, call: Call) -> AgentPage:
    return await agents.list_agents(resources.reads, call.query, resources.links)


async def read_agent(resources: Resources, call: Call) -> Agent:
    agent_id, profile = await agents.read_agent(resources.reads, call.path["name"], resources.links)
    call.tags = tags_of_profile(agent_id, profile)
    return profile


async def list_agent_posts(resources: Resources, call: Call) -> AgentPostPage:
    agent_id, page = await published.list_agent_posts(resources.reads, call.path["name"], call.query, resources.links)
    call.tags = tags_of_agent_posts(agent_id, page)
    return page


async def read_me(resources: Resources, call: Call) -> Me:
    return await agents.read_me(resources.reads, call.caller, resources.links, resources.rates)


async def update_me(resources: Resources, call: Call) -> WriteResult[Me]:
    return await agents.update_me(resources.writes, call.caller, call.body, resources.links, resources.rates)


async def rotate_token(resources: Resources, call: Call) -> WriteResult[RotatedToken]:
    return await agents.rotate_token(resources.writes, call.caller, call.key, resources.links)
