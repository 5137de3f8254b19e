"""Request ids: the text of an id stands for the same 128 bits as its number."""

from services.api.http.request_id import DIGITS, new_request_id, ulid
from tests.cases import for_each


@for_each("number", [0, 1, 1 << 39, 1 << 40, 1 << 79, 1 << 80, 1 << 127, (1 << 128) - 1])
def test_the_text_holds_every_bit_of_the_number(number: int) -> None:
    for request_id in (number, number ^ new_request_id()):
        text = ulid(request_id)
        assert len(text) == 26
        assert sum(DIGITS.index(digit) << 5 * place for place, digit in enumerate(reversed(text))) == request_id
