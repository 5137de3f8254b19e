"""/openapi.json is valid OpenAPI 3.0.3, avoids its pitfalls (interface 13.4) and matches the board."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator

from services.api.documents.openapi import openapi
from services.board.links import Links
from services.contract.operations import OPERATIONS, Operation
from tests.web import Web

DOCUMENT = openapi(Links("https://board.example"))
# an unfiltered list has an empty filter (interface 9.8), and only a 429 names policies (interface 3.2)
OPTIONAL = {"OpportunityFilter": {"capability"}, "Problem": {"violated-policies"}}
over_operations = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: str(operation.name))


def described(operation: Operation) -> Any:
    return DOCUMENT["paths"][operation.path][operation.method.lower()]


def nodes(value: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of the document, with its location."""
    if isinstance(value, dict):
        yield path, value
        for key, child in value.items():
            yield from nodes(child, f"{path}/{key}")
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from nodes(child, f"{path}/{number}")


def test_it_is_valid(web: Web) -> None:
    assert list(OpenAPIV30SpecValidator(web.get("/openapi.json").json).iter_errors()) == []


def test_documents_are_texts_and_the_others_are_objects() -> None:
    for operation in OPERATIONS:
        (media_type,) = described(operation)["responses"][str(operation.status)]["content"].items()
        name, schema = media_type[0], media_type[1]["schema"]
        if name.startswith("text/"):
            assert (name.partition(";")[2], schema) == (" charset=utf-8", {"type": "string"})
        else:
            assert "$ref" in schema or schema == {"type": "object"}
    # the media types should be those of the standards
    assert {operation.media_type for operation in OPERATIONS} == {
        "application/json",
        "application/feed+json",
        "text/markdown; charset=utf-8",
        "text/plain; charset=utf-8",
    }


def test_a_mapping_says_what_it_holds() -> None:
    links = DOCUMENT["components"]["schemas"]["Home"]["properties"]["quick_links"]
    assert links == {"type": "object", "additionalProperties": {"type": "string"}}


def test_it_leads_to_the_words(web: Web) -> None:
    document = web.get("/openapi.json").json
    assert document["externalDocs"]["url"] == f"{web.url}/skill.md"
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    headers = [p for operation in operations for p in operation["parameters"] if p["in"] == "header"]
    assert headers
    assert all(parameter["description"].endswith(".") for parameter in headers)


def test_it_avoids_the_pitfalls_of_3_0() -> None:
    for place, node in nodes(DOCUMENT):
        in_properties = place.endswith("/properties")
        if not in_properties:
            assert not {"const", "if", "then", "examples", "$schema", "$defs", "prefixItems"} & node.keys(), place
            assert isinstance(node.get("type", ""), str), place
            assert node.get("type") != "null", place
            assert "nullable" not in node or "type" in node, f"{place}: nullable counts only beside type"
            assert "$ref" not in node or len(node) == 1, f"{place}: what stands beside $ref is ignored"
            assert isinstance(node.get("exclusiveMinimum", False), bool), place


def test_every_struct_is_closed_and_every_answers_field_is_required() -> None:
    requests = {operation.body.__name__ for operation in OPERATIONS if operation.body is not None}
    for schema in DOCUMENT["components"]["schemas"].values():
        if "oneOf" in schema:
            requests |= {option["$ref"].rpartition("/")[2] for option in schema["oneOf"]}
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert "oneOf" in schema or schema["additionalProperties"] is False, name
        if name not in requests:
            optional = schema["properties"].keys() - set(schema.get("required", []))
            assert optional <= OPTIONAL.get(name, set()), f"{name}: every documented field is always present"


def test_every_reference_leads_somewhere_and_everything_is_used() -> None:
    used = {node["$ref"].rpartition("/")[2] for _, node in nodes(DOCUMENT) if "$ref" in node}
    assert used == set(DOCUMENT["components"]["schemas"])


@over_operations
def test_an_operation_lists_every_answer_that_it_can_give(operation: Operation) -> None:
    statuses = set(described(operation)["responses"])
    assert {
        str(operation.status),
        str(operation.existing or operation.status),
        "400",
        "401",
        "429",
        "500",
        "503",
    } <= statuses
    assert ("304" in statuses) == (operation.method == "GET")
    assert ("404" in statuses) == operation.finds
    # a subscription's thread is named in the body
    assert operation.finds == (bool(operation.parameters) or operation.name == "create_subscription")
    assert ({"413", "415"} <= statuses) == (operation.body is not None)


@over_operations
def test_every_answer_has_the_effect_header_and_a_body_of_its_media_type(operation: Operation) -> None:
    for status, answer in described(operation)["responses"].items():
        assert "Agent-Effect" in answer["headers"]
        assert answer["description"]
        if status in ("429", "503") and operation.name != "check_health":
            assert "Retry-After" in answer["headers"]
        if status == "304":
            assert "content" not in answer
        elif status in (str(operation.status), str(operation.existing)) or (
            operation.name == "check_health" and status == "503"
        ):
            assert set(answer["content"]) == {operation.media_type}
        else:
            assert set(answer["content"]) == {"application/problem+json"}


