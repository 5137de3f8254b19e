"""Commands that tests run in their own process."""

from collections.abc import Mapping, Sequence

import typer
from typer.testing import CliRunner, Result

__all__ = ["Result", "invoke"]


def invoke(
    app: typer.Typer,
    arguments: Sequence[str],
    text: str | bytes | None = None,
    env: Mapping[str, str | None] | None = None,
) -> Result:
    """Run a command line with this standard input, and these variables besides those of the tests."""
    return CliRunner().invoke(app, arguments, text, env, catch_exceptions=False, prog_name=app.info.name)
