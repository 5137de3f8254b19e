"""Makes what HAProxy knows of the contract: the map of the public routes, and its error pages.

`python -m deploy.compose.haproxy_files` writes them into deploy/compose/haproxy. They are committed, because HAProxy
must start without Python; a test fails when they differ from the contract.
"""

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

import msgspec

from services.api.parsing import BodyTooLarge
from services.api.wire import SECURITY
from services.board.contract.effects import NONE
from services.board.contract.operations import OPERATIONS, Operation
from services.board.contract.problems import PROBLEMS
from services.board.contract.schemas import FieldError, Problem
from services.board.errors import CredentialInURL, NotFound

FOLDER: Final = Path(__file__).parent / "haproxy"
NO_REQUEST_ID: Final = "0" * 26
"""Of a request that HAProxy could not read: its answer is the same bytes every time."""
WAIT: Final = 999
"""Stands in a page for the seconds that HAProxy fills in."""
RETRY_SECONDS: Final = 5
MALFORMED: Final = "This is not a well-formed HTTP request."
LATE: Final = "The request did not come whole in time; nothing was done."


@dataclass(frozen=True)
class Page:
    """One answer of HAProxy's own. `variable` names a part of the configuration that fills in `violated-policies`."""

    name: str
    code: str
    detail: str
    status: int = 0
    retry_after: int | None = None
    field: str | None = None
    policy: str | None = None

    @property
    def real_status(self) -> int:
        return self.status or PROBLEMS[self.code].status

    def problem(self, base_url: str, request_id: str) -> Problem:
        """The body, with these two in their places."""
        kind = PROBLEMS[self.code]
        errors = [FieldError(None, self.field, "bad_format", self.detail)] if self.field else []
        named = PROBLEMS[errors[0].code] if errors else kind
        docs = f"{base_url}/communication.md"
        return Problem(
            type=f"{docs}#{named.code}",
            title=named.title,
            status=self.real_status,
            detail=self.detail,
            instance=f"urn:request:{request_id}",
            code=kind.code,
            error=self.detail,
            hint=named.hint,
            errors=errors,
            retry_after=self.retry_after,
            request_id=request_id,
            docs=docs,
            violated_policies=[self.policy] if self.policy else msgspec.UNSET,
        )


PAGES: Final = (
    Page("400_credential_in_url", "credential_in_url", str(CredentialInURL())),
    Page("400_malformed", "validation_failed", MALFORMED, field="head"),
    Page("404", "not_found", str(NotFound())),
    Page("408", "request_timeout", LATE),
    Page("413", "body_too_large", str(BodyTooLarge())),
    Page("429", "rate_limited", "Too many calls came from this address.", retry_after=WAIT, policy="policy"),
    Page("500", "internal_error", "Something went wrong in the load balancer."),
    Page("502", "unavailable", "The answer was lost on its way; whether a change was made is not known.", 502,
         RETRY_SECONDS),
    Page("503", "unavailable", "Nobody can take calls at the moment.", retry_after=RETRY_SECONDS),
    Page("504", "unavailable", "The answer took too long; whether a change was made is not known.", 504,
         RETRY_SECONDS),
)  # fmt: skip
# of what is no request yet: sent as they are, and by HAProxy 3.2 and later alone
EARLY_PAGES: Final = (
    Page("400", "validation_failed", MALFORMED, field="head"),
    Page("408_head", "request_timeout", LATE),
)


def routes() -> str:
    """The public routes, in the order in which they are tried.

    A key is a pattern of method and path. A value is the operation, whether a call with an Idempotency-Key may be
    repeated, and the Agent-Effect of an answer that HAProxy makes: once nobody knows whether the call was carried out,
    and once for a call that was not passed on.
    """
    literal_first = sorted(OPERATIONS, key=lambda operation: len(operation.parameters))
    lines = [f"^{operation.method}{pattern(operation)}$ {facts(operation)}" for operation in literal_first]
    paths = dict.fromkeys(pattern(operation) for operation in literal_first)
    # the board itself says which methods a path has
    lines += [f"^[^/]+{path}$ unknown|-|none|none" for path in paths]
    return "\n".join(lines) + "\n"


def pattern(operation: Operation) -> str:
    """A regular expression for the paths of an operation; a path is not decoded before it is compared."""
    path = operation.path.replace(".", r"\.")
    for name in operation.parameters:
        path = path.replace(f"{{{name}}}", "[^/]+")
    return path


def facts(operation: Operation) -> str:
    effect = operation.effect
    repeat = "keyed" if operation.idempotency_key else "-"
    return "|".join((operation.name, repeat, effect.header(None), effect.header(False)))


def page_template(page: Page) -> str:
    """The body of a page as a log format of HAProxy, which fills in what differs from answer to answer."""
    problem = page.problem("BASE_URL", "REQUEST_ID")
    text = msgspec.json.encode(problem).decode()
    assert "%" not in text, "a sentence has a sign that HAProxy takes for its own"
    places = {
        "BASE_URL": "%[env(BASE_URL)]",
        "REQUEST_ID": "%[var(txn.request_id)]",
        f":{WAIT},": ":%[var(txn.retry_after)],",
        '["policy"]': '["%[var(txn.policy)]"]',
    }
    for place, variable in places.items():
        text = text.replace(place, variable)
    return text


def early_page(page: Page) -> str:
    """A whole answer. HAProxy fills in nothing here, so it names the documents by their path alone."""
    body = msgspec.json.encode(page.problem("", NO_REQUEST_ID)).decode()
    status = HTTPStatus(page.real_status)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n{SECURITY}"
        f"Agent-Effect: {NONE.header(None)}\r\nCache-Control: no-store\r\nConnection: close\r\n"
        f"Content-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n"
        f"X-Request-Id: {NO_REQUEST_ID}\r\n\r\n"
    )
    return head + body


def files() -> dict[str, str]:
    """Every file by its path below FOLDER."""
    return {
        "routes.map": routes(),
        **{f"errors/{page.name}.json": page_template(page) for page in PAGES},
        **{f"errors/{page.name}.http": early_page(page) for page in EARLY_PAGES},
    }


if __name__ == "__main__":
    for path, content in files().items():
        (FOLDER / path).write_bytes(content.encode())
