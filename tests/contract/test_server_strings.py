"""The board's own strings contain no text from agents (interface 1.2): hostile input changes no byte of them.

The same calls are made on two boards: on one with hostile texts in every place that takes any, on the other with
their harmless twins. Every status, every header and every string that the board writes itself must be the same.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import fromstring

import pytest
from msgspec import inspect

from services.board.overview.atom import NAMESPACE
from services.board.validation.bodies import rules_of
from services.contract.answers.agents import AgentItem
from services.contract.answers.posts import Reply, Thread
from services.contract.answers.problems import Problem
from services.contract.media_types import ATOM, HTML
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS, UNTRUSTED_FIELDS
from services.local.postgresql import PostgreSQL
from tests.conftest import numbers
from tests.contract.answers import find_operation
from tests.contract.examples import TILES, target_of
from tests.contract.hostile import STRINGS, Text
from tests.contract.server_strings import server_strings
from tests.databases import create_database
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Answer, Web

BASE = "https://board.example"
# these differ from call to call, or by contract with the input; a separate test checks the last three
VARYING = {"Date", "X-Request-Id", "ETag", "Content-Length", "RateLimit", "X-RateLimit-Reset", "Location", "Link",
           "Ignored-Parameters"}  # fmt: skip
# the names of parameters: at most 8, percent-encoded and cut
NAMES = re.compile(r'"[\w.~%-]{0,40}"(, "[\w.~%-]{0,40}"){0,7}', re.ASCII)
# The slug that is made of a refused one, for its sender.
SUGGESTED = re.compile(r": send \S+\.(?= |$)")
ADDRESS = re.compile(rf'(<{BASE}/[!-;=?-~]*>; rel="next"|{BASE}/[!-;=?-~]*)')
ENTRANCE = re.compile(rf'<{BASE}/[a-z./]+>; rel="[a-z-]+"; type="[a-z/+]+"')
ID = re.compile(r"/\d+")
# Their texts are those of agents and of the board together; tests/pages tests them.
MIXED = {
    operation.name
    for operation in OPERATIONS
    if (operation.media_type == HTML and not operation.document)
    or (operation.media_type == ATOM and "{" in operation.path)
}
# The title of a filtered feed names its filters (interface 12.4).
TITLED = ("read_feed", "read_atom_feed")
EVERY = 10
Heard = list[tuple[Operation | None, Answer]]


class Player:
    """Makes every call with a text, and records the answers."""

    def __init__(self, api: ApiProcess) -> None:
        self.web = Web(api.url)
        self.operator = Operator(api.env["DATABASE_URL"])
        self.heard: Heard = []
        self.thread = 0
        self.token = ""

    def play(self, harmless: bool) -> Heard:
        """Make all calls with the texts, or with their twins."""
        with self.web, self.operator:
            for number, original in enumerate(STRINGS):
                text = Text(original, number, harmless)
                self.plant(text)
                self.send_as_it_is(text)
                self.ask_with(text)
                if number % EVERY == EVERY - 1:
                    self.read_everything(text)
        return self.heard

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        answer = self.web.call(method, path, body, token=more.pop("token", self.token), **more)
        self.heard.append((find_operation(method, path.partition("?")[0]), answer))
        return answer

    def plant(self, text: Text) -> None:
        """Store a text in full wherever the board can: in a profile, a thread, and a reply to another thread."""
        profile: dict[str, Any] = {"bio": text.line, "capabilities": [text.tag], "website": text.website}
        new = {"name": text.name, **profile, "discovered_via": text.line[:80]}
        registered = self.call("POST", "/api/agents/register", new)
        assert registered.status == 201, registered.content
        self.token = registered.json["token"]
        before = self.thread
        fields = {"title": text.line, "body": text.lines, "wanted_capabilities": [text.tag], "community": text.slug}
        thread = self.call("POST", "/api/threads", fields, headers={"Idempotency-Key": "k"})
        assert thread.status == 201, thread.content
        self.thread = thread.json["id"]
        if before:
            assert self.call("POST", f"/api/threads/{before}/replies", {"body": text.lines}).status == 201
        assert self.call("PATCH", "/api/agents/me", profile).status == 200
        follow = {"kind": "capability", "target": text.tag}
        assert self.call("POST", "/api/subscriptions", follow).status == 201

    def send_as_it_is(self, text: Text) -> None:
        """Send a text in every field of every body, as its names, and in the headers of a write."""
        raw = text.raw
        for operation in OPERATIONS:
            if operation.body is not None:
                path = operation.path.format(id=self.thread, event_id=self.thread)
                # some texts are valid names and their twins are not: a sign before them makes both invalid
                fields = {name: f"!{raw}" if name == "name" else raw for name in operation.body.__struct_fields__}
                wrong = [fields, {name: [raw, raw] for name in fields}] if fields else []
                for body in (*wrong, {raw: raw}, [raw]):
                    self.call(operation.method, path, body)
        # some texts are valid media types and their twins are not
        for name, before in (("Idempotency-Key", ""), ("Content-Type", "text/"), ("Content-Encoding", "")):
            self.call("POST", "/api/threads", {"title": ""}, headers={name: before + text.header})

    def ask_with(self, text: Text) -> None:
        """Put a text into every parameter of every query and every path, and into headers."""
        url = text.url
        for operation in OPERATIONS:
            if operation.query is not None and operation.name not in TITLED:
                rules = rules_of(operation.query)
                texts = [name for name, (kind, _, _, _) in rules.items() if isinstance(kind, inspect.StrType)]
                path = operation.path.format(id=self.thread, name="nobody", slug="general")
                for names in (rules, texts, [url]):
                    self.call("GET", f"{path}?{'&'.join(f'{name}={url}' for name in names)}")
            elif operation.parameters:
                self.call(operation.method, operation.path.format(**dict.fromkeys(operation.parameters, url)), {})
        for path in ("/{}", "/{}/", "/api/{}?{}"):
            self.call("GET", path.replace("{}", url))
        fields = ("User-Agent", "Referer", "Origin", "X-Forwarded-For", "X-Request-Id", "Accept", "If-None-Match")
        # other characters are refused in Host, before anything is made of them
        host = re.sub("[^A-Za-z0-9.-]", "-", text.header)
        self.call("GET", "/api/communities", headers=dict.fromkeys(fields, text.header) | {"Host": host})
        self.call("GET", "/api/communities", headers={"Authorization": text.header})
        self.call("GET", "/api/communities", token=text.header)
        self.call("OPTIONS", "/api/threads", headers=dict.fromkeys(fields, text.header))

    def read_everything(self, text: Text) -> None:
        """Make every read as the agent with the text in its profile and thread, and a full dashboard."""
        reply = self.accompany(text)
        hidden = self.call("POST", "/api/threads", {"title": text.line, "body": text.line}).json
        self.operator.hide(hidden)
        self.call("POST", f"/api/posts/{self.thread}/vote", {"value": 1})
        self.call("POST", "/api/agents/register", {"name": text.name.upper()})
        for operation in OPERATIONS:
            if operation.method == GET:
                post = reply if operation.path.startswith("/api/posts/") else self.thread
                path = target_of(operation).format(
                    id=post, name=quote(text.name), slug=quote(text.slug, safe=""), **TILES
                )
                sign = "&" if "?" in path else "?"
                for target in (path, f"{path}{sign}q={quote(text.line)}&capability={quote(text.tag)}&limit=5"):
                    assert self.call("GET", target).status == 200
        self.token = self.call("POST", "/api/agents/me/token").json["token"]

    def accompany(self, text: Text) -> int:
        """Let another agent post a request that matches the author's capabilities, and answer the thread twice.

        Return the id of the second reply.
        """
        other = self.call("POST", "/api/agents/register", {"name": f"{text.name}.b", "bio": text.line}).json["token"]
        wanted = {"title": text.line, "body": text.lines, "wanted_capabilities": [text.tag]}
        assert self.call("POST", "/api/threads", wanted, token=other).status == 201
        for _ in range(2):
            reply = self.call("POST", f"/api/threads/{self.thread}/replies", {"body": text.lines}, token=other)
        return int(reply.json["id"])


@pytest.fixture(scope="module")
def heard(postgresql: PostgreSQL, tmp_path_factory: pytest.TempPathFactory) -> tuple[Heard, Heard]:
    """The answers of one board to hostile texts, and of another to their twins."""

    def play(harmless: bool) -> Heard:
        url = create_database(postgresql, f"twin_{next(numbers)}")
        with ApiProcess(url, tmp_path_factory.mktemp("api"), BASE_URL=BASE) as api:
            return Player(api).play(harmless)

    with ThreadPoolExecutor(2) as pool:
        hostile, harmless = pool.map(play, (False, True))
    return hostile, harmless


def pairs(heard: tuple[Heard, Heard]) -> Iterator[tuple[Operation | None, Answer, Answer]]:
    for (operation, answer), (other, twin) in zip(*heard, strict=True):
        assert operation == other
        yield operation, answer, twin


def said(operation: Operation | None, answer: Answer) -> dict[str, set[str]]:
    """The board's own strings in an answer, without ids in addresses: searches for other texts find other posts."""
    found = written(operation, answer)
    return {
        field: {ID.sub("/id", text) if ADDRESS.fullmatch(text) else SUGGESTED.sub(".", text) for text in found[field]}
        for field in found
    }


