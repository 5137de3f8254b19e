"""The limiter's requests and refusals: strict lists in, problem details out (RFC 9457).

Its sentences never repeat anything that was sent.
"""

import re
import uuid
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from services.contract.answers.problems import FieldError
from services.contract.checks import CHECKS_MAX, Check
from services.contract.limits import QUOTA_MAX, WINDOW_MAX
from services.contract.problems import PROBLEMS, build_problem

# the bounds of the fields that are numbers
NUMBERS_MAX: Final = {"quota": QUOTA_MAX, "window": WINDOW_MAX}
UNAVAILABLE_SECONDS: Final = 1

CHECKS_DECODER: Final[msgspec.json.Decoder[list[Check]]] = msgspec.json.Decoder(
    Annotated[list[Check], Meta(max_length=CHECKS_MAX)]
)
PLACE: Final = re.compile(r" - at `\$([^`]*)`$")
CODES: Final = (
    ("Object missing", "required", "A field is missing."),
    ("Object contains unknown", "unknown_field", "A field is unknown."),
    ("Expected `array` of length", "too_many", f"A request may contain at most {CHECKS_MAX} checks."),
    ("Expected `str` of length", "too_long", "The text is empty or too long."),
    ("Expected `str` matching", "bad_format", "The text contains characters that are not allowed."),
    ("Expected `int` ", "out_of_range", "{field} must be a whole number from 1 to {bound}."),
    ("", "wrong_type", "The value has the wrong type."),
)


class Refusal(Exception):
    """A call that gets a problem: one of the contract's codes and, if fields are invalid, their errors."""

    def __init__(self, code: str, detail: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = list(errors)

    @property
    def status(self) -> int:
        return PROBLEMS[self.code].status

    @property
    def headers(self) -> dict[str, str]:
        retry = {"Retry-After": str(UNAVAILABLE_SECONDS)} if self.code == "unavailable" else {}
        return {"Cache-Control": "no-store", **retry}

    def body(self, base_url: str) -> bytes:
        """The problem; its documents are at `base_url`."""
        wait = UNAVAILABLE_SECONDS if self.code == "unavailable" else None
        problem = build_problem(self.code, self.detail, base_url, uuid.uuid4().hex, self.errors, retry_after=wait)
        return msgspec.json.encode(problem)


def parse_checks(media_type: str, body: bytes) -> list[Check]:
    """The checks of a call, at most 256. Raises Refusal."""
    if media_type != "application/json":
        raise Refusal("unsupported_media_type", "The body must be sent as application/json.")
    try:
        return CHECKS_DECODER.decode(body)
    except msgspec.ValidationError as error:
        raise described(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Refusal("invalid_json", "The body is not valid JSON.") from None


def described(message: str) -> Refusal:
    """The refusal of a body of the wrong shape: the place and the error, in the limiter's own words."""
    place = PLACE.search(message)
    pointer = re.sub(r"\[(\d+)\]|\.(\w+)", r"/\1\2", place[1]) if place else ""
    code, detail = next((code, detail) for start, code, detail in CODES if message.startswith(start))
    field = pointer.rpartition("/")[2]
    return bad_field(pointer, code, detail.format(field=field, bound=NUMBERS_MAX.get(field)))


def bad_field(pointer: str, code: str, detail: str) -> Refusal:
    field = pointer.rpartition("/")[2] or "body"
    return Refusal("validation_failed", detail, [FieldError(f"#{pointer}", field, code, detail)])


def store_away() -> Refusal:
    """The refusal of a call while Redis does not answer."""
    return Refusal("unavailable", "Redis does not answer; nothing was decided.")


def of_status(status: int) -> Refusal:
    """The refusal of a request that fails at the HTTP level, such as an unknown path."""
    codes = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}
    if status in codes:
        return Refusal(codes[status], f"{HTTPStatus(status).phrase}.")
    if 400 <= status < 500:
        return bad_field("", "bad_format", "The request is malformed.")
    return Refusal("internal_error", "An internal error occurred; see the log of the limiter.")


def encode(value: Any) -> bytes:
    return msgspec.json.encode(value)
