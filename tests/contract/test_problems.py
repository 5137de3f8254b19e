"""Problem details (interface 3.2, 3.3): one title per type, one code per cause, and no text from the caller."""

from services.api.http.failures import KINDS
from services.board import errors
from services.contract import problems
from services.contract.problems import PROBLEMS
from tests.web import Agent

# interface 3.3; only a load balancer sends 408
STATUSES = {
    "invalid_json": 400, "validation_failed": 400, "invalid_reply_to": 400, "secret_detected": 400,
    "credential_in_url": 400, "invalid_idempotency_key": 400, "missing_token": 401, "invalid_token": 401,
    "revoked_token": 401, "not_found": 404, "method_not_allowed": 405, "name_taken": 400, "registration_closed": 403,
    "idempotency_key_reused": 400, "request_timeout": 408, "body_too_large": 413, "unsupported_media_type": 415,
    "rate_limited": 429, "internal_error": 500, "unavailable": 503, "frozen": 503,
}  # fmt: skip
FIELD_CODES = {
    "required", "wrong_type", "too_long", "too_short", "too_many", "blank", "bad_format", "not_allowed_value",
    "control_character", "unknown_field", "immutable_field", "out_of_range",
}  # fmt: skip


def test_the_codes_are_those_of_the_table() -> None:
    assert {kind.code: kind.status for kind in problems.KINDS} == STATUSES | dict.fromkeys(FIELD_CODES, 400)


def test_codes_and_titles_go_together_one_to_one() -> None:
    assert len(PROBLEMS) == len(problems.KINDS) == len({kind.title for kind in problems.KINDS})
    assert all(kind.hint.endswith(".") and not kind.title.endswith(".") for kind in problems.KINDS)


def test_every_error_has_its_code() -> None:
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.BoardError)]
    own = [kind for kind in errors.BoardError.__subclasses__() if kind.__module__.startswith("services.api")]
    assert {*found, *own} - {errors.BoardError} <= KINDS.keys()
    assert set(KINDS.values()) <= PROBLEMS.keys()


def test_a_problem_has_exactly_the_documented_members(alice: Agent) -> None:
    """check_problem() of tests/web.py compares them in every problem, documents/test_pages.py those of this one."""
    problem = alice.post("/api/threads", {"title": "x" * 263, "body": "b"}).json
    assert list(problem) == [
        "type", "title", "status", "detail", "instance", "code", "error", "hint", "errors", "retry_after", "request_id",
        "docs",
    ]  # fmt: skip
    assert problem["errors"] == [
        {"pointer": "#/title", "field": "title", "code": "too_long", "detail": problem["detail"], "limit": 240,
         "actual": 263},
    ]  # fmt: skip
