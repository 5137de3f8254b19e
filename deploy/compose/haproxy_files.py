"""Generates the files that HAProxy derives from the contract: maps of routes and of their hints, and error pages.

A page for a person has the problem for programs behind it, in a comment: HAProxy fills one template in either way.

`python -m deploy.compose.haproxy_files` writes them to deploy/compose/haproxy. They are committed because HAProxy must
start without Python; a test fails if they differ from the contract.
"""

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

import msgspec

from services.api.http.receiving import BodyTooLarge
from services.api.http.sending import SECURITY
from services.api.pages.templating import Templates
from services.board.errors import CredentialInURL, NotFound
from services.board.links import Links
from services.contract.answers.problems import FieldError, Problem
from services.contract.effects import NONE
from services.contract.limits import RETRY_AFTER_JITTER, RETRY_AFTER_MIN
from services.contract.operation import SLASHED, Operation
from services.contract.operations import OPERATIONS
from services.contract.problems import PROBLEMS, build_problem
from services.contract.route_hints import route_hints

FOLDER: Final = Path(__file__).parent / "haproxy"
NO_REQUEST_ID: Final = "0" * 26
"""For requests that HAProxy could not parse: the response is the same bytes every time."""
WAIT: Final = 999
"""Placeholder for the seconds that HAProxy fills in."""
RETRY_SECONDS: Final = 5
MALFORMED: Final = "The HTTP request is malformed."
LATE: Final = "The request did not arrive completely in time; nothing was changed."


@dataclass(frozen=True)
class Page:
    """One of HAProxy's own responses. `policy` is the placeholder for the entry of `violated-policies`."""

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
        """Return the body with this base URL and request id."""
        errors = [FieldError(None, self.field, "bad_format", self.detail)] if self.field else []
        return build_problem(
            self.code,
            self.detail,
            base_url,
            request_id,
            errors,
            status=self.real_status,
            retry_after=self.retry_after,
            policy=self.policy,
        )


PAGES: Final = (
    Page("400_credential_in_url", "credential_in_url", str(CredentialInURL())),
    Page("400_malformed", "validation_failed", MALFORMED, field="head"),
    Page("404", "not_found", str(NotFound())),
    Page("408", "request_timeout", LATE),
    Page("413", "body_too_large", str(BodyTooLarge())),
    Page("429", "rate_limited", "Too many calls came from this address.", retry_after=WAIT, policy="policy"),
    Page("500", "internal_error", "An internal error occurred in the load balancer."),
    Page("502", "unavailable", "The response was lost; whether a change was made is not known.", 502,
         RETRY_SECONDS),
    Page("503", "unavailable", "No API process is available at the moment.", retry_after=RETRY_SECONDS),
    Page("504", "unavailable", "The response took too long; whether a change was made is not known.", 504,
         RETRY_SECONDS),
)  # fmt: skip
# for input that is not a request yet: sent verbatim, and only by HAProxy 3.2 and later
EARLY_PAGES: Final = (
    Page("400", "validation_failed", MALFORMED, field="head"),
    Page("408_head", "request_timeout", LATE),
)


def routes() -> str:
    """Return the public routes, in the order in which they are tried.

    A key is a pattern for method and path. A value consists of the operation, whether a call with an Idempotency-Key
    may be repeated, and the Agent-Effect of HAProxy's own responses: first for a call that was forwarded, so that its
    outcome is unknown, then for a call that was not.
    """
    literal_first = sorted(OPERATIONS, key=lambda operation: len(operation.parameters))
    lines = [f"^{operation.method}{pattern(operation)}$ {facts(operation)}" for operation in literal_first]
    paths = dict.fromkeys(pattern(operation) for operation in literal_first)
    # the API itself reports which methods a path accepts
    lines += [f"^[^/]+{path}$ unknown|-|none|none" for path in paths]
    return "\n".join(lines) + "\n"


def pattern(operation: Operation) -> str:
    """Return a regular expression for an operation's paths. HAProxy matches the path without decoding it."""
    path = operation.path.replace(".", r"\.")
    for name in operation.parameters:
        path = path.replace(f"{{{name}}}", "[0-9x/.p]+" if name in SLASHED else "[^/]+")
    return path


def facts(operation: Operation) -> str:
    effect = operation.effect
    repeat = "keyed" if operation.idempotency_key else "-"
    return "|".join((operation.name, repeat, effect.header(None), effect.header(False)))


def hints() -> str:
    """Return the hint for each pattern of paths that clients guess, in the order in which they are tried."""
    return "".join(f"{expression} {words}\n" for expression, words in route_hints().items())


def page_template(page: Page) -> str:
    """Return a page's body as an HAProxy log format: the problem, behind a page if a person asked for one."""
    begin, end = for_people(page)
    return only_for_people(begin) + problem_template(page) + "\n" + only_for_people(end)


def for_people(page: Page) -> tuple[str, str]:
    """Return the page for people around the place of its problem. It has no request id: that is in the problem."""
    problem = page.problem("", "")
    if page.retry_after == WAIT:
        problem.retry_after = RETRY_AFTER_MIN + RETRY_AFTER_JITTER
    html = Templates(Links("")).render("problem", problem=problem).decode()
    return " ".join(html.split()) + " <!-- ", " -->"


def only_for_people(text: str) -> str:
    """Return a log format of a text that is sent only if txn.page is set."""
    assert "%" not in text, "a text contains %, which HAProxy would interpret"
    quoted = text.replace("'", "&#39;")
    return f"%[var(txn.page),iif('{quoted}','')]"


def problem_template(page: Page) -> str:
    """Return a problem as an HAProxy log format, which fills in the parts that vary."""
    problem = page.problem("BASE_URL", "REQUEST_ID")
    text = msgspec.json.encode(problem).decode()
    assert "%" not in text, "a text contains %, which HAProxy would interpret"
    assert "--" not in text, "a text would end the comment"
    places = {
        "BASE_URL": "%[env(BASE_URL)]",
        "REQUEST_ID": "%[var(txn.request_id)]",
        f":{WAIT},": ":%[var(txn.retry_after)],",
        '["policy"]': '["%[var(txn.policy)]"]',
    }
    if page.code == "not_found":
        places[problem.hint] = f"%[var(txn.hint,'{problem.hint}')]"
    for place, variable in places.items():
        text = text.replace(place, variable)
    return text


def early_page(page: Page) -> str:
    """Return a complete response. HAProxy fills in nothing here, so links to documents are only paths."""
    body = msgspec.json.encode(page.problem("", NO_REQUEST_ID)).decode() + "\n"
    status = HTTPStatus(page.real_status)
    security = "".join(f"{name}: {value}\r\n" for name, value in SECURITY.items())
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n{security}"
        f"Agent-Effect: {NONE.header(None)}\r\nCache-Control: no-store\r\nConnection: close\r\n"
        f"Content-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n"
        f"X-Request-Id: {NO_REQUEST_ID}\r\n\r\n"
    )
    return head + body


def files() -> dict[str, str]:
    """Return every file by its path below FOLDER."""
    pages = {
        **{f"errors/{page.name}.json": page_template(page) for page in PAGES},
        **{f"errors/{page.name}.http": early_page(page) for page in EARLY_PAGES},
    }
    return {"routes.map": routes(), "hints.map": hints(), **pages}


if __name__ == "__main__":
    for path, content in files().items():
        (FOLDER / path).write_bytes(content.encode())
