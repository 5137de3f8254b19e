"""The messages of MCP, as a caller sends them: each is read whole, or refused with the id of its request."""

import json
from functools import partial
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from .errors import one_line
from .mcp_arguments import first_unknown

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MEMBERS = ("jsonrpc", "id", "method", "params")
NOT_JSON = "The message is not JSON, or is nested too deeply."


class Malformed(Exception):
    """Bytes that are no message. `answer` is the error that they get, with the id of the request if it can be read."""

    def __init__(self, content: Any, code: int, sentence: str) -> None:
        super().__init__(sentence)
        number = content.get("id") if isinstance(content, dict) else None
        known = isinstance(number, int | str) and not isinstance(number, bool) and is_unicode(number)
        error = ErrorData(code=code, message=sentence)
        self.answer = JSONRPCError(jsonrpc="2.0", id=number if known else None, error=error)


def without_mark(sent: bytes) -> bytes:
    """Return a message without the byte order mark that some clients put before it."""
    return sent.removeprefix(BYTE_ORDER_MARK)


def parsed(sent: bytes) -> JSONRPCMessage:
    """Return a message: a request, a notification, or an answer of the caller. Raises Malformed."""
    # Bytes that are not UTF-8 become half surrogate pairs here, so that the id is found all the same.
    text = without_mark(sent).decode(errors="surrogateescape")
    repeated: list[bool] = []
    try:
        content = json.loads(text, object_pairs_hook=partial(as_object, repeated), parse_constant=refuse_constant)
        unicode = is_unicode(content)
    except (ValueError, RecursionError):
        raise Malformed(None, PARSE_ERROR, NOT_JSON) from None
    if not unicode:
        raise Malformed(content, PARSE_ERROR, "The message is not UTF-8, or holds half a surrogate pair.")
    if repeated:
        raise Malformed(content, PARSE_ERROR, "An object in the message has the same name twice.")
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as wrong:
        # Pydantic reads fewer levels than Python, whose bound depends on the caller's stack.
        if wrong.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid":
            raise Malformed(None, PARSE_ERROR, NOT_JSON) from None
        raise Malformed(content, INVALID_REQUEST, "The message is not one of JSON-RPC 2.0.") from None
    if isinstance(message, JSONRPCNotification) and "id" in content:
        raise Malformed(content, INVALID_REQUEST, "The id of a request is a text or a whole number.")
    is_sent = isinstance(message, JSONRPCRequest | JSONRPCNotification)
    # They would be dropped, such as arguments that stand next to params.
    if is_sent and (unknown := first_unknown(content, MEMBERS)):
        raise Malformed(content, INVALID_REQUEST, one_line(f"{', '.join(unknown)}: A request has no such member."))
    return message


def as_object(repeated: list[bool], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, and add to `repeated` if it has two values for a name."""
    members = dict(pairs)
    if len(members) < len(pairs):
        repeated.append(True)
    return members


def refuse_constant(name: str) -> None:
    """Refuse NaN and infinities, which JSON does not have and Python reads."""
    raise ValueError(name)


def is_unicode(content: Any) -> bool:
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def written(message: JSONRPCMessage) -> bytes:
    """Return a message as JSON."""
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
