"""Reads the query, body and Idempotency-Key of a request into its call."""

from services.api.http.bodies import check_media_type, fingerprint, parse_body, receive_body
from services.api.http.head import HeadRequest
from services.api.http.parsing import empty_query, parse_idempotency_key, parse_query, unknown_parameters
from services.board.credentials import refuse_secrets

from .call import Call


def read_query(request: HeadRequest, call: Call) -> None:
    """Read the query, if the operation has one, and note what is ignored of it. Raises Invalid."""
    raw = request.query_string
    if raw:
        call.ignored = unknown_parameters(call.operation.query, raw)
    if call.operation.query is not None:
        call.query = parse_query(call.operation.query, raw) if raw else empty_query(call.operation.query)


async def read_body(request: HeadRequest, call: Call, secret_guard: bool) -> None:
    """Receive the body, and read it and the Idempotency-Key if the operation has them."""
    operation = call.operation
    body = await receive_body(request.stream)
    if operation.body is not None:
        if body:
            check_media_type(operation, request.headers)
        call.body = parse_body(operation.body, body)
        refuse_secrets(call.body, secret_guard)
    if operation.idempotency_key:
        call.key = parse_idempotency_key(request.headers.getall("idempotency-key", []))
        call.fingerprint = fingerprint(operation, call.path, call.body) if call.key is not None else None
