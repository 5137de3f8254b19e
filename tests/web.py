"""A small client of the board for tests: it checks the required parts of every answer, and keeps one connection."""

import http.client
import itertools
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import http_sf

from services.contract.limits import LIMITS, OPTIONAL_LIMITS
from services.contract.media_types import HTML
from services.contract.problems import PROBLEMS
from tests.contract.answers import check_against_description

REQUEST_ID = re.compile("[0-9A-HJKMNP-TV-Z]{26}")
PAGE_POLICY = (
    "default-src 'none'; base-uri 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
EFFECT = re.compile(r"[a-z-]+(;scope=(public|private))?(;reversible=\?[01])?(;applied(=\?0)?)?")
# of every 429 (interface 6.2)
LEAST_WAIT_SECONDS = 60
numbers = itertools.count(1)


@dataclass
class Answer:
    """A complete answer."""

    status: int
    headers: http.client.HTTPMessage
    content: bytes

    @property
    def json(self) -> Any:
        """The content, or the problem behind a page."""
        if self.headers["Content-Type"] == HTML:
            return json.loads(self.content.rpartition(b"<!-- ")[2].removesuffix(b" -->"))
        return json.loads(self.content)

    @property
    def effect(self) -> str:
        return self.headers["Agent-Effect"]

    @property
    def code(self) -> str:
        """The problem's code."""
        return str(self.json["code"])

    @property
    def codes(self) -> list[tuple[str, str]]:
        """The fields of the problem with their codes."""
        return [(error["field"], error["code"]) for error in self.json["errors"]]


class Web:
    """One keep-alive connection to a board."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        self.token = token
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        self.registered: list[Web] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, and those of the agents registered over it."""
        for agent in self.registered:
            agent.close()
        self.connection.close()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
        token: str | None = None,
    ) -> Answer:
        """Make a call. A body is sent as JSON, content unchanged."""
        sent = dict(headers or {})
        if urlsplit(path).path == "/":
            sent.setdefault("Accept", "text/html")
        if body is not None:
            content = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        if token or self.token:
            sent.setdefault("Authorization", f"Bearer {token or self.token}")
        self.connection.request(method, path, body=content, headers=sent)
        response = self.connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        check_every_answer(answer, method, path)
        return answer

    def get(self, path: str, **more: Any) -> Answer:
        return self.call("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        return self.call("POST", path, body, **more)

    def patch(self, path: str, body: Any = None, **more: Any) -> Answer:
        return self.call("PATCH", path, body, **more)

    def delete(self, path: str, **more: Any) -> Answer:
        return self.call("DELETE", path, **more)

    def register(self, name: str = "agent", **fields: Any) -> "Agent":
        """Register an agent under a free name that begins with `name`."""
        whole = f"{name}-{next(numbers)}-{secrets.token_hex(3)}"
        answer = self.call("POST", "/api/agents/register", {"name": whole, **fields})
        assert answer.status == 201, answer.content
        agent = Agent(self.url, answer.json["token"], whole)
        self.registered.append(agent)
        return agent


class Agent(Web):
    """A registered agent with its own connection."""

    def __init__(self, url: str, token: str, name: str) -> None:
        super().__init__(url, token)
        self.name = name

    def thread(self, title: str = "A question", body: str = "Who knows?", **fields: Any) -> dict[str, Any]:
        """Publish a thread and return its record."""
        answer = self.post("/api/threads", {"title": title, "body": body, **fields})
        assert answer.status == 201, answer.content
        return dict(answer.json)

    def reply(self, thread: dict[str, Any], body: str = "I do.", **fields: Any) -> dict[str, Any]:
        """Publish a reply and return its record."""
        answer = self.post(f"/api/threads/{thread['id']}/replies", {"body": body, **fields})
        assert answer.status == 201, answer.content
        return dict(answer.json)

    def vote(self, post: dict[str, Any], value: int) -> dict[str, Any]:
        """Cast a vote and return the result."""
        answer = self.post(f"/api/posts/{post['id']}/vote", {"value": value})
        assert answer.status == 200, answer.content
        return dict(answer.json)

    def subscribe(self, kind: str, target: str = "") -> dict[str, Any]:
        """Follow something that is not followed yet and return the subscription's record."""
        answer = self.post("/api/subscriptions", {"kind": kind, "target": target})
        assert answer.status == 201, answer.content
        return dict(answer.json)

    def events(self, query: str = "") -> list[dict[str, Any]]:
        """Return the events of one page of the inbox."""
        return list(self.get(f"/api/inbox{query}").json["items"])


def check_every_answer(answer: Answer, method: str = "", target: str = "") -> None:
    """Check the rules for every answer of the board (interface 3.2, 5.1, 13.4).

    With the method and target of the call, the answer is also checked against /openapi.json.
    """
    assert EFFECT.fullmatch(answer.effect), answer.effect
    assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])
    assert answer.headers["Date"]
    media_type = answer.headers["Content-Type"] if answer.content else None
    check_security(answer, media_type)
    check_limits(answer)
    if media_type == "application/problem+json":
        check_problem(answer)
    elif answer.content and answer.status >= 400:
        path = urlsplit(target).path
        if path != "/api/health":
            assert media_type == HTML
            assert not path.startswith("/api/")
            check_problem(answer)
    if method:
        check_against_description(method, target, answer.status, answer.headers, answer.content)


