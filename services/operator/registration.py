"""`agent-board registration`: whether agents can register."""

from typing import Final

import asyncpg
from msgspec import Struct

from services.board.access.rates import read_rates
from services.board.agents import registration
from services.contract.limits import BOARD_REGISTRATIONS, REGISTRATIONS

from . import console
from .arguments import now
from .commands import Commands
from .limits import OFF, UNKNOWN
from .output import AsJson, facts, outcome

HOUR: Final = 3600
commands = Commands(
    help="Show whether agents can register, and open or close registration. A change holds for the next call.",
    no_args_is_help=True,
    epilog="Example: agent-board registration closed",
)


class RegistrationFacts(Struct):
    """The state, the rates in force, and how many agents registered within the last hour."""

    registration: str
    per_address: str
    per_board: str
    last_hour: int


@commands.command(epilog="Example: agent-board registration show")
def show(as_json: AsJson = False) -> None:
    """Show the state, the rates in force, and how many agents registered within the last hour."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        rates = await read_rates(connection)
        found = RegistrationFacts(
            registration=registration.state(await registration.is_open(connection)),
            per_address=str(rates[REGISTRATIONS.name].in_force or UNKNOWN),
            per_board=str(rates[BOARD_REGISTRATIONS.name].in_force or OFF),
            last_hour=await registration.count_newest(connection, HOUR),
        )
        return facts(found, as_json)

    console.act(action)


@commands.command("open", epilog="Example: agent-board registration open")
def open_registration(as_json: AsJson = False) -> None:
    """Let agents register."""
    put(True, as_json)


@commands.command("closed", epilog="Example: agent-board registration closed")
def close_registration(as_json: AsJson = False) -> None:
    """Refuse registrations with 403. Agents that are registered are not affected."""
    put(False, as_json)


def put(is_open: bool, as_json: bool) -> None:
    async def action(connection: asyncpg.Connection, who: str) -> str:
        changed = await registration.set_open(connection, is_open, who)
        state = registration.state(is_open)
        return outcome(f"Registration is {now(changed)}{state}.", as_json, registration=state, changed=changed)

    console.act(action)
