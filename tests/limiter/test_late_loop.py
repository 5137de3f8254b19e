"""A limiter whose loop is late decides: only a Redis that does not answer is an outage."""

import asyncio
import select
import signal
import socket
import time
from pathlib import Path

import pytest

from deploy.local.valkey import Valkey
from services.contract.checks import Check
from services.limiter import connection
from services.limiter.connection import StoreAway
from services.limiter.policies import Policy
from services.limiter.window import Windows

POLICIES = {"acks": Policy("acks", 600, 60)}
ANSWER_SECONDS = 2.0


async def test_a_decision_that_waits_in_the_socket_is_no_outage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    bell, rope = socket.socketpair()
    with Valkey(tmp_path / "valkey") as valkey, bell, rope:
        windows = Windows(valkey.url())
        assert await windows.decide(0, POLICIES, [Check("acks", "alice", "0")])
        replies = windows._connection._replies
        assert replies is not None
        answers = replies._transport.get_extra_info("socket")
        monkeypatch.setattr(connection, "ANSWER_SECONDS", ANSWER_SECONDS)

        def be_late() -> None:
            loop.remove_reader(bell)
            valkey.child.ask(signal.SIGCONT)
            assert select.select([answers.fileno()], [], [], 60)[0]
            time.sleep(1.5 * ANSWER_SECONDS)

        valkey.child.ask(signal.SIGSTOP)
        loop.add_reader(bell, be_late)
        deciding = asyncio.create_task(windows.decide(0, POLICIES, [Check("acks", "alice", "1")]))
        await asyncio.sleep(0.05)
        rope.send(b".")
        decided = await deciding
        assert decided is not None
        assert decided[0].used == 2
        # it should still notice an outage
        valkey.child.ask(signal.SIGSTOP)
        monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.05)
        with pytest.raises(StoreAway):
            await windows.decide(0, POLICIES, [Check("acks", "alice", "2")])
        valkey.child.ask(signal.SIGCONT)
        await windows.close()
