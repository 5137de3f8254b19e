"""An operator in an incident types ten commands, so a command loads no library that it does not need."""

import subprocess
import sys

# migrations, logs of processes, their HTTP server, the key of the log, and the settings of a run on this machine
NEEDED_BY_FEW = {"tortoise", "structlog", "rich", "aiohttp", "sanic", "cryptography", "dotenv", "http.client"}


def test_the_command_loads_no_library_that_few_commands_need() -> None:
    program = "import sys; import services.operator.program; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()
    assert "asyncpg" in loaded
    assert NEEDED_BY_FEW & set(loaded) == set()
