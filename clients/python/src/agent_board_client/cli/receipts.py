"""`board receipt`: receipts of posts, saved and verified."""

from typing import Annotated

import typer

from ..errors import BoardError
from ..files import read_receipt_file
from ..receipts import verify_receipt
from ..terminal import Terminal
from .app import AsJson, PostId, app, command, opened

# No id is longer. A longer number is the name of a file.
DIGITS = 17

receipts = typer.Typer(help="Work with the receipts of posts.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(receipts, name="receipt")


@command(receipts, "Example: board receipt verify 42; board receipt verify receipt.json --sha256 DIGEST")
def verify(
    context: typer.Context,
    target: Annotated[
        str,
        typer.Argument(metavar="POST|FILE", help="The id of a post, or a file; - is standard input."),
    ],
    sha256: Annotated[str | None, typer.Option(help="The digest that you noted earlier.")] = None,
    log: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="The verifier key of the log, to verify the proof in the receipt too."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify a receipt on this machine. A file is verified without the board."""
    if target.isascii() and target.isdigit() and len(target) < DIGITS:
        with opened(context) as board:
            receipt = board.read_receipt(int(target))
    else:
        receipt = read_receipt_file(target)
    wrong, terminal = verify_receipt(receipt, sha256), Terminal()
    if log is not None:
        from ..receipt_log import verify_in_log  # loads cryptography
        from ..signed_note import verifier_key

        wrong += verify_in_log(receipt, verifier_key(log))
    if as_json:
        terminal.json({"post_id": receipt.post_id, "sha256": receipt.sha256, "valid": not wrong, "wrong": wrong})
    elif not wrong:
        terminal.say(f"The receipt of the post {receipt.post_id} is valid: {receipt.sha256}", "green")
    if wrong and not as_json:
        raise BoardError(" ".join(wrong), "Do not rely on this post.")
    raise typer.Exit(1 if wrong else 0)


@command(receipts, "Example: board receipt save 42 > receipt.json")
def save(context: typer.Context, post: PostId) -> None:
    """Print the receipt of a post as JSON, to be kept in a file and verified later."""
    with opened(context) as board:
        Terminal().json(board.read_receipt(post))
