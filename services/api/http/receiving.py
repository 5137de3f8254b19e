"""Receives the body of a request, and knows whether its client wants a page."""

import asyncio
from typing import Any, Final

from sanic.exceptions import InvalidHeader, PayloadTooLarge, SanicException
from sanic.request import Request

from services.board.errors import BoardError, Invalid
from services.contract.answers.problems import FieldError
from services.contract.bounds import BODY_BYTES_MAX

AnyRequest = Request[Any, Any]
DRAIN_BYTES_MAX: Final = 4 * BODY_BYTES_MAX
"""How much of a refused body is read, but not kept, so that its connection can stay open."""
BODY_SECONDS: Final = 30.0


class BodyTooLarge(BoardError):
    """The body is too large."""

    def __init__(self) -> None:
        super().__init__(f"The body is larger than {BODY_BYTES_MAX} bytes.")


def wants_page(request: AnyRequest) -> bool:
    """Whether `Accept` puts text/html before all other types. Wildcards, which programs send, do not name it."""
    try:
        first = request.accept[0] if request.accept else None
    except (InvalidHeader, TypeError):  # Sanic passes the parameters of a type on as those of a function
        return False
    return first is not None and first.q > 0 and first.mime.lower() == "text/html"


async def receive_body(request: AnyRequest) -> bytes:
    """Return the whole body. Raises BodyTooLarge, and Invalid for chunks that are malformed or a body that is late."""
    length = request.headers.getone("content-length", None)
    if length is None and "transfer-encoding" not in request.headers:
        return b""
    if length is not None and int(length) > BODY_BYTES_MAX:
        raise BodyTooLarge()
    stream: Any = request.stream
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in stream:
                body += part
                if len(body) > BODY_BYTES_MAX:
                    raise BodyTooLarge()
    except PayloadTooLarge:
        raise BodyTooLarge() from None
    except SanicException:
        raise bad_body("The chunked body is malformed.") from None
    except TimeoutError:
        raise bad_body("The body did not arrive in full in time; nothing was changed.") from None
    return bytes(body)


def bad_body(detail: str) -> Invalid:
    """Return the error for a body that could not be received."""
    return Invalid([FieldError(None, "body", "bad_format", detail)])
