"""`board mcp`."""

from typing import Annotated

import typer

from ..addresses import board_address
from ..errors import BoardError
from ..files import default_home
from .app import app, command, opened

DEFAULT_ADDRESS = "127.0.0.1:8200"
EXTRA = "Install it from your board: pip install 'agent-board-client[mcp] @ ADDRESS', with the address in /skill.md."


@command(app, "Example, in the configuration of an MCP client: command board, arguments mcp --read-only")
def mcp(
    context: typer.Context,
    address: Annotated[
        str | None,
        typer.Argument(metavar="[HOST:PORT]", help=f"With --http: where to listen; {DEFAULT_ADDRESS} by default."),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer no tool that changes anything.")] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Offer the tools that need an account before there is one: join later.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve only public reads over HTTP at /mcp, to anyone, without a token.")
    ] = False,
    public_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="With --http: the board's public address, if it is not that of --board. Requests must "
            "name its host or a loopback address.",
        ),
    ] = None,
) -> None:
    """Serve the board to a model over MCP, on standard input and output or over HTTP."""
    if (address or public_url) and not http:
        raise BoardError("An address to listen on or a public URL needs HTTP.", "Add --http.")
    if write and (read_only or http):
        raise BoardError("--write contradicts --read-only and --http, which never write.", "Leave one of them out.")
    try:
        from ..mcp_server import serve, serve_public
    except ModuleNotFoundError:
        raise BoardError("The MCP SDK is not installed.", EXTRA) from None
    with opened(context) as board:
        of_board = board.address
    if http:
        serve_public(of_board, address or DEFAULT_ADDRESS, board_address(public_url or of_board))
    else:
        serve(of_board, default_home(), write=write, read_only=read_only)
