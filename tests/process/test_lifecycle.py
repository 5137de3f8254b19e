"""The lifecycle: one order of steps, no lost stop, no step that blocks the stop, correct exit codes."""

import asyncio
import gc
import json
import logging
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import structlog

from services.process.lifecycle import STOP_SIGNALS, Lifecycle, StartError
from services.process.metrics import Registry
from services.process.runner import run
from services.process.setting_sources import load_settings
from services.process.settings import Settings
from services.process.telemetry import configure_logging

WAIT_SECONDS = 120
# The limit of a step in tests that let it run out.
SHORT_SECONDS = 0.05
Hook = Callable[[], Awaitable[None]]


class Recorder:
    """A process that records its steps; a test may obstruct each of them."""

    name = "recorder"

    def __init__(self) -> None:
        self.steps: list[object] = []
        self.hooks: dict[str, Hook] = {}
        self.lifecycle: Lifecycle | None = None
        self.started = asyncio.Event()
        self.not_ready: str | None = None

    async def step(self, name: str) -> None:
        self.steps.append(name)
        if name in self.hooks:
            await self.hooks[name]()

    async def start(self, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        self.started.set()
        await self.step("start")

    async def ready(self) -> str | None:
        return self.not_ready

    def live(self) -> str | None:
        return None

    async def quiet(self) -> None:
        await self.step("quiet")

    async def stop_accepting(self) -> None:
        await self.step("stop accepting")

    async def finish(self, seconds: float) -> None:
        self.steps.append(seconds)
        await self.step("finish")

    async def close(self) -> None:
        await self.step("close")


STOP = ["quiet", "pause 7.0", "stop accepting", 20.0, "finish", "close"]


def settings_with(**env: str) -> Settings:
    return load_settings({"DATABASE_URL": "postgres://h/db", "OPERATOR_PORT": "0", **env})


class Life:
    """A lifecycle under test, with its process, its log and its sleeps."""

    def __init__(self, log: list[bytes], signals: Iterable[int] = ()) -> None:
        self.process = Recorder()
        self.release = asyncio.Event()
        self.raw_lines = log
        settings = settings_with(DRAIN_NOTICE_SECONDS="7")
        self.lifecycle = Lifecycle(
            self.process,
            settings,
            Registry(),
            sleep=self.sleep,
            step_seconds=WAIT_SECONDS,
            signals=signals,
        )
        self.task: asyncio.Task[int] | None = None

    def begin(self) -> "asyncio.Task[int]":
        self.task = asyncio.create_task(self.lifecycle.run())
        return self.task

    async def serving(self) -> "asyncio.Task[int]":
        task = self.begin()
        await until(lambda: any(line["event"] == "process_ready" for line in self.log))
        return task

    def hold(self, step: str, stubborn: bool = False) -> None:
        """Keep this step from finishing until the release; a stubborn one also resists cancellation."""

        async def wait() -> None:
            while not self.release.is_set():
                try:
                    await self.release.wait()
                except asyncio.CancelledError:
                    if not stubborn:
                        raise

        self.process.hooks[step] = wait

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.lifecycle.on_signal(number)

    async def readiness(self) -> tuple[int, str]:
        async with aiohttp.request("GET", f"http://127.0.0.1:{self.lifecycle.operator_port.port}/readyz") as answer:
            return answer.status, await answer.text()

    @property
    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.raw_lines]

    @property
    def errors(self) -> list[str]:
        return [line["event"] for line in self.log if line["level"] == "error"]

    async def sleep(self, seconds: float) -> None:
        await self.process.step(f"pause {seconds}")


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not true():  # noqa: ASYNC110 - the log has no event to wait for
            await asyncio.sleep(0.001)


@pytest.fixture
def log() -> Iterator[list[bytes]]:
    handlers, written = logging.getLogger().handlers[:], list[bytes]()
    configure_logging("recorder", "info", written.append)
    yield written
    logging.getLogger().handlers[:] = handlers
    logging.captureWarnings(False)
    structlog.reset_defaults()