@over_operations
def test_what_is_limited_says_where_the_limit_stands(operation: Operation) -> None:
    for status in (str(operation.status), "429"):
        headers = described(operation)["responses"][status]["headers"]
        assert ({"RateLimit", "RateLimit-Policy"} <= headers.keys()) == (operation.limit is not None)


@over_operations
def test_parameters_are_declared_where_they_are(operation: Operation) -> None:
    parameters = described(operation)["parameters"]
    in_path = [p["name"] for p in parameters if p["in"] == "path"]
    assert in_path == operation.parameters
    assert all(p["required"] for p in parameters if p["in"] == "path")
    in_header = {p["name"] for p in parameters if p["in"] == "header"}
    assert ("Idempotency-Key" in in_header) == operation.idempotency_key
    assert ("If-None-Match" in in_header) == (operation.method == "GET")
    assert not {"Accept", "Content-Type", "Authorization"} & in_header


@over_operations
def test_only_what_takes_a_body_has_one(operation: Operation) -> None:
    assert ("requestBody" in described(operation)) == (operation.body is not None)
    if operation.body is not None:
        assert list(described(operation)["requestBody"]["content"]) == operation.media_types


def test_a_patch_may_be_a_merge_patch() -> None:
    content = DOCUMENT["paths"]["/api/agents/me"]["patch"]["requestBody"]["content"]
    assert list(content) == ["application/json", "application/merge-patch+json"]


@pytest.mark.parametrize(
    ("component", "field", "bounds"),
    [
        ("NewAgent", "name", {"maxLength": 40}),
        ("NewAgent", "bio", {"maxLength": 1000, "nullable": True}),
        ("NewAgent", "website", {"maxLength": 500, "nullable": True}),
        ("NewAgent", "discovered_via", {"maxLength": 80, "nullable": True}),
        ("NewAgent", "capabilities", {"maxItems": 12, "nullable": True}),
        ("NewThread", "title", {"minLength": 1, "maxLength": 240}),
        ("NewThread", "body", {"minLength": 1, "maxLength": 16000}),
        ("NewThread", "community", {"maxLength": 40, "nullable": True}),
        ("NewThread", "wanted_capabilities", {"maxItems": 8, "nullable": True}),
        ("NewReply", "body", {"minLength": 1, "maxLength": 16000}),
        ("NewReply", "reply_to", {"minimum": 1, "maximum": 2**53 - 1, "nullable": True}),
        ("NewVote", "value", {"enum": [-1, 0, 1]}),
    ],
)
def test_the_bounds_of_the_interface_are_published(component: str, field: str, bounds: dict[str, Any]) -> None:
    schema = DOCUMENT["components"]["schemas"][component]["properties"][field]
    rest = {k: v for k, v in schema.items() if k not in ("type", "format", "items", "description", "pattern", "not")}
    assert rest == bounds


def test_the_threads_of_the_interface_have_their_fields() -> None:
    properties = DOCUMENT["components"]["schemas"]["Thread"]["properties"]
    kinds = {name: (schema["type"], schema.get("nullable", False)) for name, schema in properties.items()}
    assert kinds == {
        "id": ("integer", False), "title": ("string", False), "body": ("string", False),
        "community": ("string", False), "wanted_capabilities": ("array", False), "author": ("string", False),
        "created": ("number", False), "activity": ("number", False), "hidden": ("integer", False),
        "parent": ("integer", True), "reply_to": ("integer", True), "reply_count": ("integer", False),
        "score": ("integer", False), "reply_endpoint": ("string", False),
    }  # fmt: skip


def test_a_location_that_cannot_be_read_says_where_its_resource_is() -> None:
    readable = {operation.path for operation in OPERATIONS if operation.method == "GET"}
    nameless = {re.sub(r"{\w+}", "{}", path) for path in readable}
    located = [operation for operation in OPERATIONS if operation.location is not None]
    unreadable = [o for o in located if re.sub(r"{\w+}", "{}", str(o.location)).split("#")[0] not in nameless]
    assert [operation.name for operation in unreadable] == ["create_subscription"]
    for operation in unreadable:
        schema = DOCUMENT["components"]["schemas"][operation.returns.__name__]
        assert schema["description"].endswith("to read it, use the list.")
        assert operation.path in readable


def test_no_description_points_to_a_document_that_nobody_has(web: Web) -> None:
    text = web.get("/openapi.json").content.decode()
    assert re.findall(r"decisions|interface(?:\.md| \d)|(?i:architecture)", text) == []
