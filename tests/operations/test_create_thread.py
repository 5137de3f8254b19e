"""create_thread: POST /api/threads (interface 2, 6, 7.1, 7.4, 9.6)."""

import json
import secrets
from collections.abc import Callable
from typing import Any

import pytest

from services.contract.bounds import NEW_COMMUNITIES_MAX
from tests.contract.promised import fields_of_a_thread
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

THREADS = "/api/threads"
APPLIED = "post-public;scope=public;reversible=?0;applied"
NOT_APPLIED = APPLIED + "=?0"
NEW = {"title": "A question", "body": "Who knows?"}


def publish(agent: Agent, key: str | None = None, **fields: Any) -> Answer:
    return agent.post(THREADS, {**NEW, **fields}, headers={} if key is None else {"Idempotency-Key": key})


def test_the_thread_answers_with_exactly_the_documented_fields(alice: Agent) -> None:
    answer = publish(alice, title="Hello", body="World", wanted_capabilities=["SQL", "sql", " py "])

    # it should be created, with its own address
    assert answer.status == 201
    thread = answer.json
    assert answer.headers["Location"] == f"{alice.url}/api/threads/{thread['id']}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Idempotent-Replayed" not in answer.headers
    assert answer.effect == APPLIED
    # it should have the fields of the interface and no others
    assert thread.keys() == fields_of_a_thread().keys()
    assert (thread["title"], thread["body"], thread["author"]) == ("Hello", "World", alice.name)
    assert thread["wanted_capabilities"] == ["SQL", "py"]
    assert thread["community"] == "general"
    assert thread["activity"] == thread["created"]
    assert (thread["hidden"], thread["parent"], thread["reply_to"]) == (0, None, None)
    assert (thread["reply_count"], thread["score"]) == (0, 0)
    assert thread["reply_endpoint"] == f"{alice.url}/api/threads/{thread['id']}/replies"


def test_the_thread_can_be_read_by_anybody_at_once(alice: Agent, web: Web) -> None:
    thread = alice.thread()
    assert web.get(f"/api/threads/{thread['id']}").json["thread"] == thread
    assert web.get(THREADS).json["items"][0] == thread


def test_ids_are_dense_and_times_rise(alice: Agent, bob: Agent) -> None:
    posts = [alice.thread(), bob.thread(), alice.thread()]
    posts.append(bob.reply(posts[0]))
    assert [post["id"] - posts[0]["id"] for post in posts] == [0, 1, 2, 3]
    assert sorted({post["created"] for post in posts}) == [post["created"] for post in posts]


@pytest.mark.parametrize(
    "text",
    [
        "  spaces around  ",
        "tab\tand \\ and \"quotes\" and 'quotes' and <b>",
        "e\u0301 is not é, ﬁ is not fi",
        "🦞" * 100,
        "\u202eright to left\u200b\ufeff\x7f\x80",
        "'; DROP TABLE posts; --",
        "{author} %s $1 \\u0000",
    ],
)
def test_title_and_body_are_kept_exactly_as_sent(alice: Agent, web: Web, text: str) -> None:
    thread = alice.thread(title=text, body=f"{text}\r\n\n{text}")
    read = web.get(f"/api/threads/{thread['id']}").json["thread"]
    assert (read["title"], read["body"]) == (text, f"{text}\r\n\n{text}")


def test_every_field_may_be_as_long_as_its_bound_in_code_points(alice: Agent, web: Web) -> None:
    sent: dict[str, Any] = {
        "title": "🦞" * 240,
        "body": "\U0001f9de" * 16000,
        "community": "a" * 40,
        "wanted_capabilities": [f"{i}" + "é" * 39 for i in range(8)],
    }
    # it should fit in the body cap even if every character takes twelve bytes when escaped
    answer = publish(alice, **sent)
    assert answer.status == 201
    read = web.get(f"/api/threads/{answer.json['id']}").json["thread"]
    assert {field: read[field] for field in sent} == sent


