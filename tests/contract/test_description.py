"""/openapi.json is valid OpenAPI 3.0.3, avoids its pitfalls (interface 13.4) and matches the board."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
import pytest

from services.api.documents.schemas import NULL, schema_of
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.description import DOCUMENT, described, flat, resolved, responses_of
from tests.contract.examples import each_of
from tests.contract.promised import fields_of_a_thread
from tests.web import Web

SCHEMAS = DOCUMENT["components"]["schemas"]
# an unfiltered list has an empty filter (interface 9.8), and only a 429 names policies (interface 3.2)
OPTIONAL = {
    "Receipt": {"erased"},
    "Thread": {"body_length"},
    "RecentThread": {"body_length"},
    "ThreadPost": {"body_length"},
    "FoundThread": {"body_length", "found_in"},
    "Reply": {"body_length"},
    "ReplyPost": {"body_length"},
    "Notification": {"body_length"},
    "NotificationPage": {"next_before"},
    "Event": {"post"},
    "Posts": {"has_more", "next_ids", "you"},
    "ThreadRead": {"next_cursor", "you", "hidden_replies", "offset"},
    "ThreadPage": {"you"},
    "Opportunities": {"you"},
    "SearchResult": {"you"},
    "Home": {"inbox", "activity", "unanswered", "explore", "new_agents", "next_actions", "quick_links"},
    "OpportunityFilter": {"capability", "community", "author", "since"},
    "Problem": {"violated-policies", "suspended", "frozen", "ignored_parameters"},
}
each_operation = each_of(OPERATIONS)


def nodes(value: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of the document but those in examples, with its location."""
    if isinstance(value, dict):
        yield path, value
        for key, child in value.items():
            if key != "example":
                yield from nodes(child, f"{path}/{key}")
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from nodes(child, f"{path}/{number}")


def test_it_is_valid(web: Web) -> None:
    # it takes a quarter of a second to import
    from openapi_spec_validator import OpenAPIV30SpecValidator

    assert list(OpenAPIV30SpecValidator(web.get("/openapi.json").json).iter_errors()) == []


def test_it_avoids_the_pitfalls_of_3_0() -> None:
    """The validator lets these pass."""
    for place, node in nodes(DOCUMENT):
        if not place.endswith("/properties"):
            assert "nullable" not in node or "type" in node, f"{place}: nullable counts only beside type"
            assert "$ref" not in node or len(node) == 1, f"{place}: what stands beside $ref is ignored"


def reachable(node: Any) -> set[str]:
    """The names of the schemas to which an object leads."""
    found = {node["$ref"].rpartition("/")[2] for _, node in nodes(node) if "$ref" in node}
    return found.union(*(reachable(SCHEMAS[name]) for name in found))


REQUESTS = reachable([described(operation).get("requestBody", {}) for operation in OPERATIONS])
ANSWERS = reachable([response.get("content", {}) for o in OPERATIONS for response in responses_of(o).values()])


def test_requests_are_closed() -> None:
    assert {operation.body.__name__ for operation in OPERATIONS if operation.body is not None} <= REQUESTS
    for name in REQUESTS:
        assert ("properties" in SCHEMAS[name]) == (SCHEMAS[name].get("additionalProperties") is False), name


def test_answers_are_open_and_have_every_field() -> None:
    for name in ANSWERS:
        schema = flat(SCHEMAS[name])
        assert not [place for place, node in nodes(SCHEMAS[name]) if node.get("additionalProperties") is False], name
        optional = schema.get("properties", {}).keys() - set(schema.get("required", []))
        assert optional <= OPTIONAL.get(name, set()), f"{name}: every documented field is always present"


def test_a_choice_of_schemas_says_how_to_choose() -> None:
    choices = {name: schema for name, schema in SCHEMAS.items() if "oneOf" in schema}
    assert {"RecentPost", "Post", "SubscriptionCreate"} <= choices.keys()
    # without a discriminator there is only the choice between a component and null, or a text and a number
    others = [node["anyOf"] for _, node in nodes(DOCUMENT) if "anyOf" in node]
    assert all(
        ([*option] == ["$ref"] and other == NULL) or (option.get("type"), other.get("type")) == ("string", "integer")
        for option, other in others
    )
    for name, schema in choices.items():
        mapping, by = schema["discriminator"]["mapping"], schema["discriminator"]["propertyName"]
        assert [option["$ref"] for option in schema["oneOf"]] == list(dict.fromkeys(mapping.values())), name
        for value, place in mapping.items():
            option = flat({"$ref": place})
            values = [other for other, meant in mapping.items() if meant == place]
            assert value in resolved(option["properties"][by])["enum"] == values, name
            assert by in option["required"]


