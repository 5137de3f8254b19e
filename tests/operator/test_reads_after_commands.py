"""After every change, every read of every API process shows the board as it is, under its own tag (interface 2.6).

Two processes serve one board on which nothing else happens. No tag is ever used for two contents of an address.
"""

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.moderation import erasure
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import TILES, target_of
from tests.operations.hand import WHO, sign_all
from tests.operator.conftest import Command
from tests.operator.test_json import all_commands
from tests.processes import ApiProcess
from tests.web import Agent, Web

# Documents come first: another read would let the process follow what changes them.
READS = sorted((operation for operation in OPERATIONS if operation.method == GET), key=lambda one: not one.document)
# These change nothing that a read of the board shows: `import` and `run` begin with a board of their own, and
# `leave-ids-out` is for one that does not serve yet.
READING = {
    "agents", "audit", "doctor board", "doctor database", "export", "import", "leave-ids-out",
    "limits show", "log key", "migrate", "noisy", "posts", "restore-point", "run",
    "show agent", "show post", "verify",
}  # fmt: skip
SIGN = "sign"
# The name that the first agent has after its erasure.
ERASED = "erased-1"
INTERRUPTED = "an erasure of an agent whose posts are not renamed yet"
# Two changes are missing before the next one, so every process forgets its answers.
FORGET = "UPDATE log_head SET last_seq = last_seq + 2; SELECT append_change('vote', NULL, NULL, NULL)"
# No read shows these steps.
UNSEEN = {"fanout redeliver 1 9", "the same vote"}
# Writes of agents to a thread. No address of a rotated token would be read again.
WRITES: dict[str, Callable[[dict[str, Agent], int], object]] = {
    "a vote": lambda agents, thread: agents["bob"].vote({"id": thread}, 1),
    "a reply": lambda agents, thread: agents["carol"].reply({"id": thread}),
    "a thread": lambda agents, _: agents["bob"].thread(),
    "a profile": lambda agents, _: agents["alice"].patch("/api/agents/me", {"bio": "New."}),
    "a registration": lambda agents, _: agents["alice"].register("dora"),
    "the same vote": lambda agents, thread: agents["bob"].vote({"id": thread}, 1),
}
STORY = (
    *WRITES,
    "limits set posts 7/3600", "limits set newcomers 3/3600 --for 24h", "limits reset newcomers", "registration closed",
    "registration open", "freeze --reason Spam. --for 2h", "freeze --reason Spam.", "thaw", SIGN,
    "operator {carol}", "announce {carol} News Something.", "operator {carol} --remove",
    "community general Talk.", "token {bob} --reason Proved. --force", "hide {thread} --reason Spam.",
    "unhide {thread}", "hide {reply} --reason Spam.", "unhide {reply}",
    "hide {thread} --reason Spam. --json", "undo {batch}",
    "suspend {bob} --reason Spam.", "restore {bob}", "fanout redeliver 1 9",
    "erase post {reply} --reason Secret. --yes", SIGN, INTERRUPTED, "erase agent {alice} --reason Asked. --yes",
    "limits reset posts",
)  # fmt: skip


class Form(NamedTuple):
    """One way to ask for an address: the caller, and the form of the answer."""

    operation: Operation
    target: str
    headers: dict[str, str]


class Seen(NamedTuple):
    """The tag and the content of an answer, or its status if it is an error."""

    tag: str | None
    content: bytes


@dataclass
class Reader:
    """Reads everything from one process, and notes which content each tag of an address had on any process."""

    url: str
    forms: list[Form]
    contents: dict[str, dict[str, bytes]]

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)

    def close(self) -> None:
        self.connection.close()

    def everything(self) -> list[Seen]:
        """Read every form of every address."""
        return [self.read(form) for form in self.forms]

    def everything_but_what_is_known(self, seen: list[Seen]) -> None:
        """Read what was seen again, with the tags of other contents of its address: none of them may match."""
        for form, (tag, content) in zip(self.forms, seen, strict=True):
            others = self.contents.get(form.target, {}).keys() - {tag}
            if tag is not None and others:
                again = self.ask(form, {"If-None-Match": ", ".join(others)})
                assert again == (200, tag, content), f"{form.target}: the tag of another content matches"

    def read(self, form: Form) -> Seen:
        status, tag, content = self.ask(form, {})
        if status != 200:
            return Seen(None, str(status).encode())
        assert tag is not None
        known = self.contents.setdefault(form.target, {})
        assert known.setdefault(tag, content) == content, f"{form.target}: one tag for two contents"
        return Seen(tag, content)

    def ask(self, form: Form, condition: dict[str, str]) -> tuple[int, str | None, bytes]:
        self.connection.request("GET", form.target, headers=form.headers | condition)
        response = self.connection.getresponse()
        content = response.read()
        if response.status == 200 and form.operation.untagged:
            content = content[: content.rindex(f',"{form.operation.untagged}":'.encode())]
        return response.status, response.headers["ETag"], content


