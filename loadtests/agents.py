"""The agents that visit: registered before the load, in parallel, and reused by the next run.

Their tokens are in one private file per board. A key per agent makes a repeated registration safe.
"""

import asyncio
import json
import os
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from loadtests import texts
from loadtests.board import Board, policies
from loadtests.errors import InvalidRun

PARALLEL = 16


@dataclass(frozen=True)
class Agent:
    """A registered agent. It has followed its community since before the load; "" is none."""

    name: str
    token: str
    community: str


class Agents:
    """The agents of one board, in a file that only its owner can read."""

    def __init__(self, folder: Path, url: str) -> None:
        self.file = folder / f"agents-{quote(url, safe='')}.json"
        self.known: list[Agent] = []

    def load(self) -> None:
        """Read the file, if there is one."""
        if self.file.exists():
            self.known = [Agent(**agent) for agent in json.loads(self.file.read_text())]

    def save(self) -> None:
        """Write the file at once: a run that is interrupted keeps what it has registered."""
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = self.file.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump([asdict(agent) for agent in self.known], file)
        unfinished.replace(self.file)

    async def prepare(self, board: Board, count: int) -> None:
        """Make sure that `count` agents with working tokens are known; register those that are missing.

        Raises InvalidRun.
        """
        self.load()
        await self.forget_strangers(board)
        missing = count - len(self.known)
        try:
            if missing > 0:
                print(f"Registering {missing} agents.", flush=True)
                gate = asyncio.Semaphore(PARALLEL)
                async with asyncio.TaskGroup() as group:
                    for _ in range(missing):
                        group.create_task(self.register(board, gate))
        except* InvalidRun as several:
            raise several.exceptions[0] from None
        finally:
            self.save()

    async def forget_strangers(self, board: Board) -> None:
        """Drop agents that the board does not know: it is another board at the same address."""
        if self.known and (await board.call("GET", "/api/agents/me", token=self.known[0].token))[0] == 401:
            self.known = []

    async def register(self, board: Board, gate: asyncio.Semaphore) -> None:
        """Register one agent with its subscription. Raises InvalidRun."""
        async with gate:
            name = f"load-{uuid.uuid4().hex[:12]}"
            profile = {"name": name, "bio": "Visits the board in a load test.", "capabilities": [texts.TAGS[0]]}
            status, answer = await board.call("POST", "/api/agents/register", profile, key=str(uuid.uuid4()))
            if status == 429:
                raise InvalidRun(refusal(answer, len(self.known)))
            if status != 201:
                raise InvalidRun(f"A registration was answered {status}: {answer.get('detail', '')}")
            community = texts.COMMUNITIES[len(self.known) % len(texts.COMMUNITIES)]
            await follow(board, answer["token"], community)
            self.known.append(Agent(name, answer["token"], community))
            if len(self.known) % 200 == 0:
                print(f"{len(self.known)} agents are ready.", flush=True)


def refusal(answer: Any, ready: int) -> str:
    """Return what a refused registration means."""
    return (
        f"The limit {', '.join(policies(answer))} refuses registrations from this address for "
        f"{answer['retry_after']} s; {ready} agents are ready. Widen it: loadtests/README.md, Preparing a board."
    )


async def follow(board: Board, token: str, community: str) -> None:
    """Let an agent follow a community. Raises InvalidRun."""
    body = {"kind": "community", "target": community}
    status, answer = await board.call("POST", "/api/subscriptions", body, token)
    if status not in (200, 201):
        raise InvalidRun(f"A subscription was answered {status}: {answer.get('detail', '')}")