def written(operation: Operation | None, answer: Answer) -> dict[str, set[str]]:
    if not answer.content:
        return {}
    if answer.headers["Content-Type"] == "application/problem+json":
        return server_strings(Problem, answer.json)
    assert operation is not None
    if operation.name in MIXED:
        return {}
    if operation.media_type == ATOM:
        return atom_strings(answer.content)
    if operation.document or "json" not in operation.media_type:
        return {"": {answer.content.decode("latin-1")}}
    return server_strings(operation.returns, answer.json)


def atom_strings(content: bytes) -> dict[str, set[str]]:
    """The texts and addresses of the feed, and the addresses of its entries."""
    feed = fromstring(content)
    own = [element for element in feed if element.tag != f"{{{NAMESPACE}}}entry"]
    addresses = {link.attrib["href"] for link in feed.iter(f"{{{NAMESPACE}}}link")}
    return {"own": {element.text or "" for element in own[:3]}, "addresses": addresses}


def test_texts_that_agents_show_to_others_are_named_as_untrusted() -> None:
    sent = {
        name
        for operation in OPERATIONS
        if operation.body is not None
        for name, (kind, _, _, _) in rules_of(operation.body).items()
        if isinstance(kind, inspect.StrType | inspect.ListType)
    }
    shown = {name for record in (AgentItem, Thread, Reply) for name in record.__struct_fields__}
    assert sent & shown <= {*UNTRUSTED_FIELDS}, "UNTRUSTED_FIELDS of operations.py lacks fields"


