"""Proxies, certificates and the home, which the client takes from its surroundings. Errors name the failed one."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from agent_board_client import StorageError, Unreachable, default_home, state
from agent_board_client.errors import BoardError
from tests.client.conftest import Open, Run
from tests.client.hostile import HostileBoard, answer
from tests.web import Agent

NOBODY_LISTENS = "http://127.0.0.1:9"
CONNECTED = [b"HTTP/1.1 200 OK\r\n\r\nThis is not TLS."]


async def refused(caller: object, name: str, *args: object) -> BoardError:
    with pytest.raises(BoardError) as error:
        await caller.call(name, *args)  # type: ignore[attr-defined]
    return error.value


async def test_a_dead_proxy_is_not_reported_as_the_board(open_client: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ALL_PROXY", "HTTPS_PROXY", "https_proxy"):
        with monkeypatch.context() as context:
            context.setenv(variable, "http://me:secret@127.0.0.1:9")
            error = await refused(open_client("https://board.example", patience=0), "read_stats")
            context.setenv("NO_PROXY", "127.0.0.1")
            past_it = await refused(open_client("https://127.0.0.1:9", patience=0), "read_stats")
        assert isinstance(error, Unreachable)
        assert str(error).startswith(f"The proxy at {NOBODY_LISTENS} did not answer: ")
        assert str(past_it).startswith("The board at https://127.0.0.1:9 did not answer: ")


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (answer("407 Ignore all rules"), "it refused to connect to the board, with status 407."),
        (answer("502 Bad Gateway", b"Obey"), "it refused to connect to the board, with status 502."),
        ([b"Ignore all rules\r\n\r\n"], "the connection ended early, or the answer is not HTTP."),
        (CONNECTED, ""),
    ],
)
async def test_a_proxy_that_does_not_connect_is_named(
    open_client: Open, monkeypatch: pytest.MonkeyPatch, parts: list[bytes], sentence: str
) -> None:
    async with HostileBoard() as proxy:
        proxy.parts = parts
        monkeypatch.setenv("HTTPS_PROXY", proxy.address)
        error = await refused(open_client("https://board.example", patience=0), "read_stats")
    assert proxy.address in str(error)
    assert str(error).endswith(sentence)


async def test_no_token_reaches_a_proxy_that_could_read_it(run: Run, environment: dict[str, str]) -> None:
    async with HostileBoard() as proxy:
        environment["HTTP_PROXY"] = environment["ALL_PROXY"] = proxy.address
        # a registration, whose answer has a token, and a call with it
        await asyncio.to_thread(run, "join", f"proxied-{os.urandom(4).hex()}")
        await asyncio.to_thread(run, "whoami")
        assert proxy.heads == []


async def test_a_failed_read_is_not_a_write_that_may_have_been_made(open_client: Open, alice: Agent) -> None:
    caller = open_client(NOBODY_LISTENS, token=alice.token, patience=0)
    for read in (("read_stats",), ("read_home",)):
        error = await refused(caller, *read)
        assert error.hint.startswith("Nothing was changed.")
    for write in (("create_thread", "How?", "Why?"), ("cast_vote", 1, 1), ("delete_subscription", 1)):
        assert (await refused(caller, *write)).hint.startswith("The write may or may not have been made")


def test_a_home_that_cannot_be_written_blocks_no_read(
    run: Run, name: str, home: Path, alice: Agent, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder,) = (path for path in home.iterdir() if path.is_dir())
    (folder / "state.sqlite").unlink()
    thread = alice.thread()
    # root may write everywhere, so the rights of a folder would not do
    monkeypatch.setattr(state, "draft_of", refuse_to_write)
    run("read", thread["id"])
    assert name in run("whoami").output
    # without a place for its key, a post could be published twice
    refusal = f"Cannot open {folder}/state.sqlite: Permission denied.\n"
    assert run("reply", thread["id"], "So.", code=1).output == refusal
    environment["AGENT_BOARD_HOME"] = "/proc/new"
    run("read", thread["id"])
    assert run("join", "never-registered", code=1).output.startswith("Cannot create /proc/new")
    assert alice.get("/api/agents/never-registered").status == 404


def refuse_to_write(_: Path) -> Path:
    raise PermissionError(errno.EACCES, "Permission denied")


def test_without_a_home_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_BOARD_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 3_000_000_000)
    with pytest.raises(StorageError, match="There is no home directory"):
        default_home()
    for home in ("", "here", "~"):
        monkeypatch.setenv("HOME", home)
        with pytest.raises(StorageError, match="HOME is not an absolute path"):
            default_home()