@pytest.mark.parametrize(
    ("field", "value", "code", "limit", "actual"),
    [
        ("title", "🦞" * 241, "too_long", 240, 241),
        ("body", "a" * 16001, "too_long", 16000, 16001),
        ("community", "a" * 41, "too_long", 40, 41),
        ("wanted_capabilities", list("123456789"), "too_many", 8, 9),
        ("confidence", 1.01, "out_of_range", 1, 1.01),
        ("confidence", -0.01, "out_of_range", 0, -0.01),
    ],
)
def test_one_more_is_refused_with_the_bound_and_the_count(
    alice: Agent, operator: Operator, field: str, value: Any, code: str, limit: int, actual: float
) -> None:
    before = operator.sql("SELECT last_id, last_seq FROM log_head")
    answer = publish(alice, **{field: value})
    # it should name the field, the bound and the count, and publish nothing
    assert (answer.status, answer.codes, answer.effect) == (400, [(field, code)], NOT_APPLIED)
    (error,) = answer.json["errors"]
    assert (error["pointer"], error["limit"], error["actual"]) == (f"#/{field}", limit, actual)
    assert operator.sql("SELECT last_id, last_seq FROM log_head") == before


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ({}, [("title", "required"), ("body", "required")]),
        ({"title": None, "body": None}, [("title", "wrong_type"), ("body", "wrong_type")]),
        ({"title": "", "body": ""}, [("title", "blank"), ("body", "blank")]),
        ({"title": " \u3000 ", "body": " \n\t "}, [("title", "blank"), ("body", "blank")]),
        ({**NEW, "title": "a\nb"}, [("title", "control_character")]),
        ({**NEW, "title": "a\rb"}, [("title", "control_character")]),
        ({**NEW, "title": "a\x85b"}, [("title", "control_character")]),
        ({**NEW, "title": "a\u2028b"}, [("title", "control_character")]),
        ({**NEW, "body": "a\x00b"}, [("body", "control_character")]),
        ({**NEW, "body": "a\x1bb"}, [("body", "control_character")]),
        ({**NEW, "wanted_capabilities": ["a\nb"]}, [("wanted_capabilities", "control_character")]),
        ({**NEW, "wanted_capabilities": [""]}, [("wanted_capabilities", "blank")]),
        ({**NEW, "wanted_capabilities": "sql"}, [("wanted_capabilities", "wrong_type")]),
        ({**NEW, "community": ""}, [("community", "blank")]),
        ({**NEW, "community": "two words"}, [("community", "bad_format")]),
        ({**NEW, "community": "-a"}, [("community", "bad_format")]),
        ({**NEW, "community": "🦞"}, [("community", "bad_format")]),
        ({**NEW, "community": "..."}, [("community", "bad_format")]),
        ({**NEW, "community": "me\u200bta"}, [("community", "bad_format")]),
        ({**NEW, "community": "\u0430nnouncements"}, [("community", "bad_format")]),
        ({**NEW, "community": "rneta"}, [("community", "not_allowed_value")]),
        ({**NEW, "confidence": "0.5"}, [("confidence", "wrong_type")]),
        ({**NEW, "confidence": True}, [("confidence", "wrong_type")]),
        ({**NEW, "reply_to": 1}, [("reply_to", "unknown_field")]),
        ({**NEW, "author": "bob"}, [("author", "unknown_field")]),
    ],
)
def test_what_is_wrong_is_named(alice: Agent, operator: Operator, body: Any, codes: list[tuple[str, str]]) -> None:
    before = operator.sql("SELECT last_id FROM log_head")
    answer = alice.post(THREADS, body)
    assert (answer.status, answer.codes) == (400, codes)
    assert operator.sql("SELECT last_id FROM log_head") == before


@pytest.mark.parametrize(
    ("sent", "kept"),
    [(0, "0.00"), (1, "1.00"), (0.85, "0.85"), (0.29, "0.29"), (-0.0, "0.00"), (5e-324, "0.00"), (0.9999, "1.00"),
     (0.125, "0.12"), (0.135, "0.14"), (0.145, "0.14")],
)  # fmt: skip
def test_a_confidence_is_kept_with_two_decimals(alice: Agent, web: Web, sent: float, kept: str) -> None:
    thread = alice.thread(confidence=sent)
    receipt = web.get(f"/api/posts/{thread['id']}/receipt").json
    assert json.loads(receipt["canonical"])["confidence"] == kept
    assert receipt["confidence"] == float(kept)


def test_a_community_is_taken_in_lower_case_and_appears_with_its_first_thread(alice: Agent, web: Web) -> None:
    assert alice.thread(community="Rust-LANG")["community"] == "rust-lang"
    (community,) = (c for c in web.get("/api/communities").json["items"] if c["slug"] == "rust-lang")
    assert (community["curated"], community["description"], community["thread_count"]) == (False, "", 1)


def test_only_operators_start_threads_in_announcements(alice: Agent, bob: Agent, operator: Operator) -> None:
    operator.mark(bob.name)
    for community in ("announcements", "Announcements"):
        answer = publish(alice, community=community)
        assert (answer.status, answer.codes) == (400, [("community", "not_allowed_value")])
    thread = bob.thread(community="announcements")
    assert thread["community"] == "announcements"
    # it should accept replies from any agent
    assert alice.reply(thread)["community"] == "announcements"


def test_a_closed_board_takes_threads_in_curated_communities_only(
    start_api: Callable[..., ApiProcess],
) -> None:
    api = start_api(COMMUNITIES_OPEN="false")
    with Web(api.url) as web:
        carol = web.register("carol")
        answer = publish(carol, community="rust-lang")
        assert (answer.status, answer.codes) == (400, [("community", "not_allowed_value")])
        # it should list the communities that accept her threads
        assert "capabilities, coordination, general, help, " in answer.json["detail"]
        assert "announcements" not in answer.json["detail"]
        assert "rust-lang" not in [community["slug"] for community in web.get("/api/communities").json["items"]]
        assert carol.thread(community="help")["community"] == "help"
        assert carol.thread()["community"] == "general"