@pytest_asyncio.fixture
async def life(log: list[bytes]) -> AsyncIterator[Life]:
    life = Life(log)
    yield life
    life.release.set()
    if life.task is not None and not life.task.done():
        life.task.cancel()
        await asyncio.gather(life.task, return_exceptions=True)


async def test_a_stop_takes_every_step_in_order_and_ends_with_0(life: Life) -> None:
    task = await life.serving()
    assert life.process.steps == ["start"]
    life.stop()
    assert await task == 0
    assert life.process.steps == ["start", *STOP]
    assert life.errors == []


async def test_readiness_follows_the_start_the_process_and_the_stop(life: Life) -> None:
    life.hold("start")
    task = life.begin()
    await life.process.started.wait()
    # it should not be ready before the start is complete
    assert await life.readiness() == (503, "recorder is starting.")
    life.release.set()
    await until(lambda: any(line["event"] == "process_ready" for line in life.log))
    assert await life.readiness() == (200, "ready")
    # it should query the process while it serves
    life.process.not_ready = "The database is away."
    assert await life.readiness() == (503, "The database is away.")
    life.process.not_ready = None
    # it should become unready as soon as a stop is requested, while it still serves
    life.release.clear()
    life.hold("finish")
    life.stop()
    assert await life.readiness() == (503, "recorder is stopping.")
    life.release.set()
    assert await task == 0


async def test_the_operator_port_answers_until_after_the_close(life: Life) -> None:
    async def ask() -> None:
        answers.append(await life.readiness())

    answers: list[tuple[int, str]] = []
    life.process.hooks["close"] = ask
    task = await life.serving()
    life.stop()
    await task
    assert answers == [(503, "recorder is stopping.")]
    with pytest.raises(aiohttp.ClientConnectionError):
        await life.readiness()


async def test_a_stop_during_the_start_is_not_lost(life: Life) -> None:
    life.hold("start")
    task = life.begin()
    await life.process.started.wait()
    life.stop()
    assert await asyncio.wait_for(task, WAIT_SECONDS) == 0
    assert life.process.steps == ["start", "close"]
    assert life.errors == []


async def test_a_second_signal_neither_shortens_nor_repeats_the_stop(life: Life) -> None:
    life.hold("finish")
    task = await life.serving()
    life.stop()
    await until(lambda: "finish" in life.process.steps)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGINT):
        life.stop(number)
    await asyncio.sleep(0.05)
    assert not task.done()
    life.release.set()
    assert await task == 0
    assert life.process.steps == ["start", *STOP]


async def test_a_start_error_is_one_line_without_a_traceback(life: Life) -> None:
    async def refuse() -> None:
        raise StartError("The schema is at revision 3; revision 4 is needed.")

    life.process.hooks["start"] = refuse
    assert await life.begin() == 1
    assert life.errors == ["start_refused"]
    assert life.log[-2]["reason"] == "The schema is at revision 3; revision 4 is needed."
    assert all("exception" not in line for line in life.log)
    # it should release what the start had acquired
    assert life.process.steps == ["start", "close"]


async def test_any_other_failure_of_the_start_shows_where_it_happened(life: Life) -> None:
    async def break_down() -> None:
        raise KeyError("bug")

    life.process.hooks["start"] = break_down
    assert await life.begin() == 1
    assert life.errors == ["start_failed"]
    failed = next(line for line in life.log if line["level"] == "error")
    assert failed["exception"][0]["frames"][-1]["name"] == "break_down"
    assert life.process.steps == ["start", "close"]


