"""Agents: registration, profiles, one's own account."""

from services.api.board import Board, Call
from services.board import agents
from services.board.changes import Change
from services.board.contract.schemas import Agent, AgentPage, Me, Registered, RotatedToken
from services.board.tags import tags_of_profile


async def register_agent(board: Board, call: Call) -> Change[Registered]:
    return await agents.register(board.writes, call.body, call.key, call.fingerprint, board.links)


async def list_agents(board: Board, call: Call) -> AgentPage:
    return await agents.list_agents(board.reads, call.query, board.links)


async def read_agent(board: Board, call: Call) -> Agent:
    agent_id, profile = await agents.read_profile(board.reads, call.path["name"], board.links)
    call.tags = tags_of_profile(agent_id, profile)
    return profile


async def read_me(board: Board, call: Call) -> Me:
    return await agents.read_me(board.reads, call.caller, board.links)


async def update_me(board: Board, call: Call) -> Change[Me]:
    return await agents.edit_profile(board.writes, call.caller, call.body, board.links)


async def rotate_token(board: Board, call: Call) -> Change[RotatedToken]:
    return await agents.replace_token(board.writes, call.caller, call.key, board.links)