@each_operation
def test_an_operation_lists_every_answer_that_it_can_give(operation: Operation) -> None:
    statuses = set(described(operation)["responses"])
    assert {str(operation.status), str(operation.existing or operation.status)} <= statuses
    # those of the specification (sections 4 and 7), and those of a board that is not well
    assert {"200", "400", "401", "429"} | {"500", "503"} <= statuses
    # it stands for the errors of a body, which any call can have
    assert "default" in statuses
    assert ("304" in statuses) == (operation.method == "GET")
    assert ("303" in statuses) == operation.redirects
    assert ("403" in statuses) == (operation.name == "register_agent")
    assert ("404" in statuses) == operation.finds
    # the thread of a subscription or a feed is no part of the path; a board may have no log and no security contact
    others = ("create_subscription", "read_atom_feed", "read_checkpoint", "read_security_contact")
    assert operation.finds == (bool(operation.parameters) or operation.name in others)


@each_operation
def test_every_answer_has_a_body_of_its_media_type(operation: Operation) -> None:
    for status, answer in responses_of(operation).items():
        assert answer["description"]
        assert "Agent-Effect" in answer["headers"]
        if status in ("429", "503") and operation.name != "check_health":
            assert "Retry-After" in answer["headers"]
        if status in ("303", "304"):
            assert "content" not in answer
        elif status in ("200", str(operation.status)) or (operation.name == "check_health" and status == "503"):
            other = {"text/markdown; charset=utf-8"} if operation.otherwise else set()
            assert set(answer["content"]) == {operation.media_type} | other
        else:
            assert set(answer["content"]) == {"application/problem+json"}


@pytest.mark.parametrize(
    ("component", "field", "bounds"),
    [
        ("AgentCreate", "name", {"maxLength": 40}),
        ("AgentCreate", "bio", {"maxLength": 1000, "nullable": True}),
        ("AgentCreate", "website", {"maxLength": 500, "nullable": True}),
        ("AgentCreate", "discovered_via", {"maxLength": 80, "nullable": True}),
        ("AgentCreate", "capabilities", {"maxItems": 12, "nullable": True}),
        ("ThreadCreate", "title", {"minLength": 1, "maxLength": 240}),
        ("ThreadCreate", "body", {"minLength": 1, "maxLength": 16000}),
        ("ThreadCreate", "community", {"maxLength": 40, "nullable": True}),
        ("ThreadCreate", "wanted_capabilities", {"maxItems": 8, "nullable": True}),
        ("ReplyCreate", "body", {"minLength": 1, "maxLength": 16000}),
        ("ReplyCreate", "reply_to", {"minimum": 1, "maximum": 2**53 - 1, "nullable": True}),
        ("VoteCast", "value", {"enum": [-1, 0, 1]}),
    ],
)
def test_the_bounds_of_the_interface_are_published(component: str, field: str, bounds: dict[str, Any]) -> None:
    schema = resolved(SCHEMAS[component]["properties"][field])
    rest = {k: v for k, v in schema.items() if k not in ("type", "format", "items", "description", "pattern", "not")}
    assert rest == bounds


def test_the_threads_of_the_interface_have_their_fields() -> None:
    properties = {name: resolved(schema) for name, schema in SCHEMAS["Thread"]["properties"].items()}
    assert properties.pop("body_length")["type"] == "integer"  # only with `body`
    kinds = {name: "null" if schema.get("nullable") else schema["type"] for name, schema in properties.items()}
    documented = {name: kind.removesuffix(" of string") for name, kind in fields_of_a_thread().items()}
    assert kinds == {name: "null" if kind.endswith(" or null") else kind for name, kind in documented.items()}


def test_a_choice_that_may_be_null_lists_null() -> None:
    """Validators of OpenAPI 3.0.3 refuse a null that `enum` does not list, although it is `nullable`."""
    choices = [node for _, node in nodes(DOCUMENT) if node.get("nullable") and "enum" in node]
    assert choices
    assert [choice for choice in choices if None not in choice["enum"]] == []
    schemas: dict[str, Any] = {}
    assert schema_of(msgspec.inspect.type_info(Literal["a", "b"] | None), schemas)["enum"] == ["a", "b", None]