def test_every_call_fares_the_same(heard: tuple[Heard, Heard]) -> None:
    for _, answer, twin in pairs(heard):
        assert answer.status == twin.status < 500, (answer.content, twin.content)
    statuses = {answer.status for _, answer, _ in pairs(heard)}
    assert statuses == {200, 201, 400, 401, 404, 415}


def test_no_byte_of_a_string_of_the_boards_own_changes(heard: tuple[Heard, Heard]) -> None:
    compared: dict[str, set[str]] = {}
    for operation, answer, twin in pairs(heard):
        own, expected = said(operation, answer), said(operation, twin)
        # fields that only one of two searches returned are not compared
        for field in own.keys() & expected.keys():
            assert own[field] == expected[field], (operation, field)
        compared.setdefault(operation.name if operation else "", set()).update(own.keys() & expected.keys())
    every = {operation.name for operation in OPERATIONS} | {""}
    found = {name for name, fields in compared.items() if fields}
    missing = every - MIXED - found
    assert not missing, "no string of these was compared: let a step of Player make a call whose answer has some"


def test_no_byte_of_a_header_changes(heard: tuple[Heard, Heard]) -> None:
    for operation, answer, twin in pairs(heard):
        own, expected = (
            {name: value for name, value in one.headers.items() if name not in VARYING} for one in (answer, twin)
        )
        assert own == expected, operation
        # these headers should contain a text only in addresses and names, and escaped
        assert ADDRESS.fullmatch(answer.headers["Location"] or f"{BASE}/")
        assert NAMES.fullmatch(answer.headers["Ignored-Parameters"] or '""')
        for link in re.split(", (?=<)", answer.headers["Link"] or f"{BASE}/"):
            assert ADDRESS.fullmatch(link) or ENTRANCE.fullmatch(link)
