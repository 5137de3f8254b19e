"""Command lines: texts that begin with a hyphen are texts, and bytes that are UTF-8 are read as that.

An empty value is refused: absence is spelled by leaving an option, an argument or a variable out.
"""

import os
import re
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

# An option that the command does not have is probably a slip, and a post is permanent.
OPTION = re.compile(r"--[A-Za-z][A-Za-z0-9-]*(=\S*)?")


class Command(TyperCommand):
    """A command whose arguments may begin with a hyphen."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with everything that is no option behind `--`."""
        takes_value: dict[str, bool] = {}
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "option":
                names = [*parameter.opts, *parameter.secondary_opts]
                takes_value |= dict.fromkeys(names, not getattr(parameter, "is_flag", False))
        options, texts = sorted_out(list(args), takes_value)
        sorted_args = [*options, "--", *texts]
        refuse_empty(self, ctx, sorted_args)
        return super().parse_args(ctx, sorted_args)


class Program(TyperGroup):
    """The program, whose own options come before the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command."""
        refuse_empty(self, ctx, args)
        return super().parse_args(ctx, args)


def refuse_empty(command: Any, ctx: Any, args: list[str]) -> None:
    """Raise BadParameter for the first option, argument or variable whose value is empty."""
    # Completion parses command lines that are not finished.
    if ctx.resilient_parsing:
        return
    values, _, _ = command.make_parser(ctx).parse_args(args=list(args))
    for parameter in command.get_params(ctx):
        if is_empty(values.get(parameter.name)):
            way = "" if parameter.required else "; leave it out"
            raise typer.BadParameter(f"the value is empty{way}", ctx, parameter)
        if parameter.envvar and is_empty(os.environ.get(parameter.envvar)):
            raise typer.BadParameter(f"the variable {parameter.envvar} is empty; leave it out", ctx, parameter)


def is_empty(value: Any) -> bool:
    """Return whether a value, or one of several, is a text without any character except white space."""
    if isinstance(value, list | tuple):
        return any(map(is_empty, value))
    return isinstance(value, str) and not value.strip()


def sorted_out(args: list[str], takes_value: dict[str, bool]) -> tuple[list[str], list[str]]:
    """Return the options with their values, and the texts."""
    options: list[str] = []
    texts: list[str] = []
    while args:
        argument = args.pop(0)
        name = argument.partition("=")[0]
        if argument == "--":
            return options, texts + args
        if name in takes_value:
            values = 1 if takes_value[name] and "=" not in argument else 0
            options += [argument, *args[:values]]
            del args[:values]
        elif takes_value.get(argument[:2]) or OPTION.fullmatch(argument):
            options.append(argument)
        else:
            texts.append(argument)
    return options, texts


def command_line() -> list[str]:
    """The arguments of this process, read as UTF-8 whatever the locale, where that is what they are."""
    return [as_utf8(argument) for argument in sys.argv[1:]]


def as_utf8(argument: str) -> str:
    try:
        return os.fsencode(argument).decode()
    except UnicodeError:
        return argument
