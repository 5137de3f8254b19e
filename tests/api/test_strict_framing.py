"""Two servers never see different requests in the same bytes: what RFC 9112 forbids is refused.

A head is refused before its route is known, and chunks by the operation that reads them. Then the connection ends.
"""

from collections.abc import Callable

from tests.api.packets import BAD_CHUNKS, BAD_HEADS, GOOD
from tests.api.raw import PING, Raw
from tests.cases import for_each


def test_there_are_many_cases() -> None:
    assert len(BAD_HEADS) + len(BAD_CHUNKS) >= 112


def test_heads_that_can_be_read_in_two_ways_are_refused(connect: Callable[[], Raw]) -> None:
    taken = {case for case, head in BAD_HEADS.items() if not is_refused(connect(), head, "head", "Content-Length")}
    assert taken == set()


def test_chunks_that_can_be_read_in_two_ways_are_refused(connect: Callable[[], Raw]) -> None:
    taken = {case for case, sent in BAD_CHUNKS.items() if not is_refused(connect(), sent, "body")}
    assert taken == set()


def is_refused(raw: Raw, sent: bytes, *parts: str) -> bool:
    """Whether these bytes get one 400 and nothing after it."""
    raw.send(sent, PING)
    answer = raw.answer()
    refused = answer.status == 400 and answer.codes[0] in [(part, "bad_format") for part in parts]
    assert not refused or raw.is_closed()
    assert answer.effect == ("account-create;scope=public;reversible=?0;applied=?0" if "body" in parts else "none")
    return refused


@for_each("case", GOOD)
def test_what_is_allowed_is_read(connect: Callable[[], Raw], case: str) -> None:
    raw = connect()
    raw.send(GOOD[case])
    answer = raw.answer("HEAD" if case == "HEAD" else "GET")
    # a registration without a name is refused, by the field that is missing
    assert answer.status in (200, 404, 405) or answer.codes == [("name", "required")], answer.content
    assert raw.is_usable()
