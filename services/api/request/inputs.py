"""Reads the path, query, body and Idempotency-Key of a request into its call."""

from collections.abc import Hashable
from typing import Final

import msgspec
from cachetools import LRUCache

from services.api.handlers.call import Call, Meaning
from services.api.http.bodies import check_media_type, parse_body
from services.api.http.parsing import (
    empty_query,
    parse_idempotency_key,
    parse_path,
    parse_query,
    refuse_credential,
    unknown_parameters,
)
from services.api.http.receiving import AnyRequest, receive_body
from services.board.validation.credentials import refuse_secrets
from services.contract.names import key_of as folded
from services.contract.operation import Operation

from .routes import Endpoint

# With one of these headers, a body must be declared as JSON. A page of another site can send a body without a type, but
# not without Origin.
TYPED: Final = ("content-type", "content-encoding", "origin")
URLS_MAX: Final = 10_000
URL_BYTES_MAX: Final = 256


class Urls:
    """Remembers the meaning of short URLs: parsing one costs more than the rest of a read from memory."""

    def __init__(self) -> None:
        self.meanings: LRUCache[tuple[Endpoint, bytes], Meaning] = LRUCache(URLS_MAX)

    def read_path(self, request: AnyRequest, call: Call, endpoint: Endpoint, path: dict[str, str]) -> None:
        """Read the path of a URL. Raises NotFound, CredentialInURL."""
        url = request.raw_url
        meaning = self.meanings.get((endpoint, url))
        if meaning is None:
            refuse_credential(url)
            meaning = Meaning(parse_path(call.operation, path))
            if len(url) <= URL_BYTES_MAX:
                self.meanings[endpoint, url] = meaning
        call.meaning, call.path = meaning, meaning.path

    def read_query(self, request: AnyRequest, call: Call) -> None:
        """Read the query, if the operation has one, and note what is ignored of it. Raises Invalid."""
        meaning = call.meaning
        if meaning.key is None:
            raw = request.query_string
            if raw:
                meaning.ignored = call.ignored = unknown_parameters(call.operation.query, raw)
            if call.operation.query is not None:
                meaning.query = parse_query(call.operation.query, raw) if raw else empty_query(call.operation.query)
            meaning.key = key_of(call.operation, meaning)
        call.query, call.ignored = meaning.query, meaning.ignored


def key_of(operation: Operation, meaning: Meaning) -> Hashable:
    """Return what a read means: its operation, the path (names in any case are the same) and the query."""
    path = [folded(value) if isinstance(value, str) else value for value in meaning.path.values()]
    query = () if meaning.query is None else msgspec.structs.astuple(meaning.query)
    values = (tuple(value) if isinstance(value, list) else value for value in query)
    return operation.name, *path, *values


async def read_body(request: AnyRequest, call: Call, secret_guard: bool) -> None:
    """Receive the body, and read it and the Idempotency-Key if the operation has them."""
    operation = call.operation
    body = await receive_body(request)
    if operation.body is not None:
        if body and any(name in request.headers for name in TYPED):
            check_media_type(operation, request.headers)
        call.body = parse_body(operation.body, body)
        refuse_secrets(call.body, secret_guard)
    if operation.idempotency_key:
        call.key = parse_idempotency_key(request.headers.getall("idempotency-key", []))
