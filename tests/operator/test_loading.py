"""An operator in an incident types ten commands, so a command loads no library that it does not need."""

import subprocess
import sys

# for migrations, logs and servers of processes, the key of the log, all settings, those of a run here, and `doctor`
NEEDED_BY_FEW = {
    "tortoise", "structlog", "rich", "aiohttp", "sanic", "cryptography", "dotenv", "http.client",
    "services.process.settings",
}  # fmt: skip


def test_the_command_loads_no_library_that_few_commands_need() -> None:
    program = "import sys; import services.operator.program; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()
    assert "asyncpg" in loaded
    assert NEEDED_BY_FEW & set(loaded) == set()
