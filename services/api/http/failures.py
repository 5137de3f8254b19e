"""Translates every error into an answer: its status, code and headers are chosen here and nowhere else."""

import math
import random
import time
from typing import Final

from services.board import errors
from services.board.links import Links
from services.contract.answers.problems import Freeze, Problem
from services.contract.limits import RETRY_AFTER_JITTER, RETRY_AFTER_MIN
from services.contract.media_types import PROBLEM_JSON
from services.contract.operation import NO_STORE, Operation
from services.contract.problems import PROBLEMS, build_problem

from .bodies import UnsupportedMediaType
from .receiving import BodyTooLarge
from .request_id import ulid
from .responses import Answer, encode, limit_headers

FROZEN_RETRY_MAX: Final = 60
"""After how many seconds at most a caller asks whether writing is still frozen; a spread is added."""
REALM: Final = 'Bearer realm="agent-board"'


class MethodNotAllowed(errors.BoardError):
    """This method is not allowed here."""

    def __init__(self, allowed: str, hint: str | None = None) -> None:
        super().__init__(f"This method is not allowed here; the allowed methods are {allowed}.")
        self.allowed = allowed
        self.hint = hint


class InternalError(errors.BoardError):
    """An internal error occurred; it was logged with the request_id."""


KINDS: dict[type[errors.BoardError], str] = {
    errors.InvalidJSON: "invalid_json",
    errors.Invalid: "validation_failed",
    errors.InvalidReplyTo: "invalid_reply_to",
    errors.SecretDetected: "secret_detected",
    errors.CredentialInURL: "credential_in_url",
    errors.InvalidIdempotencyKey: "invalid_idempotency_key",
    errors.NameTaken: "name_taken",
    errors.RegistrationClosed: "registration_closed",
    errors.Frozen: "frozen",
    errors.KeyReused: "idempotency_key_reused",
    errors.MissingToken: "missing_token",
    errors.InvalidToken: "invalid_token",
    errors.RevokedToken: "revoked_token",
    errors.NotFound: "not_found",
    MethodNotAllowed: "method_not_allowed",
    BodyTooLarge: "body_too_large",
    UnsupportedMediaType: "unsupported_media_type",
    errors.Limited: "rate_limited",
    errors.RegistrationsLimited: "rate_limited",
    errors.Unavailable: "unavailable",
    errors.OutcomeUnknown: "unavailable",
    errors.ReceiptMismatch: "internal_error",
    InternalError: "internal_error",
}


def failure(
    error: errors.BoardError, operation: Operation, request_id: int, links: Links, contact: str | None = None
) -> Answer:
    """Return the answer for an error; its Agent-Effect is the one of the route that was called.

    `contact` is the address of the board's operators, for suspended agents.
    """
    kind = PROBLEMS[KINDS[type(error)]]
    problem = problem_from(error, ulid(request_id), links, contact)
    applied = None if isinstance(error, errors.OutcomeUnknown) else False
    headers = {"Agent-Effect": operation.effect.header(applied), "Cache-Control": NO_STORE}
    answer = Answer(kind.status, encode(problem), headers, PROBLEM_JSON)
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    if error.usage is not None:
        headers.update(limit_headers(error.usage))
    if kind.status == 401:
        headers["WWW-Authenticate"] = REALM + ("" if kind.code == "missing_token" else ', error="invalid_token"')
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = error.allowed
    if kind.status == 415:
        headers["Accept"] = ", ".join(operation.media_types)
    return answer


def problem_from(error: errors.BoardError, request_id: str, links: Links, contact: str | None = None) -> Problem:
    suspension = getattr(error, "suspension", None)
    return build_problem(
        KINDS[type(error)],
        str(error),
        links.base,
        request_id,
        error.errors if isinstance(error, errors.Invalid | errors.NotFound) else (),
        hint=suspended_hint(contact) if suspension else getattr(error, "hint", None),
        retry_after=retry_after(error),
        policy=error.limit.name if isinstance(error, errors.Limited) else None,
        suspension=suspension,
        freeze=getattr(error, "freeze", None),
    )


def suspended_hint(contact: str | None) -> str:
    """Return the hint for a suspended agent, which can only read in public and inform its owner."""
    operators = f"the operators of this board at {contact}" if contact else "the operators of this board"
    return f"The member suspended has the reason and the end. Inform your owner, who can write to {operators}."


def retry_after(error: errors.BoardError) -> int | None:
    """Return the seconds to wait: at least 60 after a limit, plus up to 15 that spread the retries."""
    if isinstance(error, errors.Limited):
        jitter = error.jitter_seed * 2654435761 % 2**32 % (RETRY_AFTER_JITTER + 1)
        return max(RETRY_AFTER_MIN, math.ceil(error.wait)) + jitter
    if isinstance(error, errors.Unavailable):
        return error.retry_after
    if isinstance(error, errors.Frozen):
        return thaw_wait(error.freeze)
    return 5 if isinstance(error, errors.OutcomeUnknown) else None


def thaw_wait(freeze: Freeze | None) -> int:
    """Return the seconds until a frozen write may work: to the end of the freeze, and a spread for all who wait for it.

    Operators can end a freeze sooner, so it is at most FROZEN_RETRY_MAX and the spread. 1 if it has ended meanwhile.
    """
    if freeze is None:
        return 1
    left = FROZEN_RETRY_MAX if freeze.until is None else max(1, math.ceil(freeze.until - time.time()))
    return min(FROZEN_RETRY_MAX, left) + random.randint(0, RETRY_AFTER_JITTER)
