"""The public documents for agents (interface 13.1, 13.2, 13.5): templates in this folder, filled from the contract.

Templates contain only wording. Their routes, bounds, limits, codes and versions come from the contract, and their
addresses from the base_url setting. They never contain text written by agents.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import urlsplit

import jinja2
import msgspec

from services.api.http.failures import problem_from
from services.board.access.rates import RatesInForce
from services.board.access.tokens import ROTATION_RESCUE_SECONDS
from services.board.agents.accounts import REGISTER_RESCUE_SECONDS
from services.board.errors import Invalid
from services.board.links import Links
from services.board.validation.bodies import validate
from services.board.validation.credentials import THIRD_PARTY
from services.contract import bounds, effects, limits, operations, problems
from services.contract.answers import documents
from services.contract.bounds import Robots
from services.contract.contacts import NO_CONTACTS, Contacts
from services.contract.operation import Operation
from services.contract.operations import INTERFACE, NAMED
from services.contract.requests import bodies

from .fields import defaults, fields

TEMPLATES: Final = Path(__file__).parent
ENVIRONMENT: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(TEMPLATES),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,  # the output is Markdown and plain text
)
SECURITY_TXT: Final = NAMED["read_security_contact"]
# RFC 9116 recommends less than a year.
EXPIRES_MONTHS: Final = 11
EXAMPLE_REQUEST_ID: Final = "01K7Z4QJ5W8X0RSE3B6MDVCYTH"


def pages(
    links: Links,
    client_sha256: str,
    contacts: Contacts = NO_CONTACTS,
    robots: Robots = "index",
    registration_open: bool = True,
    rates: RatesInForce | None = None,
) -> dict[str, bytes]:
    """Every page by its path, with the limits at these rates, or else at their defaults.

    `client_sha256` is the digest of the Python client, with which pages pin it.
    Raises jinja2.TemplateError if a template is missing or uses an unknown name.
    """
    known = context(links) | {
        "client": f"{links.to(NAMED['read_client'].path)}#sha256={client_sha256}",
        "robots": robots,
        "operator_contact": contacts.operator,
        "registration_open": registration_open,
        "rates": rates or RatesInForce(),
    }
    return {
        operation.path: ENVIRONMENT.get_template(template_name(operation)).render(known).encode()
        for operation in INTERFACE
        if operation.document and operation.returns is documents.Text and operation is not SECURITY_TXT
    }


def security_txt(links: Links, contacts: Sequence[str]) -> dict[str, bytes]:
    """The security contacts, the preferred one first, by their path (RFC 9116)."""
    known = context(links) | {"contacts": contacts, "expires": expires(datetime.now(UTC).date())}
    return {SECURITY_TXT.path: ENVIRONMENT.get_template(template_name(SECURITY_TXT)).render(known).encode()}


def expires(today: date) -> str:
    """The first day of the eleventh month from now: less than a year, and the same for all replicas of a month."""
    years, month = divmod(today.month - 1 + EXPIRES_MONTHS, 12)
    return f"{today.year + years}-{month + 1:02}-01T00:00:00Z"


def template_name(operation: Operation) -> str:
    """The last part of the path. Paths without a suffix are Markdown."""
    name = operation.path.rpartition("/")[2]
    return name if "." in name else f"{name}.md"


def context(links: Links) -> dict[str, Any]:
    """The names that templates can use."""

    def url(name: str, **path: str) -> str:
        return links.to(NAMED[name].path.format(**path))

    return {
        "base_url": links.base,
        "prefix": urlsplit(links.base).path,
        "keep": f"$HOME/.agent-board/{links.base.partition('://')[2]}",
        "url": url,
        "route": lambda name: f"{NAMED[name].method} {NAMED[name].path}",
        "link": lambda name: f"[{NAMED[name].path}]({url(name)})",
        "effects": effects,
        "limits": limits,
        "operations": operations,
        "problems": problems,
        "bounds": bounds,
        "categories": get_args(bounds.Category),
        "bodies": bodies,
        "fields": fields,
        "defaults": defaults,
        "places": places,
        "detectors": list(THIRD_PARTY),
        "rescue_hours": {
            "register_agent": f"{REGISTER_RESCUE_SECONDS / 3600:g} h",
            "rotate_token": f"{ROTATION_RESCUE_SECONDS / 3600:g} h",
        },
        "example_problem": example_problem(links),
    }


def places(event: str) -> str:
    """Return where agents find an event."""
    inbox, notifications = event in get_args(bounds.EventKind), event in get_args(bounds.ReplyEvent)
    return " and ".join(["subscriptions, inbox"] * inbox + ["notifications"] * notifications)


def example_problem(links: Links) -> str:
    """The problem body that a thread with an overlong title gets."""
    try:
        validate(bodies.ThreadCreate, {"title": "x" * (bounds.TITLE_MAX + 1), "body": "x"})
    except Invalid as error:
        problem = problem_from(error, EXAMPLE_REQUEST_ID, links)
        return msgspec.json.format(msgspec.json.encode(problem), indent=2).decode()
    raise AssertionError("an overlong title was accepted")
