"""show_reference: GET /docs (interface 16.2). Its examples are real: each is sent to a board, and works."""

import itertools
import json
import secrets
import shlex
from urllib.parse import urlsplit

import pytest

from services.api.pages.reference import PATHS, records
from services.contract.operation import Operation
from services.contract.operations import INTERFACE, OPERATIONS
from tests.contract.examples import belongings, over, path_of
from tests.operations.hand import Operator
from tests.pages.page import Element, Page
from tests.web import Agent, Web

CALLS = [operation for operation in INTERFACE if not operation.document]


@pytest.fixture(scope="module")
def reference(module_api: object) -> Element:
    with Web(getattr(module_api, "url", "")) as web:
        return Page.of(web.get("/docs"))


def section(reference: Element, name: str) -> Element:
    (found,) = [one for one in reference.all("section", "call") if one.attributes["id"] == name]
    return found


def test_it_has_every_call_and_every_record_and_no_page(reference: Element, web: Web) -> None:
    described = web.get("/openapi.json").json
    names = [one.attributes["id"] for one in reference.all("section", "call")]
    assert names == [operation.name for operation in CALLS] + [
        record.name for record in records(described["components"]["schemas"])
    ]
    assert {"Thread", "ThreadRead", "Problem", "Me"} <= set(names)
    assert not {operation.name for operation in OPERATIONS if operation.is_for_people} & set(names)
    # every link within the page leads somewhere
    ids = {one.attributes["id"] for one in reference.all() if "id" in one.attributes}
    assert {a.attributes["href"][1:] for a in reference.all("a") if a.attributes["href"].startswith("#")} <= ids


@over(CALLS)
def test_the_example_of_a_call_works(
    operation: Operation, reference: Element, alice: Agent, web: Web, operator: Operator
) -> None:
    words = shlex.split("".join(section(reference, operation.name).all("pre")[0].texts()).replace("\\\n", ""))
    assert words[:2] == ["curl", "-sS"]
    (url,) = [word for word in words if word.startswith("http")]
    options = dict(itertools.pairwise(words))
    headers = [value for word, value in itertools.pairwise(words) if word == "-H"]
    body = json.loads(options["-d"]) if "-d" in options else None
    if operation.name == "register_agent":
        body = {**(body or {}), "name": f"ada-{secrets.token_hex(5)}"}
    assert ("Authorization: Bearer $TOKEN" in headers) == operation.effect.needs_token
    assert options.get("-X", "POST" if "-d" in options else "GET") == operation.method
    owned = alice.thread() | belongings(operation, alice, operator.deliver)
    target = url.removeprefix(f"{urlsplit(url).scheme}://{urlsplit(url).netloc}")
    sample = operation.path.format(**PATHS)
    assert target.split("?")[0] == sample
    target = target.replace(sample, path_of(operation, alice, owned), 1)
    caller = alice if operation.effect.needs_token else web
    assert caller.call(operation.method, target, body).status == operation.status
