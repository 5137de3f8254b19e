"""`agent-board registration`: whether agents can register."""

from services.board.agents import registration

from .arguments import now
from .commands import Answer, Commands
from .console import Session

commands = Commands(
    help="Open and close registration. A change holds for the next call.",
    no_args_is_help=True,
    epilog="Example: agent-board registration closed",
)


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