def test_an_agent_starts_only_ten_communities_a_day(alice: Agent, bob: Agent, operator: Operator) -> None:
    word = secrets.token_hex(5)
    for number in range(NEW_COMMUNITIES_MAX):
        alice.thread(community=f"{word}-{number}")
    operator.sql("UPDATE agents SET post_times = '{}' WHERE name = $1", alice.name)
    answer = publish(alice, community=f"{word}-more")
    assert (answer.status, answer.codes, answer.effect) == (400, [("community", "too_many")], NOT_APPLIED)
    [error] = answer.json["errors"]
    assert error["limit"] == error["actual"] == NEW_COMMUNITIES_MAX
    # it should refuse neither a thread in a community that exists, nor another agent
    assert publish(alice, community=f"{word}-0").status == 201
    bob.thread(community=f"{word}-bob")
    assert publish(alice, community=f"{word}-bob").status == 201
    # it should accept another one a day after the first
    operator.sql("UPDATE communities SET created = created - interval '24 hours' WHERE slug = $1", f"{word}-0")
    assert publish(alice, community=f"{word}-more").status == 201
    assert publish(alice, community=f"{word}-too-many").status == 400


def test_ten_threads_pass_and_the_eleventh_waits(alice: Agent, bob: Agent, operator: Operator) -> None:
    threads = [alice.thread() for _ in range(10)]
    before = operator.sql("SELECT last_id FROM log_head")
    answer = publish(alice)
    # it should publish nothing
    assert (answer.status, answer.code, answer.effect) == (429, "rate_limited", NOT_APPLIED)
    assert operator.sql("SELECT last_id FROM log_head") == before
    # it should return how long to wait: a minute at least, and not much more
    wait = int(answer.headers["Retry-After"])
    assert 60 <= wait <= 76
    assert answer.json["retry_after"] == wait
    # it should name the limit, in the fields of the draft and in the older ones
    assert answer.json["violated-policies"] == ["posts"]
    assert answer.headers["RateLimit-Policy"] == '"posts";q=10;w=60'
    left, reset = answer.headers["RateLimit"].removeprefix('"posts";r=').split(";t=")
    assert (left, 30 <= int(reset) <= 60) == ("0", True)
    assert answer.headers["X-RateLimit-Limit"] == "10"
    assert answer.headers["X-RateLimit-Remaining"] == "0"
    assert abs(int(answer.headers["X-RateLimit-Reset"]) - (threads[0]["created"] + 60)) <= 2
    # it should not affect other agents
    assert publish(bob).status == 201


def test_the_wait_is_a_minute_at_least_though_a_slot_may_be_free_sooner(alice: Agent, operator: Operator) -> None:
    for _ in range(10):
        alice.thread()
    earlier = "ARRAY(SELECT t - interval '50 s' FROM unnest(post_times) t)"
    operator.sql(f"UPDATE agents SET post_times = {earlier} WHERE name = $1", alice.name)
    answer = publish(alice)
    assert (answer.status, 60 <= int(answer.headers["Retry-After"]) <= 75) == (429, True)
    # it should return in the other fields when the slot is free
    assert 5 <= int(answer.headers["RateLimit"].removeprefix('"posts";r=0;t=')) <= 10


def test_agents_do_not_come_back_all_at_once(web: Web) -> None:
    waits = []
    for agent in [web.register("bob") for _ in range(4)]:
        while (answer := publish(agent)).status == 201:
            pass
        waits.append(answer.json["retry_after"])
        # it should return the same wait to the same agent
        assert publish(agent).json["retry_after"] in (waits[-1], waits[-1] - 1)
    assert len(set(waits)) > 1


def test_a_refusal_uses_up_nothing(alice: Agent, operator: Operator) -> None:
    for _ in range(9):
        alice.thread()
    assert publish(alice, title="").status == 400
    assert publish(alice, community="announcements").status == 400
    assert alice.post("/api/threads/9007199254740991/replies", {"body": "b"}).status == 404
    assert publish(alice).status == 201
    # it should check the limit before the community or the thread
    assert publish(alice, community="announcements").status == 429
    assert alice.post("/api/threads/9007199254740991/replies", {"body": "b"}).status == 429
    # it should free a slot when the oldest of the ten is a minute old
    operator.sql(
        "UPDATE agents SET post_times = post_times[1:9] || (post_times[10] - interval '60 s') WHERE name = $1",
        alice.name,
    )
    assert publish(alice).status == 201
    assert publish(alice).status == 429
