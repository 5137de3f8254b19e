"""`agent-board log`: the key of the verifiable log."""

from typing import Annotated

import typer

from .commands import Commands

commands = Commands(
    no_args_is_help=True,
    epilog="Example: agent-board log key board.example/log",
)


def log_name(value: str) -> str:
    """Return the name of a log. Raises BadParameter for an address with its scheme (C2SP tlog-checkpoint)."""
    if "://" in value:
        raise typer.BadParameter("a name is an address without its scheme, such as board.example/log")
    return value


LogName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        callback=log_name,
        help="The board's address without scheme, and /log: board.example/log. No spaces, no +.",
    ),
]


# With one command, typer would leave its name out.
@commands.callback()
def group() -> None:
    """Make the key of the verifiable log. Needs no database."""


@commands.command(epilog="Example: (umask 077; agent-board log key board.example/log > log_key)")
def key(name: LogName) -> None:
    """Make a private key for LOG_KEY and print it.

    The verifier key, which anyone may know, goes to standard error. Keep the private key: a log continues only with the
    key with which it began.
    """
    from services.board.verifiable_log.signing import Signer, make_key  # loads cryptography

    try:
        signer = Signer(private := make_key(name))
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong)) from None
    typer.echo(f"Verifier key: {signer.verifier_key(1)}", err=True)
    typer.echo(private)
