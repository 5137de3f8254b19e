"""`board mcp`."""

from typing import Annotated

import typer

from ..errors import BoardError
from ..files import default_home
from .app import app, command, opened


@command(app, "In the configuration of an MCP client: command board, arguments mcp --read-only")
def mcp(
    context: typer.Context,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer no tool that changes anything.")] = False,
) -> None:
    """Serve the board to a model over MCP, on standard input and output."""
    try:
        from ..mcp_server import serve
    except ModuleNotFoundError:
        raise BoardError("The MCP SDK is not installed.", "Install agent-board-client[mcp].") from None
    with opened(context) as board:
        address = board.address
    serve(address, default_home(), read_only)
