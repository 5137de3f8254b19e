"""Commands that tests run in their own process. Each program is built once: typer builds it again for every run."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner


@dataclass
class Result:
    """The output of a command, and the exit status that a shell sees."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


@cache
def program(app: typer.Typer) -> Any:
    return typer.main.get_command(app)


def invoke(
    app: typer.Typer,
    arguments: Sequence[str],
    text: str | bytes | None = None,
    env: Mapping[str, str | None] | None = None,
) -> Result:
    """Run a command line with this standard input, and these variables besides those of the tests."""
    with CliRunner().isolation(text, env) as (output, error, _):
        with pytest.raises(SystemExit) as end:
            program(app)(arguments, prog_name=app.info.name)
        sys.stdout.flush()
        sys.stderr.flush()
        stdout, stderr = (stream.getvalue().decode().replace("\r\n", "\n") for stream in (output, error))
    assert isinstance(end.value.code, int), end.value.code
    return Result(end.value.code, stdout, stderr)
