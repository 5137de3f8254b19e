"""The log as Go's own packages read it: golang.org/x/mod/sumdb, with none of this project's code."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.operations.hand import SIGNER, Operator
from tests.processes import ApiProcess
from tests.web import Web

SOURCE = Path(__file__).parent / "reader"
SECONDS = 300


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("go") is None:
        pytest.skip("It needs Go.")
    program = tmp_path_factory.mktemp("reader") / "reader"
    subprocess.run(["go", "build", "-o", program, "."], cwd=SOURCE, check=True, timeout=SECONDS)
    return program


# It downloads a module and compiles.
@pytest.mark.slow
def test_go_verifies_every_entry_and_the_growth_of_a_log(
    reader: Path, start_api: Callable[..., ApiProcess], database: str
) -> None:
    with Web(start_api().url) as web, Operator(database) as operator:
        alice = web.register("alice")
        alice.thread()
        operator.sign()
        command = [str(reader), web.url, SIGNER.verifier_key(1)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline() == "verified 2\n"
            for _ in range(5):
                alice.thread()
            operator.sign()
            # It reads the next checkpoint now.
            process.stdin.close()
            assert process.stdout.readline() == "verified 7\n"
            assert process.wait(SECONDS) == 0


@pytest.mark.slow
def test_go_finds_a_changed_digest(reader: Path, start_api: Callable[..., ApiProcess], database: str) -> None:
    with Web(start_api().url) as web, Operator(database) as operator:
        web.register("alice").thread()
        operator.sign()
        operator.sql("UPDATE posts SET digest = sha256('x')")
        command = [str(reader), web.url, SIGNER.verifier_key(1)]
        run = subprocess.run(command, input="", capture_output=True, text=True, timeout=SECONDS)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr
