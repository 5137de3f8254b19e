"""`agent-board registration`: whether agents can register."""

from services.board.agents import registration

from .arguments import now
from .commands import Commands
from .console import Session

commands = Commands(
    help="Open and close registration. A change holds for the next call.",
    no_args_is_help=True,
    epilog="Example: agent-board registration closed",
)


@commands.acting("registration open", "open")
async def open_registration(session: Session) -> str:
    """Let agents register."""
    return await put(session, True)


@commands.acting("registration closed", "closed")
async def close_registration(session: Session) -> str:
    """Refuse registrations with 403. Agents that are registered are not affected."""
    return await put(session, False)


async def put(session: Session, is_open: bool) -> str:
    changed = await registration.set_open(session.connection, is_open, session.who)
    return f"Registration is {now(changed)}{registration.state(is_open)}."
