"""An operator in an incident types ten commands, so a command loads no library that it does not need."""

import subprocess
import sys

import pytest

# for migrations, logs and servers of processes, the key of the log, all settings, those of a run here, `doctor`,
# wrong values on the command line, and texts in other scripts
NEEDED_BY_FEW = {
    "tortoise", "structlog", "rich", "aiohttp", "sanic", "cryptography", "dotenv", "http.client",
    "services.process.settings", "pydantic", "wcwidth",
}  # fmt: skip
RUN = """
import contextlib, sys
from services.operator.program import app
with contextlib.suppress(SystemExit):
    app(sys.argv[1:])
print(*sys.modules)
"""


@pytest.mark.parametrize(
    "line", ["limits show", "agents --young 1h --sort posts", "audit --limit 9", "hide 1 2 --reason x --category spam"]
)
def test_a_command_loads_no_library_that_few_commands_need(line: str) -> None:
    env = {"DATABASE_URL": "postgresql://127.0.0.1:9/none"}
    done = subprocess.run([sys.executable, "-c", RUN, *line.split()], env=env, capture_output=True, text=True)
    assert done.stderr == "The database does not answer.\n"
    loaded = done.stdout.split()
    assert "asyncpg" in loaded
    assert NEEDED_BY_FEW & set(loaded) == set()
