"""search_board: threads that a search finds by their replies (interface 9.7)."""

import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web

Found = Callable[..., list[dict[str, Any]]]


@pytest.fixture(params=["behind the cursor", "in the index"])
def found(request: pytest.FixtureRequest, web: Web, operator: Operator) -> Found:
    """The threads that match, before the index has caught up, and after."""
    operator.index_log()

    def threads(q: str, query: str = "") -> list[dict[str, Any]]:
        if request.param == "in the index":
            operator.index_log()
        answer = web.get(f"/api/search?q={quote(q, safe='')}&limit=50{query}")
        assert answer.status == 200, answer.content
        assert answer.json["incomplete"] is False
        return list(answer.json["threads"])

    return threads


def word() -> str:
    """Return a word that no other text has."""
    return "w" + "".join(secrets.choice("bcdfgkmnp") for _ in range(12))


def ids(threads: list[dict[str, Any]]) -> list[int]:
    return [thread["id"] for thread in threads]


def test_a_thread_is_found_by_a_reply(alice: Agent, bob: Agent, web: Web, found: Found) -> None:
    rare, other = word(), word()
    thread = alice.thread(f"Quokkas {other}", "Who knows?")
    reply = bob.reply(thread, f"A wombat knows {rare}.")
    alice.vote(reply, 1)
    (hit,) = found(rare)
    excerpt = {"id": reply["id"], "author": bob.name, "score": 1, "text": f"A wombat knows {rare}."}
    listed = web.get(f"/api/threads/{thread['id']}").json["thread"]
    assert hit == listed | {"matched": "all", "share": 1, "found_in": excerpt}
    (hit,) = found(f"{other} {rare}")
    assert (hit["matched"], hit["found_in"]) == ("all", excerpt)
    hit = found(f"who knows {rare} {other}")[0]
    assert (hit["matched"], hit["found_in"]) == ("all", excerpt)


def test_a_reply_without_a_word_of_weight_is_not_shown_but_the_one_with_the_most_votes(
    alice: Agent, bob: Agent, carol: Agent, web: Web, found: Found
) -> None:
    words, chatter = [word() for _ in range(8)], word()
    thread = alice.thread("One", " ".join(words))
    bob.reply(thread, f"I have {chatter}.")
    (hit,) = found(" ".join([*words, chatter]))
    assert (hit["matched"], "found_in" in hit) == ("all", False)
    best, other = bob.reply(thread, "Restart it."), bob.reply(thread, "Wait.")
    for voter, reply in ((alice, other), (alice, best), (carol, best)):
        voter.vote(reply, 1)
    for q in (" ".join([*words, chatter]), words[0]):
        assert [hit["found_in"]["id"] for hit in found(q)] == [best["id"]]
    # it should be none with votes against it, and none by another author than is asked for
    for voter, reply in ((alice, other), (alice, best), (carol, best)):
        voter.vote(reply, -1)
    assert "found_in" not in found(words[0])[0]
    bob.vote(alice.reply(thread, "Try again."), 1)
    assert "found_in" in found(words[0])[0]
    bob.thread("Two", words[0])
    assert "found_in" not in found(words[0], f"&author={bob.name}")[0]


def test_words_that_tell_nothing_are_no_words_of_weight(alice: Agent, bob: Agent, found: Found) -> None:
    one, two = word(), word()
    thread = alice.thread("One", f"The {one} is {two}.")
    bob.reply(thread, "Thanks, now I know why.")
    best = bob.reply(thread, "Unlock it.")
    alice.vote(best, 1)
    assert found(f"why is the {one} {two} now")[0]["found_in"]["id"] == best["id"]


def test_the_share_is_that_of_the_words_a_thread_has_with_a_reply(alice: Agent, bob: Agent, found: Found) -> None:
    one, two, three, four = (word() for _ in range(4))
    thread = alice.thread("One", f"A {one} and a {two}.")
    q = f"{one} {two} {three} {four}"
    assert [hit["share"] for hit in found(q)] == [pytest.approx(0.5, abs=0.1)]
    bob.reply(thread, f"A {three}.")
    assert [hit["share"] for hit in found(q)] == [pytest.approx(0.75, abs=0.1)]
    assert [hit["share"] for hit in found(f"{one} {two}")] == [1]


def test_a_thread_comes_once_and_its_own_words_count_more(alice: Agent, bob: Agent, found: Found) -> None:
    rare = word()
    answered = alice.thread("One", "Who knows?")
    for _ in range(9):
        bob.reply(answered, f"A {rare}.")
    own = alice.thread("Two", f"A {rare}.")
    assert ids(found(rare)) == [own["id"], answered["id"]]


def test_a_reply_with_votes_goes_first(alice: Agent, bob: Agent, carol: Agent, found: Found) -> None:
    rare = word()
    first, second = alice.thread("First", "Who knows?"), alice.thread("Second", "Who knows?")
    replies = [bob.reply(thread, f"A {rare}.") for thread in (first, first, second)]
    assert ids(found(rare)) == [second["id"], first["id"]]
    for voter in (alice, carol):
        voter.vote(replies[0], 1)
    hits = found(rare)
    assert ids(hits) == [first["id"], second["id"]]
    assert (hits[0]["found_in"]["id"], hits[0]["found_in"]["score"]) == (replies[0]["id"], 2)


def test_the_author_is_that_of_the_matching_text(alice: Agent, bob: Agent, found: Found) -> None:
    rare, asked, answered = word(), word(), word()
    thread = alice.thread(f"A {rare} {asked}", "Who knows?", community="search-filters")
    reply = bob.reply(thread, f"The {rare} does {answered}.")
    (hit,) = found(rare, f"&author={bob.name}")
    assert hit["found_in"]["id"] == reply["id"]
    (hit,) = found(rare, f"&author={alice.name}")
    assert "found_in" not in hit
    assert [found(f"{asked} {answered}", who)[0]["matched"] for who in ("", f"&author={bob.name}")] == ["all", "some"]
    # the community and the time are those of the thread
    assert ids(found("does " + rare, "&community=search-filters"))[0] == thread["id"]
    assert ids(found("does " + rare, f"&since={thread['created']}"))[0] == thread["id"]
    assert thread["id"] not in ids(found("does " + rare, f"&since={reply['created']}"))


def test_what_is_excluded_in_the_thread_or_in_the_reply_comes_last(alice: Agent, bob: Agent, found: Found) -> None:
    rare, other, third, absent = word(), word(), word(), word()
    thread = alice.thread(f"A {other}", "Who knows?")
    bob.reply(thread, f"A {rare} and a {third}.")
    for q in (f"{rare} -{other}", f"{rare} -{third}", f"{rare} {absent} -{other}", f'"{absent} {rare}" -"a {third}"'):
        assert [(hit["id"], hit["matched"]) for hit in found(q)] == [(thread["id"], "some")], q
    other_thread = alice.thread("Two", f"No {rare}.")
    assert ids(found(f"{rare} -{other}")) == ids(found(f"{rare} -{third}")) == [other_thread["id"], thread["id"]]
    # it should show a reply without it
    kept = bob.reply(thread, f"Another {rare}.")
    assert [(hit["id"], hit["matched"]) for hit in found(f"{rare} -{third}")][1] == (thread["id"], "all")
    assert found(f"{rare} -{third}")[1]["found_in"]["id"] == kept["id"]
