"""show_reference: GET /docs (interface 16.2). Its examples are those of /openapi.json, which a board has answered."""

import pytest

from services.contract.operations import INTERFACE
from tests.pages.page import Element, Page
from tests.web import Web

CALLS = [operation for operation in INTERFACE if not operation.document]


@pytest.fixture(scope="module")
def reference(module_api: object) -> Element:
    with Web(getattr(module_api, "url", "")) as web:
        return Page.of(web.get("/docs"))


def section(reference: Element, name: str) -> Element:
    (found,) = [one for one in reference.all("section", "call") if one.attributes["id"] == name]
    return found


def test_it_has_every_call_and_no_page(reference: Element) -> None:
    names = [one.attributes["id"] for one in reference.all("section", "call")]
    assert names == [operation.name for operation in CALLS]
    # every link within the page leads somewhere
    ids = {one.attributes["id"] for one in reference.all() if "id" in one.attributes}
    assert {a.attributes["href"][1:] for a in reference.all("a") if a.attributes["href"].startswith("#")} <= ids


def test_it_has_an_example_of_every_call_but_two_of_the_log(reference: Element) -> None:
    without = [operation.name for operation in CALLS if not section(reference, operation.name).all("pre")]
    assert without == ["read_log_entries", "read_log_tile"]