async def test_an_operator_port_in_use_stops_the_start_with_a_sentence(log: list[bytes]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = settings_with(OPERATOR_PORT=str(taken.getsockname()[1]))
        process = Recorder()
        assert await Lifecycle(process, settings, Registry(), signals=()).run() == 1
    (error,) = [json.loads(line) for line in log if b'"error"' in line]
    assert error["event"] == "start_refused"
    assert error["reason"].startswith(f"The operator port cannot listen on 127.0.0.1:{settings.operator_port}: ")
    assert "in use" in error["reason"]
    assert process.steps == []


@pytest.mark.parametrize("end", ["exception", "return", "cancel"])
async def test_a_watched_task_that_ends_stops_the_process_in_order_with_1(life: Life, end: str) -> None:
    async def follow() -> None:
        await release.wait()
        if end == "exception":
            raise RuntimeError("lost the log")

    release = asyncio.Event()
    task = await life.serving()
    watched = asyncio.create_task(follow(), name="follow-the-log")
    life.lifecycle.watch(watched)
    if end == "cancel":
        watched.cancel()
    release.set()
    assert await asyncio.wait_for(task, WAIT_SECONDS) == 1
    assert life.process.steps == ["start", *STOP]
    line = next(line for line in life.log if line["level"] == "error")
    assert (line["event"], line["task"]) == ("background_task_ended", "follow-the-log")
    assert ("exception" in line) == (end == "exception")


async def test_a_watched_task_may_end_once_the_stop_was_asked_for(life: Life) -> None:
    async def follow() -> None:
        await release.wait()
        raise RuntimeError("connection closed")

    release = asyncio.Event()
    task = await life.serving()
    life.lifecycle.watch(asyncio.create_task(follow()))
    life.stop()
    release.set()
    assert await task == 0
    assert life.errors == []


@pytest.mark.parametrize("step", ["quiet", "stop accepting", "finish", "close"])
async def test_a_step_that_fails_does_not_keep_the_next_ones_from_being_taken(life: Life, step: str) -> None:
    async def fail() -> None:
        raise RuntimeError("no")

    life.process.hooks[step] = fail
    task = await life.serving()
    life.stop()
    assert await task == 1
    assert life.process.steps == ["start", *STOP]
    assert life.errors == ["stop_step_failed"]


@pytest.mark.parametrize("step", ["start", "quiet", "stop accepting", "finish", "close"])
async def test_a_step_that_never_ends_is_cut_short(life: Life, step: str) -> None:
    life.lifecycle.step_seconds = SHORT_SECONDS
    life.hold(step, stubborn=True)
    task = life.begin()
    await life.process.started.wait()
    if step != "start":
        await until(lambda: any(line["event"] == "process_ready" for line in life.log))
    life.stop()
    assert await asyncio.wait_for(task, WAIT_SECONDS) == 0
    assert life.process.steps == (["start", "close"] if step == "start" else ["start", *STOP])


async def test_work_left_at_the_deadline_is_told_but_is_no_failure(life: Life) -> None:
    async def give_up() -> None:
        raise TimeoutError

    life.process.hooks["finish"] = give_up
    task = await life.serving()
    life.stop()
    assert await task == 0
    cut = [line for line in life.log if line["event"] == "stop_step_cut_short"]
    assert [line["step"] for line in cut] == ["finish"]


@pytest.fixture
def signals() -> Iterator[None]:
    """Give back the signals that a process ignores at its end: all programs of later tests would ignore them, too."""
    handlers = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
def test_a_look_up_that_outlasts_its_connection_is_no_error(
    capfd: pytest.CaptureFixture[str], log: list[bytes]
) -> None:
    async def give_up() -> None:
        loop = asyncio.get_running_loop()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await loop.create_connection(asyncio.Protocol, "gone.invalid", 6379)
        with pytest.raises(OSError):
            await loop.getaddrinfo("gone.invalid", None)
        gc.collect()
        raise StartError("The name was not found.")

    process = Recorder()
    process.hooks["start"] = give_up
    assert run(process, settings_with()) == 1
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line["event"] for line in lines if line["level"] == "error"] == ["start_refused"]
