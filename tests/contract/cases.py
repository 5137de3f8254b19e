"""Calls of every operation that writes, each with what it takes before and with what becomes of it."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from services.board.access.tokens import new_token
from services.contract.effects import ACCOUNT_CREATE
from services.contract.operation import GET, Operation
from services.contract.operations import NAMED, OPERATIONS
from tests.contract.examples import body_of, path_of
from tests.contract.values import two_values
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

UNKNOWN = new_token()
MISSING = 9007199254740991


@dataclass
class Stage:
    """Bob calls; the thread belongs to alice. Both have used their tokens before."""

    author: Agent
    caller: Agent
    web: Web
    operator: Operator
    thread: dict[str, Any]
    newcomer: str = field(default_factory=lambda: f"dora-{secrets.token_hex(5)}")

    def id_of(self, who: str) -> int:
        """The id of the object that a May names."""
        if who == "thread":
            return int(self.thread["id"])
        name = self.newcomer if who == "newcomer" else getattr(self, who).name
        ((found,),) = self.operator.sql("SELECT id FROM agents WHERE name = $1", name)
        return int(found)


Make = Callable[[], Answer]
Earlier = tuple[tuple[str, Any], ...]


def send(stage: Stage, name: str, body: Any, key: str | None) -> Answer:
    """Call an operation as bob, on alice's thread, or register the newcomer."""
    operation = NAMED[name]
    caller: Web = stage.caller
    if operation.effect is ACCOUNT_CREATE:
        caller, body, key = stage.web, {"name": stage.newcomer, **body}, key and f"{key}-{stage.newcomer}"
    headers = {} if key is None else {"Idempotency-Key": key}
    return caller.call(operation.method, path_of(operation, stage.author, stage.thread), body, headers=headers)


def own_thread(stage: Stage) -> None:
    stage.thread, stage.author = stage.caller.thread(), stage.caller


def subscription(stage: Stage) -> None:
    stage.thread["subscription_id"] = stage.caller.subscribe("community", "somewhere")["id"]


def event(stage: Stage) -> None:
    """Deliver an event to the caller."""
    stage.caller.subscribe("thread", str(stage.thread["id"]))
    stage.thread["event_id"] = stage.author.reply(stage.thread)["id"]
    stage.operator.deliver()


class Case(NamedTuple):
    """A call, the status of its answer and whether it changes anything.

    `before` are earlier calls with the same key; `setup` makes the objects of the call.
    """

    label: str
    body: Any
    status: int
    changes: bool
    before: Earlier = ()
    key: str | None = None
    setup: Callable[[Stage], None] | None = None

    def prepare(self, stage: Stage, name: str) -> Make:
        """Take the steps before the call, and return the call."""
        if self.setup is not None:
            self.setup(stage)
        for earlier, body in self.before:
            assert send(stage, earlier, body, self.key).status < 300
        return lambda: send(stage, name, self.body, self.key)


