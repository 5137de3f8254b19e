"""The errors of requests that Sanic refuses: they have no route, are malformed or took too long."""

import asyncio
from collections.abc import Callable

from sanic import HTTPResponse, empty
from sanic.exceptions import (
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
    SanicException,
    ServiceUnavailable,
)
from sanic.handlers import ErrorHandler

from services.api.handlers.call import Call
from services.api.http import failures
from services.api.http.parsing import refuse_credential
from services.api.http.receiving import AnyRequest
from services.api.http.request_id import new_request_id
from services.board import errors
from services.contract.answers.problems import FieldError
from services.contract.bounds import HEAD_BYTES_MAX
from services.contract.route_hints import nearest, read_above

from .routes import UNKNOWN, allowed_methods

Refuse = Callable[[AnyRequest, Call, Exception], HTTPResponse]


class Refusals(ErrorHandler):
    """Answers every exception of Sanic with the board's own error, by `refuse`."""

    def __init__(self, refuse: Refuse) -> None:
        super().__init__()
        self.refuse = refuse

    def default(self, request: AnyRequest, exception: BaseException) -> HTTPResponse:
        """Return the response. A client that has hung up gets none."""
        call = getattr(request.ctx, "call", None)
        # if it was answered, its client does not read
        if isinstance(exception, asyncio.CancelledError) or (call is not None and call.seconds):
            return empty()
        if isinstance(exception, ServiceUnavailable) and call is not None:
            return self.refuse(request, call, timed_out(call))
        return self.refuse(request, Call(UNKNOWN, new_request_id()), refused(request, exception))


def refused(request: AnyRequest, exception: BaseException) -> Exception:
    """Return the board's own error for an exception of Sanic, or the exception itself if it is a fault of the board."""
    if isinstance(exception, NotFound | MethodNotAllowed):
        return no_route(request, exception)
    if not isinstance(exception, SanicException) or exception.status_code >= 500:
        return exception if isinstance(exception, Exception) else RuntimeError(repr(exception))
    if isinstance(exception, PayloadTooLarge):
        return long_head()
    if isinstance(exception, RequestTimeout):
        return bad_head("The request line and headers did not arrive in time.")
    return bad_head("The HTTP request is malformed.")


def bad_head(detail: str) -> errors.Invalid:
    """Return the error for a head that is refused."""
    return errors.Invalid([FieldError(None, "head", "bad_format", detail)])


def long_head() -> errors.Invalid:
    """Return the error for a head that is too long."""
    detail = f"The request line and headers are longer than {HEAD_BYTES_MAX} bytes."
    return errors.Invalid([FieldError(None, "head", "too_long", detail, HEAD_BYTES_MAX)])


def no_route(request: AnyRequest, exception: SanicException) -> Exception:
    """Return the error for a path or a method that no operation has."""
    try:
        refuse_credential(request.raw_url)
    except errors.CredentialInURL as error:
        return error
    if isinstance(exception, MethodNotAllowed):
        hint = read_above(request.path) if request.method in ("GET", "HEAD") else None
        return failures.MethodNotAllowed(allowed_methods(request.app, request.path), hint)
    return errors.NotFound(hint=nearest(request.raw_url.partition(b"?")[0].decode("latin-1")))


def timed_out(call: Call) -> errors.BoardError:
    """Return the error for a call whose answer took too long: a write may have been made once it was begun."""
    if call.begun:
        return errors.OutcomeUnknown("The response took too long; whether the change was made is not known yet.")
    return errors.Unavailable("The response took too long; nothing was changed.")