def check_security(answer: Answer, media_type: str | None) -> None:
    """Check the headers that keep an answer from doing anything. Only a page for people loads files, of the board."""
    found = {name: answer.headers[name] for name in SECURITY}
    is_page = media_type in (None, "text/html; charset=utf-8")
    if is_page and found["Content-Security-Policy"] == PAGE_POLICY:
        found["Content-Security-Policy"] = SECURITY["Content-Security-Policy"]
    assert found == SECURITY


def check_limits(answer: Answer) -> None:
    """Check the rules for 429 (interface 6.2): nothing is left, and Retry-After exceeds the limit and a minute."""
    limits = limits_of(answer)
    if answer.status == 429:
        assert limits is not None
        assert limits[0] == 0
        assert int(answer.headers["Retry-After"]) >= max(LEAST_WAIT_SECONDS, limits[1])


def limits_of(answer: Answer) -> tuple[int, int] | None:
    """Check that the fields are well-formed; return how many calls are left and in how many seconds there are more."""
    if "RateLimit" not in answer.headers:
        assert "RateLimit-Policy" not in answer.headers
        return None
    ((policy, bounds),) = structured_list(answer.headers["RateLimit-Policy"])
    ((name, state),) = structured_list(answer.headers["RateLimit"])
    assert type(policy) is type(name) is str, "a policy's name is a String of RFC 9651, which is quoted"
    assert policy == name
    assert policy in {limit.name for limit in (*LIMITS, *OPTIONAL_LIMITS)}
    assert (set(bounds), set(state)) == ({"q", "w"}, {"r", "t"})
    assert 0 <= state["r"] <= bounds["q"]
    assert 0 < state["t"] <= bounds["w"]
    assert answer.headers["X-RateLimit-Limit"] == str(bounds["q"])
    assert answer.headers["X-RateLimit-Remaining"] == str(state["r"])
    return state["r"], state["t"]


def structured_list(value: str) -> Any:
    """Return the items of an RFC 9651 List, each with its parameters."""
    return http_sf.parse(value.encode(), tltype="list")


def check_problem(answer: Answer, statuses: tuple[int, ...] = ()) -> None:
    """Check the rules for every problem body: it agrees with the headers, and has one title per type.

    `statuses` are those that a load balancer may send instead of the problem's own.
    """
    problem = answer.json
    kind = PROBLEMS[problem["code"]]
    anchor = problem["errors"][0]["code"] if problem["errors"] else problem["code"]
    assert problem["type"] == f"{problem['docs']}#{anchor}"
    assert problem["title"] == PROBLEMS[anchor].title
    assert problem["status"] == answer.status
    assert answer.status in (kind.status, *statuses)
    assert problem["detail"] == problem["error"]
    assert problem["request_id"] == answer.headers["X-Request-Id"]
    assert problem["instance"] == f"urn:request:{problem['request_id']}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Retry-After"] == (str(problem["retry_after"]) if problem["retry_after"] else None)
    assert (answer.status == 401) == ("WWW-Authenticate" in answer.headers)
    assert (answer.status == 405) == ("Allow" in answer.headers)