NEW, REPLY, UP, ANNOUNCED = {"title": "t", "body": "b"}, {"body": "b"}, {"value": 1}, {"kind": "announcements"}
PROFILE = {"bio": "b", "capabilities": ["sql"], "website": "http://a.b"}
WHOLE = {**NEW, "community": "a-new-one", "confidence": 0.5, "wanted_capabilities": ["sql"]}
NOTHING = {"bio": None, "capabilities": None, "website": ""}
TOO_MANY = (("create_thread", NEW),) * 10
REGISTERED, ROTATED = (("register_agent", {"bio": "b"}),), (("rotate_token", None),)
CHANGED, VOTED = (("update_me", {"bio": "New."}),), (("cast_vote", UP),)
ASKED, REPLIED = (("create_thread", NEW),), (("create_reply", REPLY),)
PAUSED, DELETED = (("pause_subscription", None),), (("delete_subscription", None),)
HANDLED = (("acknowledge_event", None),)
# By operation. `cases_of` adds the rest.
CASES: dict[str, list[Case]] = {
    "register_agent": [
        Case("a name", {}, 201, True),
        Case("all fields", PROFILE, 201, True, key="k"),
        Case("a taken name", {}, 400, False, REGISTERED),
        Case("a rescue", {"bio": "b"}, 201, True, REGISTERED, "k"),
        Case("a key used otherwise", {"bio": "c"}, 400, False, REGISTERED, "k"),
    ],
    "update_me": [
        Case("a field", {"bio": "New."}, 200, True),
        Case("all fields", PROFILE, 200, True),
        Case("no field", {}, 200, False),
        Case("what was empty cleared", NOTHING, 200, False),
        Case("the same again", {"bio": "New."}, 200, False, CHANGED),
        Case("cleared", {"bio": None}, 200, True, CHANGED),
        Case("what cannot change", {"name": "x", "bio": "New."}, 400, False),
    ],
    "rotate_token": [
        Case("a rotation", None, 200, True),
        Case("a rotation with a key", None, 200, True, key="k"),
        Case("a rescue", None, 200, True, ROTATED, "a-key-of-16-char"),
        Case("a repeat with a short key", None, 401, False, ROTATED, "k"),
        Case("a replaced token", None, 401, False, ROTATED),
    ],
    "create_thread": [
        Case("a thread", NEW, 201, True),
        Case("a thread with all fields", WHOLE, 201, True, key="k"),
        Case("a replay", NEW, 201, False, ASKED, "k"),
        Case("a key used otherwise", {**NEW, "body": "c"}, 400, False, ASKED, "k"),
        Case("one too many", NEW, 429, False, TOO_MANY),
        Case("a community of operators", {**NEW, "community": "announcements"}, 400, False),
        Case("a credential", {**NEW, "body": UNKNOWN}, 400, False),
    ],
    "create_reply": [
        Case("a reply", REPLY, 201, True),
        Case("a reply to oneself", REPLY, 201, True, setup=own_thread),
        Case("a replay", REPLY, 201, False, REPLIED, "k"),
        Case("a key used otherwise", {"body": "c"}, 400, False, REPLIED, "k"),
        Case("one too many", REPLY, 429, False, TOO_MANY),
        Case("a foreign reply_to", {"body": "b", "reply_to": MISSING}, 400, False),
    ],
    "cast_vote": [
        Case("a vote", UP, 200, True),
        Case("a vote on an own thread", UP, 200, True, setup=own_thread),
        Case("the same again", UP, 200, False, VOTED),
        Case("another", {"value": -1}, 200, True, VOTED),
        Case("cleared", {"value": 0}, 200, True, VOTED),
        Case("nothing cleared", {"value": 0}, 200, False),
        Case("no vote", {"value": 2}, 400, False),
    ],
    "create_subscription": [
        Case("a subscription", ANNOUNCED, 201, True),
        Case("the same again", ANNOUNCED, 200, False, (("create_subscription", ANNOUNCED),)),
        Case("a missing thread", {"kind": "thread", "target": str(MISSING)}, 404, False),
    ],
    "pause_subscription": [
        Case("an active one", None, 200, True, setup=subscription),
        Case("a paused one", None, 200, False, PAUSED, setup=subscription),
    ],
    "resume_subscription": [
        Case("a paused one", None, 200, True, PAUSED, setup=subscription),
        Case("an active one", None, 200, False, setup=subscription),
    ],
    "delete_subscription": [
        Case("an active one", None, 200, True, setup=subscription),
        Case("a paused one", None, 200, True, PAUSED, setup=subscription),
        Case("a deleted one", None, 200, False, DELETED, setup=subscription),
    ],
    "acknowledge_event": [
        Case("an event", None, 200, True, setup=event),
        Case("an acknowledged one", None, 200, False, HANDLED, setup=event),
    ],
    "acknowledge_events": [
        Case("all", {"up_to": MISSING}, 200, True, setup=event),
        Case("all of them acknowledged", {"up_to": MISSING}, 200, False, HANDLED, setup=event),
        Case("unknown ones", {"ids": [MISSING]}, 200, False, setup=event),
        Case("nothing chosen", {}, 400, False),
        Case("two choices", {"up_to": 1, "ids": [1]}, 400, False),
    ],
}
WRITES = [operation for operation in OPERATIONS if operation.method != GET]


def cases_of(operation: Operation) -> list[Case]:
    """Return the cases of an operation that writes: by default, that its example changes something."""
    return CASES.get(operation.name, [Case("its example", body_of(operation), operation.status, True)])


# A test of each write in each case.
over_cases = pytest.mark.parametrize(
    ("operation", "case"),
    [
        pytest.param(operation, case, id=f"{operation.name}-{case.label}")
        for operation in WRITES
        for case in cases_of(operation)
    ],
)


def query_of(operation: Any) -> str:
    """Return a query of a read with each of its parameters, but those that exclude others."""
    values = {name: one for name, (one, _) in two_values(operation.query).items() if name not in ALONE}
    return urlencode({name: one[0] if isinstance(one, list) else one for name, one in values.items()})


# A position of another order, a place in a thread, and a thread instead of filters.
ALONE = {"cursor", "around", "thread"}
