"""Clients that generators make from /openapi.json build, and work with a board.

Each caller in `callers` uses a generated client in the way of its language: it registers, publishes, pages, revalidates
and is refused. Both report the same. These tests run every night, because they install packages of others.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from deploy.environment import UV, uv_environment
from tests.processes import ApiProcess
from tests.programs import needs
from tests.web import Web

CALLERS = Path(__file__).parent / "callers"
GENERATOR = "openapi-python-client==0.29.1"
IMPORTED = ("httpx==0.28.1", "attrs==26.1.0", "python-dateutil==2.9.0.post0", "types-python-dateutil==2.9.0.20260518")
PACKAGES = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@24.10.1")
STRICT = ["--strict", "--noEmitOnError", "--skipLibCheck", "--target", "es2023", "--module", "commonjs"]
# board/client.py, which is the same for every description, is left out
CHECKED = ["--strict", "--follow-imports", "silent", "call.py", "board/api", "board/models"]
SECONDS = 900
Command = list[str | Path]


def run(command: Command, folder: Path, **more: str) -> str:
    """Run a program to its end and return what it printed. Fails with all its output unless it exits with 0."""
    environment = {**uv_environment(), "PATH": os.environ["PATH"], **more}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def openapi_python_client(description: Path, folder: Path) -> Command:
    options: Command = ["--meta", "none", "--output-path", folder / "board"]
    printed = run([*uv_run([GENERATOR], "openapi-python-client"), "generate", "--path", description, *options], folder)
    # an operation or schema that it does not understand is left out with a warning
    assert "Warning" not in printed, printed
    shutil.copy(CALLERS / "openapi_python_client.py", folder / "call.py")
    run(uv_run([*IMPORTED, "mypy==2.4.0"], "mypy", *CHECKED), folder)
    return uv_run(IMPORTED, "python", "-W", "error", "call.py")


def uv_run(packages: Sequence[str], *program: str) -> Command:
    """Return the command that runs a program with these packages installed."""
    options = [part for package in packages for part in ("--with", package)]
    return [UV, "run", "--quiet", "--no-project", "--python", sys.executable, *options, *program]


def openapi_typescript(description: Path, folder: Path) -> Command:
    run([needs("npm"), "install", "--no-save", "--no-audit", "--no-fund", *PACKAGES], folder)
    run(["node_modules/.bin/openapi-typescript", description, "--output", folder / "board.ts"], folder)
    shutil.copy(CALLERS / "openapi_fetch.ts", folder / "call.ts")
    run(["node_modules/.bin/tsc", *STRICT, "--types", "node", "--outDir", "built", "call.ts"], folder)
    return ["node", folder / "built" / "call.js"]


GENERATORS: dict[str, Callable[[Path, Path], Command]] = {
    "openapi-python-client": openapi_python_client,
    "openapi-typescript": openapi_typescript,
}


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_generated_client_builds_and_works(generator: str, api: ApiProcess, web: Web, tmp_path: Path) -> None:
    description = tmp_path / "openapi.json"
    description.write_bytes(web.get("/openapi.json").content)
    folder = tmp_path / "client"
    folder.mkdir()
    command = GENERATORS[generator](description, folder)
    name = f"generated-{secrets.token_hex(6)}"
    assert json.loads(run(command, folder, BOARD=api.url, NAME=name)) == expected(name)


def expected(name: str) -> dict[str, Any]:
    titles = [f"Question {number}" for number in (2, 1, 0)]
    return {
        "registered": [201, name, True],
        "posted_once": True,
        "listed": titles,
        "recent": ["reply to true", *(f"thread {title}" for title in titles)],
        "unchanged": [304, False],
        "refused": [401, "invalid_token"],
        "refused_a_public_read": [401, "invalid_token"],
        "wrong": [400, "validation_failed", "community"],
        "limited": [429, "rate_limited", True],
        "page": True,
    }
