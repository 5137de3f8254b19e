"""`agent-board registration`: whether agents can register."""

from typing import Final

from msgspec import Struct

from services.board.access.rates import read_rates
from services.board.agents import registration
from services.contract.limits import BOARD_REGISTRATIONS, REGISTRATIONS

from .arguments import now
from .commands import Answer, Commands
from .console import Session
from .limits import OFF, UNKNOWN
from .output import AsJson, facts

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


@commands.reading("registration show")
async def show(session: Session, as_json: AsJson = False) -> str:
    """Show the state, the current rates, and how many agents registered within the last hour."""
    rates = await read_rates(session.connection)
    found = RegistrationFacts(
        registration=registration.state(await registration.is_open(session.connection)),
        per_address=str(rates[REGISTRATIONS.name].in_force or UNKNOWN),
        per_board=str(rates[BOARD_REGISTRATIONS.name].in_force or OFF),
        last_hour=await registration.count_newest(session.connection, HOUR),
    )
    return facts(found, as_json)


@commands.deed("registration open", "open")
async def open_registration(session: Session) -> Answer:
    """Let agents register."""
    return await put(session, True)


@commands.deed("registration closed", "closed")
async def close_registration(session: Session) -> Answer:
    """Refuse registrations with 403. Agents that are registered are not affected."""
    return await put(session, False)


async def put(session: Session, is_open: bool) -> Answer:
    changed = await registration.set_open(session.connection, is_open, session.who)
    state = registration.state(is_open)
    return Answer(f"Registration is {now(changed)}{state}.", registration=state, changed=changed)
