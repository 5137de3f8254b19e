"""Clients that generators make from /openapi.json build, and work with a board.

Each caller in `callers` uses a generated client in the way of its language: it registers, publishes, pages, revalidates
and is refused. All of them report the same.
"""

import json
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.generated_clients.tools import HERE, KEPT, Command, npm_packages, python, run
from tests.processes import CHECKOUT, ApiProcess
from tests.web import Web

CALLERS = HERE / "callers"
# By default, it would try all schemas of a choice instead of reading the discriminator.
OPTIONS = "packageName=board,useOneOfDiscriminatorLookup=true,withGoMod=false,supportsES6=true"
SOURCES = "models,apis,supportingFiles,modelTests=false,apiTests=false,modelDocs=false,apiDocs=false"
STRICT = ["--strict", "--noEmitOnError", "--skipLibCheck", "--target", "es2023", "--module", "commonjs"]
CHECKED = ["--follow-imports", "silent", "call.py", "board/api", "board/models"]


def openapi_generator(language: str, description: Path, folder: Path) -> None:
    program = python().with_name("openapi-generator-cli")
    more = ["--additional-properties", OPTIONS, "--global-property", SOURCES]
    run([program, "generate", "-i", description, "-g", language, "-o", folder, *more], folder.parent)


def generator_for_go(description: Path, folder: Path) -> Command:
    openapi_generator("go", description, folder / "board")
    shutil.rmtree(folder / "board" / "test", ignore_errors=True)
    return go_program("openapi_generator.go", folder)


def oapi_codegen(description: Path, folder: Path) -> Command:
    python()
    (folder / "board").mkdir()
    copy_module(folder)
    options = ["-generate", "types,client", "-package", "board", "-o", "board/board.go"]
    run(["go", "tool", "oapi-codegen", *options, description], folder)
    return go_program("oapi_codegen.go", folder)


def go_program(caller: str, folder: Path) -> Command:
    copy_module(folder)
    (folder / "caller").mkdir()
    shutil.copy(CALLERS / caller, folder / "caller" / "main.go")
    run(["go", "vet", "./..."], folder)
    run(["go", "build", "-o", "call", "./caller"], folder)
    return [folder / "call"]


def copy_module(folder: Path) -> None:
    for name in ("go.mod", "go.sum"):
        shutil.copy(HERE / "go" / name, folder)


def generator_for_python(description: Path, folder: Path) -> Command:
    openapi_generator("python", description, folder)
    run([python(), "-W", "error", "-m", "compileall", "-q", "board"], folder)
    return python_program("openapi_generator.py", folder)


def openapi_python_client(description: Path, folder: Path) -> Command:
    program = python().with_name("openapi-python-client")
    options: Command = ["--meta", "none", "--output-path", folder / "board"]
    printed = run([program, "generate", "--path", description, *options], folder)
    # an operation or schema that it does not understand is left out with a warning
    assert "Warning" not in printed, printed
    command = python_program("openapi_python_client.py", folder)
    mypy: Command = [CHECKOUT / ".venv" / "bin" / "mypy", "--strict", "--python-executable", python()]
    # board/client.py, which is the same for every description, is left out
    run([*mypy, "--cache-dir", KEPT / "mypy", *CHECKED], folder)
    return command


def python_program(caller: str, folder: Path) -> Command:
    shutil.copy(CALLERS / caller, folder / "call.py")
    return [python(), "-W", "error", folder / "call.py"]


def generator_for_typescript(description: Path, folder: Path) -> Command:
    openapi_generator("typescript-fetch", description, folder / "board")
    return typescript_program("openapi_generator.ts", folder)


def openapi_typescript(description: Path, folder: Path) -> Command:
    program = npm_packages(HERE / "npm") / "node_modules" / ".bin" / "openapi-typescript"
    run(["node", program, description, "--output", folder / "board.ts"], folder)
    return typescript_program("openapi_fetch.ts", folder)


def typescript_program(caller: str, folder: Path) -> Command:
    (folder / "node_modules").symlink_to(npm_packages(HERE / "npm") / "node_modules")
    shutil.copy(CALLERS / caller, folder / "call.ts")
    run(["node", "node_modules/typescript/bin/tsc", *STRICT, "--types", "node", "--outDir", "built", "call.ts"], folder)
    return ["node", folder / "built" / "call.js"]


# Each with whether its client raises an error on 304, whatever the description says.
GENERATORS: dict[str, tuple[Callable[[Path, Path], Command], bool]] = {
    "openapi-generator-go": (generator_for_go, True),
    "openapi-generator-python": (generator_for_python, True),
    "openapi-generator-typescript": (generator_for_typescript, True),
    "openapi-python-client": (openapi_python_client, False),
    "openapi-typescript": (openapi_typescript, False),
    "oapi-codegen": (oapi_codegen, False),
}


@pytest.mark.slow
@pytest.mark.parametrize("generator", GENERATORS)
def test_a_generated_client_builds_and_works(generator: str, api: ApiProcess, web: Web, tmp_path: Path) -> None:
    make, raises = GENERATORS[generator]
    description = tmp_path / "openapi.json"
    description.write_bytes(web.get("/openapi.json").content)
    folder = tmp_path / "client"
    folder.mkdir()
    command = make(description, folder)
    name = f"generated-{secrets.token_hex(6)}"
    assert json.loads(run(command, folder, BOARD=api.url, NAME=name)) == expected(name, raises)


def expected(name: str, raises: bool) -> dict[str, Any]:
    titles = [f"Question {number}" for number in (2, 1, 0)]
    return {
        "registered": [201, name, True],
        "posted_once": True,
        "listed": titles,
        "recent": ["reply to true", *(f"thread {title}" for title in titles)],
        "unchanged": [304, raises],
        "refused": [401, "invalid_token"],
        "refused_a_public_read": [401, "invalid_token"],
        "wrong": [400, "validation_failed", "community"],
        "limited": [429, "rate_limited", True],
        "page": True,
    }
