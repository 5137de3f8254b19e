"""Groups of commands in which every option and argument that is given has a value.

Absence is spelled by leaving an option out: an empty variable of a script must not choose everything.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

F = TypeVar("F", bound=Callable[..., Any])


class Command(TyperCommand):
    """A command that refuses the empty value of an option or an argument, before it parses or does anything."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # Callbacks, which are documented, get values only after they were converted, and defaults, too.
        values, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        parameters: list[Any] = list(self.get_params(ctx))
        for parameter in parameters:
            if parameter.name and is_blank(values.get(parameter.name)):
                way = "" if parameter.required else "; leave it out"
                raise typer.BadParameter(f"the value is empty{way}", ctx, parameter)
        return super().parse_args(ctx, args)


class Commands(typer.Typer):
    """A group of such commands, with plain help."""

    def __init__(self, **about: Any) -> None:
        super().__init__(rich_markup_mode=None, **about)

    def command(self, *name: Any, **about: Any) -> Callable[[F], F]:
        """Register a function as a command of this kind, as typer does."""
        return super().command(*name, **{"cls": Command, **about})


def is_blank(value: Any) -> bool:
    """Return whether a value, or one of several, is a text without any character except white space."""
    if isinstance(value, list | tuple):
        return any(map(is_blank, value))
    return isinstance(value, str) and not value.strip()
