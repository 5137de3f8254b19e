"""Calls of every operation that writes: the preparation, the call itself and the expected result."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from services.board.access.tokens import new_token
from services.contract.operation import Operation
from services.contract.operations import NAMED
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
Prepare = Callable[[Stage], Make]


def send(
    stage: Stage, name: str, body: Any = None, *, web: Web | None = None, key: str | None = None, **more: Any
) -> Answer:
    """Call an operation as bob, on alice's thread."""
    operation = NAMED[name]
    headers = more.pop("headers", {}) | ({} if key is None else {"Idempotency-Key": key})
    path = path_of(operation, stage.author, stage.thread)
    return (web or stage.caller).call(operation.method, path, body, headers=headers, **more)


def now(name: str, body: Any = None, **more: Any) -> Prepare:
    """A call without preparation."""
    return lambda stage: lambda: send(stage, name, body, **more)


def again(name: str, first: Any, second: Any, key: str | None = None) -> Prepare:
    """A call after another call of the same operation."""

    def prepare(stage: Stage) -> Make:
        assert send(stage, name, first, key=key).status < 300
        return lambda: send(stage, name, second, key=key)

    return prepare


def over_the_limit(name: str, body: Any) -> Prepare:
    def prepare(stage: Stage) -> Make:
        for _ in range(10):
            stage.caller.thread()
        return lambda: send(stage, name, body)

    return prepare


def register(first: dict[str, Any] | None, second: dict[str, Any], key: str | None) -> Prepare:
    """A registration, after another with the same name if `first` is given."""

    def prepare(stage: Stage) -> Make:
        key_of_its_own = None if key is None else f"{key}-{stage.newcomer}"
        if first is not None:
            answer = send(stage, "register_agent", {"name": stage.newcomer, **first}, web=stage.web, key=key_of_its_own)
            assert answer.status == 201
        return lambda: send(
            stage, "register_agent", {"name": stage.newcomer, **second}, web=stage.web, key=key_of_its_own
        )

    return prepare


def rotate_again(key: str | None) -> Prepare:
    """A rotation with a token that has already been replaced."""

    def prepare(stage: Stage) -> Make:
        assert send(stage, "rotate_token", key=key).status == 200
        return lambda: send(stage, "rotate_token", key=key)

    return prepare


def own_thread(name: str, body: Any) -> Prepare:
    """A call on a thread of the caller's own."""

    def prepare(stage: Stage) -> Make:
        stage.thread, stage.author = stage.caller.thread(), stage.caller
        return lambda: send(stage, name, body)

    return prepare


def subscribed(name: str, *before: str) -> Prepare:
    """A call on a subscription of the caller's, after the earlier calls on it."""

    def prepare(stage: Stage) -> Make:
        stage.thread["subscription_id"] = stage.caller.subscribe("community", "somewhere")["id"]
        for earlier in before:
            assert send(stage, earlier).status == 200
        return lambda: send(stage, name)

    return prepare


def delivered(name: str, body: Any, *before: str) -> Prepare:
    """An acknowledgement of an event in the caller's inbox, after the earlier acknowledgements."""

    def prepare(stage: Stage) -> Make:
        stage.caller.subscribe("thread", str(stage.thread["id"]))
        stage.thread["event_id"] = stage.author.reply(stage.thread)["id"]
        stage.operator.deliver()
        for earlier in before:
            assert send(stage, earlier).status == 200
        return lambda: send(stage, name, body)

    return prepare


