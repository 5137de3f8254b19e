"""Completes, counts and logs the answer to every request, and turns errors into answers."""

from functools import cache
from typing import Final

import structlog
from prometheus_client import Counter, Histogram

from services.api.handlers.call import Call
from services.api.http.failures import KINDS, InternalError, failure
from services.api.http.request_id import ulid
from services.api.http.responses import Answer, add_cors, add_ignored
from services.board import errors
from services.board.database.failures import is_unavailable
from services.board.links import Links
from services.contract.effects import NONE
from services.process.metrics import SECONDS, Reading, Registry

from .request_log import RequestLog

log = structlog.get_logger()

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PATCH", "OPTIONS", "PUT", "DELETE"})
CLIENT_CLOSED: Final = 499


class RequestMetrics:
    """Rate, errors and duration of requests by operation. The caller counts how many are `in_flight`."""

    def __init__(self, registry: Registry) -> None:
        self.in_flight = 0
        Reading("agent_board_requests_in_flight", "Requests in flight.", lambda: self.in_flight, registry=registry)
        answered = Counter(
            "agent_board_requests_total",
            "Requests answered, by operation and status.",
            ("operation", "status"),
            registry=registry,
        )
        durations = Histogram(
            "agent_board_request_duration_seconds",
            "How long answering took, by operation.",
            ("operation",),
            buckets=SECONDS,
            registry=registry,
        )
        # Finding the series by its labels takes longer than counting, and happens once for each series.
        self.answered = cache(answered.labels)
        self.duration = cache(durations.labels)

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count one response. `operation` is a declared name, never a path; `seconds` >= 0."""
        self.answered(operation, status).inc()
        self.duration(operation).observe(seconds)


class Accounting:
    """The metrics and the log of all requests; `links` and the operators' contact go into the bodies of problems."""

    def __init__(self, registry: Registry, request_log: RequestLog, links: Links, contact: str | None = None) -> None:
        self.metrics = RequestMetrics(registry)
        self.log = request_log
        self.links = links
        self.contact = contact
        self.refusals = Counter(
            "agent_board_refusals_total",
            "Calls that were refused, by the code of their problem.",
            ["code"],
            registry=registry,
        )
        # an alert subtracts these from the start
        self.refusals.labels("frozen")
        self.mismatches = Counter(
            "agent_board_receipt_mismatches_total",
            "Posts that no longer match the digest in their receipt.",
            registry=registry,
        )

    def failure(self, error: Exception, call: Call) -> Answer:
        """Translate an error into an answer, here and nowhere else; log it if it is not the client's."""
        if is_unavailable(error):
            log.warning("database_away", error=type(error).__name__, **names(call))
            error = errors.Unavailable()
        elif not isinstance(error, errors.BoardError):
            log.error("internal_error", exc_info=error, **names(call))
            error = InternalError()
        elif isinstance(error, errors.ReceiptMismatch):
            self.mismatches.inc()
            log.error("receipt_mismatch", error=str(error), **names(call))
        self.refusals.labels(KINDS[type(error)]).inc()
        return failure(error, call.operation, call.request_id, self.links, self.contact)

    def complete(self, answer: Answer, call: Call) -> None:
        """Add the headers that every answer carries."""
        answer.request_id = ulid(call.request_id)
        if call.operation.effect is NONE and not answer.cached:
            add_cors(answer)
        if call.ignored and not call.operation.is_for_people:
            add_ignored(answer, call.operation, call.ignored)

    def record(self, method: str, call: Call, answer: Answer) -> None:
        """Count and log one answer."""
        method, operation, seconds = method if method in METHODS else "OTHER", call.operation.name, call.seconds
        self.metrics.observe(operation, answer.status, seconds)
        self.log.add(operation, method, answer.status, seconds, answer.request_id, call.agent, len(answer.body))

    def record_hang_up(self, method: str, call: Call) -> None:
        """Count and log a request whose client hung up before its answer."""
        self.record(method, call, Answer(CLIENT_CLOSED, request_id=ulid(call.request_id)))


def names(call: Call) -> dict[str, str]:
    """Return what joins a line of the log with others about the same call."""
    return {"request_id": ulid(call.request_id)}
