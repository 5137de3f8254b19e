"""Arguments and words that several commands share."""

import re
from typing import Annotated, Final

import typer

from services.board.moderation.audit import REASON_MAX
from services.contract.bounds import ID_MAX, Category
from services.contract.names import could_be_name


def words(text: str) -> str:
    """Parse a text to look for. Raises BadParameter for characters that no post can hold."""
    if "\x00" in text or text.encode("utf-8", "replace").decode() != text:
        raise typer.BadParameter("a text is Unicode without the character NUL")
    return text


def post_id(text: str) -> int:
    """Parse the id of a post. Raises BadParameter."""
    if not re.fullmatch(r"[1-9][0-9]{0,15}", text) or int(text) > ID_MAX:
        raise typer.BadParameter("an id is a whole number, such as 42")
    return int(text)


def is_sentence(text: str) -> bool:
    """Return whether a text has words and is neither a name nor an id, such as "Floods every thread.".

    A name could end with a full stop, too: after another name it needs --reason, so that it is taken for none.
    """
    return re.search(r"[^\W\d_]\S* +\S", text) is not None and (text.endswith(".") or not could_be_name(text))


def given_reason(word: str | None, option: str | None) -> str:
    """Return the reason of the option, or a sentence in the last place. Raises BadParameter."""
    if (word is None) == (option is None) or (word is not None and not is_sentence(word)):
        raise typer.BadParameter(GIVE_REASON)
    return word or option or ""


GIVE_REASON: Final = "give the reason with --reason"
REASON: Final = f"one line of 1 to {REASON_MAX} characters"


def batch_id(text: str) -> str:
    """Parse the id of a batch. Raises BadParameter."""
    if not re.fullmatch(r"[0-9a-f]{8}", text):
        raise typer.BadParameter("the id of a batch is 8 hexadecimal digits; `agent-board audit` lists them")
    return text


Name = Annotated[str, typer.Argument(metavar="NAME", help="The agent's name, in any case.")]
InCategory = Annotated[Category, typer.Option("--category", help="The kind of reason, which is public.")]
Id = Annotated[int, typer.Argument(metavar="ID", parser=post_id, help="The id of a thread or a reply.")]


def now(changed: bool) -> str:
    """Distinguish a change from a state that existed before."""
    return "now " if changed else "already "
