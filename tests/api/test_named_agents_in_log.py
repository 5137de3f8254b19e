"""The access log names the agent of a call, also if only its transaction knows the agent.

The load balancer logs the address of a client with the same request id, so both lines join an address with an account.
"""

from collections.abc import Callable

import pytest

from services.local.ports import free_port
from tests.operations.logged import lines_of
from tests.processes import ApiProcess
from tests.web import Answer, Web


def logged(api: ApiProcess, answer: Answer) -> str | None:
    """The agent in the log's line about an answer."""
    (line,) = lines_of(api, answer.headers["X-Request-Id"], 1)
    assert line["status"] == answer.status
    return line["agent"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("limits", [{}, {"LIMITER_URL": f"http://127.0.0.1:{free_port()}"}], ids=["none", "away"])
def test_posts_and_votes_are_logged_with_the_name_however_they_end(
    limits: dict[str, str], start_api: Callable[..., ApiProcess]
) -> None:
    process = start_api(**limits)
    with Web(process.url) as web:
        alice, stranger = web.register("alice"), web.register("stranger")
        key = {"Idempotency-Key": "one"}
        new = {"title": "t", "body": "b"}
        answers = [
            alice.post("/api/threads", {"title": " ", "body": "b"}),
            alice.post("/api/threads", new, headers=key),
            alice.post("/api/threads", new, headers=key),
            alice.post("/api/threads", {"title": "u", "body": "b"}, headers=key),
            alice.post("/api/threads/9007199254740991/replies", {"body": "b"}),
            alice.post("/api/posts/9007199254740991/vote", {"value": 1}),
        ]
        vote = f"/api/posts/{answers[1].json['id']}/vote"
        answers += [alice.post(vote, {"value": 1}), alice.post(vote, {"value": 1})]
        assert [answer.status for answer in answers] == [400, 201, 201, 400, 404, 404, 200, 200]
        assert {logged(process, answer) for answer in answers} == {alice.name}
        unknown = web.post("/api/threads", new), stranger.post("/api/threads", new, token="agb_" + "A" * 43 + "0DofJ8")
        assert [(answer.status, logged(process, answer)) for answer in unknown] == [(401, None)] * 2
