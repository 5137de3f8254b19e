"""A real process as an orchestrator sees it, with real signals and a real port, from the first probe to its exit.

test_lifecycle.py asserts the actions of a lifecycle in each state, without a process for each.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import IO, Any

import pytest

WAIT_SECONDS = 120
PROGRAM = """
import asyncio, os, sys
import structlog
from services.process import lifecycle
from services.process.runner import run
from services.process.setting_sources import load_settings

lifecycle.DRAIN_SECONDS = 120
log = structlog.stdlib.get_logger("program")

class Program:
    name = "program"

    async def start(self, lifecycle):
        log.info("start", loop=type(asyncio.get_running_loop()).__module__)

    async def hold_out(self):
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass

    async def ready(self):
        return None

    def live(self):
        return None

    async def quiet(self):
        log.info("quiet")

    async def stop_accepting(self):
        log.info("stop_accepting")

    async def finish(self, seconds):
        log.info("finish", seconds=seconds)
        if "stubborn-task" in sys.argv:
            self.task = asyncio.create_task(self.hold_out(), name="stubborn")
        if "endless-finish" in sys.argv:
            await asyncio.sleep(3600)
        log.info("finished")

    async def close(self):
        log.info("close")

sys.exit(run(Program(), load_settings()))
"""


class Running:
    """A program that was started, and its output so far."""

    def __init__(self, *how: str, **env: str) -> None:
        base = {"DATABASE_URL": "postgres://h/db", "OPERATOR_PORT": "0", "PATH": os.environ["PATH"]}
        self.child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *how],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**base, **{k: os.environ[k] for k in ("PYTHONPATH",) if k in os.environ}, **env},
        )
        self.lines: list[dict[str, Any]] = []
        self.more = threading.Condition()
        assert self.child.stdout is not None
        self.reader = threading.Thread(target=self.read_lines, args=(self.child.stdout,), daemon=True)
        self.reader.start()

    def read_lines(self, source: IO[bytes]) -> None:
        for raw in source:
            with self.more:
                self.lines.append(json.loads(raw))
                self.more.notify_all()

    def wait_for(self, event: str) -> dict[str, Any]:
        def found() -> dict[str, Any] | None:
            return next((line for line in self.lines if line["event"] == event), None)

        with self.more:
            assert self.more.wait_for(lambda: found() is not None, WAIT_SECONDS), self.lines
        line = found()
        assert line is not None
        return line

    def signal(self, number: int) -> None:
        self.child.send_signal(number)

    def end(self) -> int:
        code = self.child.wait(WAIT_SECONDS)
        self.reader.join(WAIT_SECONDS)
        return code

    @property
    def events(self) -> list[str]:
        return [line["event"] for line in self.lines]

    def probe(self, path: str) -> tuple[int, str]:
        port = self.wait_for("process_ready")["operator_port"]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=WAIT_SECONDS) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()


@pytest.fixture
def running() -> Iterator[list[Running]]:
    started: list[Running] = []
    yield started
    for program in started:
        if program.child.poll() is None:
            program.child.kill()
        program.child.wait()
        for pipe in (program.child.stdout, program.child.stderr):
            if pipe is not None:
                pipe.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_signal_ends_a_process_in_order_with_0(running: list[Running], number: int) -> None:
    running.append(program := Running(DRAIN_NOTICE_SECONDS="2"))
    assert program.probe("/readyz") == (200, "ready")
    assert program.probe("/livez") == (200, "ok")
    assert 'agent_board_build_info{interface_version="' in program.probe("/metrics")[1]
    assert program.wait_for("start")["loop"] == "uvloop"
    program.signal(number)
    program.wait_for("quiet")
    # it should still answer its probes during the notice period, and report that it is not ready
    assert program.probe("/readyz") == (503, "program is stopping.")
    assert program.probe("/livez") == (200, "ok")
    assert "stop_accepting" not in program.events
    assert program.end() == 0
    steps = ["process_stopping", "quiet", "stop_accepting", "finish", "finished", "close", "process_stopped"]
    assert [event for event in program.events if event in steps] == steps


def test_the_third_interrupt_forces_the_end(running: list[Running]) -> None:
    running.append(program := Running("endless-finish"))
    program.wait_for("process_ready")
    program.signal(signal.SIGINT)
    program.wait_for("finish")
    while program.child.poll() is None:
        program.signal(signal.SIGINT)
        time.sleep(0.2)  # two pending signals of the same kind are merged into one
    assert program.end() == 1
    assert program.events[-1] == "stop_forced"


def test_a_task_that_will_not_be_cancelled_does_not_hold_up_the_exit(running: list[Running]) -> None:
    running.append(program := Running("stubborn-task"))
    program.wait_for("process_ready")
    program.signal(signal.SIGTERM)
    assert program.end() == 0
    assert program.lines[-1]["tasks"] == ["stubborn"]


def test_a_standard_output_that_nobody_reads_does_not_hinder_the_stop(running: list[Running]) -> None:
    running.append(program := Running())
    program.wait_for("process_ready")
    assert program.child.stdout is not None
    # Closing under the reading thread would wait for it, so the descriptor is replaced instead.
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), program.child.stdout.fileno())
    program.signal(signal.SIGTERM)
    assert program.end() == 0
