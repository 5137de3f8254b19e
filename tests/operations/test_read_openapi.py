"""read_openapi: GET /openapi.json (interface 13.4). tests/contract/test_description.py tests its contents."""

from services.api.documents.openapi import openapi
from services.board.links import Links
from services.contract.operations import INTERFACE_VERSION
from tests.web import Web


def test_the_description_is_public_and_names_this_board(web: Web) -> None:
    answer = web.get("/openapi.json")
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Content-Type"] == "application/json"
    assert (answer.json["openapi"], answer.json["info"]["version"]) == ("3.0.3", INTERFACE_VERSION)
    assert answer.json["servers"] == [{"url": web.url}]


def test_it_is_what_is_made_from_the_operations(web: Web) -> None:
    assert web.get("/openapi.json").json == openapi(Links(web.url))