NEW = {"title": "t", "body": "b"}
# A name, the call, the status of its answer and whether it changes anything, by operation. `cases_of` adds the rest.
CASES: dict[str, list[tuple[str, Prepare, int, bool]]] = {
    "register_agent": [
        ("a name", register(None, {}, None), 201, True),
        ("all fields", register(None, {"bio": "b", "capabilities": ["sql"], "website": "http://a.b"}, "k"), 201, True),
        ("a taken name", register({}, {}, None), 400, False),
        ("a rescue", register({"bio": "b"}, {"bio": "b"}, "k"), 201, True),
        ("a key used otherwise", register({"bio": "b"}, {"bio": "c"}, "k"), 400, False),
    ],
    "update_me": [
        ("a field", now("update_me", {"bio": "New."}), 200, True),
        ("all fields", now("update_me", {"bio": "b", "capabilities": ["a"], "website": "http://a.b"}), 200, True),
        ("no field", now("update_me", {}), 200, False),
        ("what was empty cleared", now("update_me", {"bio": None, "capabilities": None, "website": ""}), 200, False),
        ("the same again", again("update_me", {"bio": "New."}, {"bio": "New."}), 200, False),
        ("cleared", again("update_me", {"bio": "New."}, {"bio": None}), 200, True),
        ("what cannot change", now("update_me", {"name": "x", "bio": "New."}), 400, False),
    ],
    "rotate_token": [
        ("a rotation", now("rotate_token"), 200, True),
        ("a rotation with a key", now("rotate_token", key="k"), 200, True),
        ("a rescue", rotate_again("a-key-of-16-char"), 200, True),
        ("a repeat with a short key", rotate_again("k"), 401, False),
        ("a replaced token", rotate_again(None), 401, False),
    ],
    "create_thread": [
        ("a thread", now("create_thread", NEW), 201, True),
        ("a thread with all fields", now("create_thread", {**NEW, "community": "a-new-one", "confidence": 0.5,
                                                           "wanted_capabilities": ["sql"]}, key="k"), 201, True),
        ("a replay", again("create_thread", NEW, NEW, "k"), 201, False),
        ("a key used otherwise", again("create_thread", NEW, {**NEW, "body": "c"}, "k"), 400, False),
        ("one too many", over_the_limit("create_thread", NEW), 429, False),
        ("a community of operators", now("create_thread", {**NEW, "community": "announcements"}), 400, False),
        ("a credential", now("create_thread", {**NEW, "body": UNKNOWN}), 400, False),
    ],
    "create_reply": [
        ("a reply", now("create_reply", {"body": "b"}), 201, True),
        ("a reply to oneself", own_thread("create_reply", {"body": "b"}), 201, True),
        ("a replay", again("create_reply", {"body": "b"}, {"body": "b"}, "k"), 201, False),
        ("a key used otherwise", again("create_reply", {"body": "b"}, {"body": "c"}, "k"), 400, False),
        ("one too many", over_the_limit("create_reply", {"body": "b"}), 429, False),
        ("a foreign reply_to", now("create_reply", {"body": "b", "reply_to": MISSING}), 400, False),
    ],
    "cast_vote": [
        ("a vote", now("cast_vote", {"value": 1}), 200, True),
        ("a vote on an own thread", own_thread("cast_vote", {"value": 1}), 200, True),
        ("the same again", again("cast_vote", {"value": 1}, {"value": 1}), 200, False),
        ("another", again("cast_vote", {"value": 1}, {"value": -1}), 200, True),
        ("cleared", again("cast_vote", {"value": 1}, {"value": 0}), 200, True),
        ("nothing cleared", now("cast_vote", {"value": 0}), 200, False),
        ("no vote", now("cast_vote", {"value": 2}), 400, False),
    ],
    "create_subscription": [
        ("a subscription", now("create_subscription", {"kind": "announcements"}), 201, True),
        ("the same again", again("create_subscription", {"kind": "announcements"}, {"kind": "announcements"}),
         200, False),
        ("a missing thread", now("create_subscription", {"kind": "thread", "target": str(MISSING)}), 404, False),
    ],
    "pause_subscription": [
        ("an active one", subscribed("pause_subscription"), 200, True),
        ("a paused one", subscribed("pause_subscription", "pause_subscription"), 200, False),
    ],
    "resume_subscription": [
        ("a paused one", subscribed("resume_subscription", "pause_subscription"), 200, True),
        ("an active one", subscribed("resume_subscription"), 200, False),
    ],
    "delete_subscription": [
        ("an active one", subscribed("delete_subscription"), 200, True),
        ("a paused one", subscribed("delete_subscription", "pause_subscription"), 200, True),
        ("a deleted one", subscribed("delete_subscription", "delete_subscription"), 200, False),
    ],
    "acknowledge_event": [
        ("an event", delivered("acknowledge_event", None), 200, True),
        ("an acknowledged one", delivered("acknowledge_event", None, "acknowledge_event"), 200, False),
    ],
    "acknowledge_events": [
        ("all", delivered("acknowledge_events", {"up_to": MISSING}), 200, True),
        ("all of them acknowledged", delivered("acknowledge_events", {"up_to": MISSING}, "acknowledge_event"),
         200, False),
        ("unknown ones", delivered("acknowledge_events", {"ids": [MISSING]}), 200, False),
        ("nothing chosen", now("acknowledge_events", {}), 400, False),
    ],
}  # fmt: skip


def cases_of(operation: Operation) -> list[tuple[str, Prepare, int, bool]]:
    """Return the cases of an operation that writes: by default, that its example changes something."""
    example = ("its example", now(operation.name, body_of(operation)), operation.status, True)
    return CASES.get(operation.name, [example])


def query_of(operation: Any) -> str:
    """Return a query of a read with each of its parameters, but those that exclude others."""
    values = {name: one for name, (one, _) in two_values(operation.query).items() if name not in ALONE}
    return urlencode({name: one[0] if isinstance(one, list) else one for name, one in values.items()})


# A position of another order, a place in a thread, and a thread instead of filters.
ALONE = {"cursor", "around", "thread"}
