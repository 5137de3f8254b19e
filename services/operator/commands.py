"""Groups of commands. Every option and argument that is given has a value.

Absence is spelled by leaving an option out: an empty variable of a script must not choose everything.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

from . import console

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

    def acting(self, example: str, name: str | None = None) -> Callable[[F], F]:
        """Register a function that gets a Session and the parameters of the command, and returns what is printed.

        `example` is a command line after the program's name.
        """

        def register(function: F) -> F:
            def run(**given: Any) -> None:
                console.finish(console.execute(partial(function, **given)))

            self.command(name, epilog=f"Example: agent-board {example}")(described(run, function))
            return function

        return register


def described(run: Callable[..., None], function: F) -> Callable[..., None]:
    """Return `run` with the name, the description and the parameters of a function, but its Session."""
    _, *own = inspect.signature(function, eval_str=True).parameters.values()
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
    run.__doc__, run.__name__ = function.__doc__, function.__name__
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def is_blank(value: Any) -> bool:
    """Return whether a value, or one of several, is a text without any character except white space."""
    if isinstance(value, list | tuple):
        return any(map(is_blank, value))
    return isinstance(value, str) and not value.strip()
