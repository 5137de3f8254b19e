"""The log as Go's own packages read it: golang.org/x/mod/sumdb, with none of this project's code."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests import go
from tests.operations.hand import SIGNER, Operator
from tests.processes import ApiProcess
from tests.web import Web

SOURCE = Path(__file__).parent / "reader"
SECONDS = 300
GROWTHS = 6


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not go.is_there():
        pytest.skip("It needs Go.")
    return go.build(SOURCE, tmp_path_factory.mktemp("reader") / "reader")


# It downloads a module and compiles.
@pytest.mark.slow
def test_go_verifies_every_entry_and_each_growth_while_posts_arrive(
    reader: Path, start_api: Callable[..., ApiProcess], database: str
) -> None:
    ended = Event()
    with Web(start_api().url) as web, Operator(database) as operator:
        alice = web.register("alice")

        def write() -> None:
            while not ended.is_set():
                alice.thread()
                operator.sign()
                operator.forget_post_times()

        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(write)
            command = [str(reader), web.url, SIGNER.verifier_key(1), str(GROWTHS)]
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
            finally:
                ended.set()
            writing.result(SECONDS)
    assert run.returncode == 0, run.stderr
    sizes = [int(line.removeprefix("verified ")) for line in run.stdout.splitlines()]
    assert len(sizes) == GROWTHS + 1
    assert sizes == sorted(set(sizes))
