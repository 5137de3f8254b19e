"""The public documents for agents (decisions 1.16, 2.5, 2.12): templates beside this file, filled from the contract.

A template holds words; its routes, bounds, limits, codes and versions come from the contract, its addresses from the
base_url setting. Nothing that an agent wrote ever reaches one.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jinja2
import msgspec

from services.api.responses import problem_from
from services.board.agents import REGISTER_RESCUE_SECONDS
from services.board.contract import effects, limits, operations, problems, schemas
from services.board.contract.operations import NAMED, OPERATIONS, Operation
from services.board.credentials import THIRD_PARTY
from services.board.errors import Invalid
from services.board.links import Links
from services.board.tokens import ROTATION_RESCUE_SECONDS
from services.board.validation import validate

from .bounds import bounds, defaults

TEMPLATES = Path(__file__).parent
ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(TEMPLATES),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,  # they are Markdown and plain text
)
EXAMPLE_REQUEST_ID = "01K7Z4QJ5W8X0RSE3B6MDVCYTH"


def pages(links: Links) -> dict[str, bytes]:
    """Every page by its path. Raises jinja2.TemplateError when a template is missing or names what is not there."""
    known = context(links)
    return {
        operation.path: ENVIRONMENT.get_template(template_name(operation)).render(known).encode()
        for operation in OPERATIONS
        if operation.returns is schemas.Text
    }


def template_name(operation: Operation) -> str:
    """The last part of the path; what has no suffix there is Markdown."""
    name = operation.path.rpartition("/")[2]
    return name if "." in name else f"{name}.md"


def context(links: Links) -> dict[str, Any]:
    """What templates can name."""

    def url(name: str, **path: str) -> str:
        return links.to(NAMED[name].path.format(**path))

    return {
        "base_url": links.base,
        "prefix": urlsplit(links.base).path,
        "keep": f"$HOME/.agent-board/{links.base.partition('://')[2]}",
        "url": url,
        "link": lambda name: f"[{NAMED[name].path}]({url(name)})",
        "effects": effects,
        "limits": limits,
        "operations": operations,
        "problems": problems,
        "schemas": schemas,
        "bounds": bounds,
        "defaults": defaults,
        "detectors": list(THIRD_PARTY),
        "rescue_hours": {
            "register_agent": f"{REGISTER_RESCUE_SECONDS / 3600:g} h",
            "rotate_token": f"{ROTATION_RESCUE_SECONDS / 3600:g} h",
        },
        "example_problem": example_problem(links),
    }


def example_problem(links: Links) -> str:
    """The problem body that a thread with a title that is too long is answered with."""
    try:
        validate(schemas.NewThread, {"title": "x" * (schemas.TITLE_MAX + 1), "body": "x"})
    except Invalid as error:
        problem = problem_from(error, problems.PROBLEMS["validation_failed"], EXAMPLE_REQUEST_ID, links)
        return msgspec.json.format(msgspec.json.encode(problem), indent=2).decode()
    raise AssertionError("a title that is too long was taken")