@pytest.fixture
def apis(start_api: Callable[..., ApiProcess]) -> list[ApiProcess]:
    # The home shows how many posts are left, which must not change while the test lasts.
    base = "http://board.example"
    return [start_api(BASE_URL=base, LIMIT_POSTS="10/3600") for _ in range(2)]


def forms_of(operation: Operation, agents: dict[str, Agent], posts: list[int]) -> Iterator[Form]:
    """Yield every form of every address of an operation on this board."""
    places = {"name": [agent.name for agent in agents.values()] + [ERASED], "id": [str(post) for post in posts]}
    callers = agents.values() if operation.effect.needs_token or operation.personal else [None]
    accepted: list[dict[str, str]] = [{}] + [{"Accept": "text/html"}] * (operation.otherwise is not None)
    (place,) = operation.parameters or [""]
    for target in places.get(place, [""]):
        known = {"slug": "general", "id": posts[0], **TILES} | ({place: target} if target else {})
        for caller in callers:
            bearer = {"Authorization": f"Bearer {caller.token}"} if caller else {}
            for accept in accepted:
                yield Form(operation, target_of(operation).format(**known), bearer | accept)


async def run(step: str, known: dict[str, str], command: Command, db: asyncpg.Connection) -> None:
    """Take a step of the story. The batch of a command with --json is known to the next ones."""
    if step == SIGN:
        return await sign_all(db)
    if step == INTERRUPTED:
        return assert_changed(await erasure.erase_agent(db, known["alice"], "Asked.", WHO, "other"))
    args = [word.format(**known) for word in step.split()]
    status, output, error = await command(*args)
    assert status == 0, (args, output, error)
    if "--json" in args:
        known["batch"] = json.loads(output)["batch"]
    return None


def assert_changed(done: tuple[bool, int, str]) -> None:
    assert done[0]


def test_the_story_has_every_command() -> None:
    told = {name for name in all_commands() if any(f"{step} ".startswith(f"{name} ") for step in STORY)}
    assert told | READING == set(all_commands())
    assert not told & READING


async def test_every_read_shows_the_board_as_it_is_under_a_tag_of_its_own(
    apis: list[ApiProcess], command: Command, db: asyncpg.Connection
) -> None:
    with Web(apis[0].url) as web:
        agents = {name: web.register(name) for name in ("alice", "bob", "carol")}
        thread = agents["alice"].thread("A page", "Who knows?", confidence=0.5)["id"]
        reply = agents["bob"].reply({"id": thread}, "A secret.")["id"]
        known = {name: agent.name for name, agent in agents.items()} | {"thread": str(thread), "reply": str(reply)}
        forms = [form for operation in READS for form in forms_of(operation, agents, [thread, reply])]
        contents: dict[str, dict[str, bytes]] = {}
        with (
            closing(Reader(apis[0].url, forms, contents)) as here,
            closing(Reader(apis[1].url, forms, contents)) as there,
        ):
            before = here.everything()
            for step in STORY:
                if step in WRITES:
                    WRITES[step](agents, thread)
                else:
                    await run(step, known, command, db)
                after = here.everything()
                here.everything_but_what_is_known(after)
                await db.execute(FORGET)
                assert differing(forms, after, there.everything()) == [], step
                assert (after == before) == (step in UNSEEN), step
                # the other process has everything in memory now
                before, here, there = after, there, here


def differing(forms: list[Form], some: list[Seen], others: list[Seen]) -> list[str]:
    return [form.target for form, one, other in zip(forms, some, others, strict=True) if one != other]
