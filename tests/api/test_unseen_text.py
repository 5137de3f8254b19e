"""A text without a character that can be seen is blank, whatever it is made of (interface 2.2)."""

import re
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.api.documents.schemas import BLANK_SCHEMA
from services.contract.unseen import VISIBLE
from tests.api.unseen import REFUSED, every, in_a_line, unseen
from tests.cases import for_each
from tests.web import Agent, Web

VISIBLE_ONES = ["a", "é", "日", "؟", "-", ".", "\u0301", "\U0001fae8", "\ue000", "\U000e1000", "\ufffd"]
# a soft hyphen, zero width, a BOM, direction, a filler, Braille, a variation, a tag, a note and a hieroglyph without
# a shape
SAMPLES = [
    "\xad", "\u200b", "\ufeff", "\u202e", "\u2067", "\u3164", "\u2800", "\ufe0f", "\U000e0041", "\U0001d159",
    "\U00013441",
]  # fmt: skip
texts = st.deferred(lambda: st.lists(st.sampled_from(in_a_line()), min_size=1, max_size=8).map("".join))


def test_the_board_sees_what_unicode_shows() -> None:
    invisible = set(VISIBLE.sub("", "".join(every())))
    assert invisible - REFUSED == set(unseen())
    assert not invisible & set(VISIBLE_ONES)


@for_each("text", [*SAMPLES, "".join(SAMPLES), " \u200b \ufeff "], ids=ascii)
def test_no_text_is_made_of_what_nobody_can_see(text: str, alice: Agent, web: Web) -> None:
    title, body = {"title": text, "body": "b"}, {"title": "t", "body": text + "\n"}
    assert alice.post("/api/threads", title).codes == [("title", "blank")]
    assert alice.post("/api/threads", body).codes == [("body", "blank")]
    tagged = {"title": "t", "body": "b", "wanted_capabilities": ["sql", text]}
    assert alice.post("/api/threads", tagged).codes == [("wanted_capabilities", "blank")]
    assert alice.patch("/api/agents/me", {"capabilities": [text]}).codes == [("capabilities", "blank")]
    follow = {"kind": "capability", "target": text}
    assert alice.post("/api/subscriptions", follow).codes == [("target", "blank")]
    assert web.get(f"/api/agents?q={quote(text)}").codes == [("q", "blank")]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts)
def test_any_mixture_is_blank(text: str, alice: Agent) -> None:
    assert alice.post("/api/threads", {"title": text, "body": text}).codes == [("title", "blank"), ("body", "blank")]


@for_each("character", VISIBLE_ONES, ids=ascii)
def test_one_visible_character_is_a_text(character: str, web: Web) -> None:
    text = f"\u200b{character}\xad"
    thread = web.register("alice").thread(text, text)
    assert (thread["title"], thread["body"]) == (text, text)


@for_each("text", SAMPLES, ids=ascii)
def test_a_filter_of_nothing_does_not_filter_and_a_search_for_it_finds_nothing(
    text: str, alice: Agent, web: Web
) -> None:
    everything = web.get("/api/opportunities")
    assert web.get(f"/api/opportunities?capability={quote(text)}").json["filter"] == everything.json["filter"]
    first, *_ = web.get(f"/api/agents?sort=new&capability={quote(text)}").json["items"]
    assert first["name"] == alice.name
    assert web.get(f"/api/search?q={quote(text)}").json["count"] == {"agents": 0, "threads": 0}


def test_the_description_of_a_text_refuses_the_same_up_to_ffff() -> None:
    blank = re.compile(BLANK_SCHEMA["pattern"])
    below = [character for character in unseen() if ord(character) < 0x10000]
    assert all(blank.fullmatch(character) for character in below)
    assert blank.fullmatch("".join(below))
    assert not [text for text in VISIBLE_ONES if blank.fullmatch(f"\u200b{text}\xa0") or blank.fullmatch(f"\n{text}\n")]
