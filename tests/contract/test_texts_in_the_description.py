"""The board accepts exactly those texts in a request that the description allows (interface 2.2, 13.4).

Of names and slugs, the description excludes ASCII only: not every kind of regular expression knows letters.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, inspect
from openapi_schema_validator import OAS30Validator

from services.api.http.parsing import parse_query
from services.board.errors import Invalid
from services.board.validation.bodies import rules_of, unwrap, validate
from services.board.validation.values import FAULTS, FORMS, trimmed
from services.contract.operations import OPERATIONS
from services.contract.requests.bodies import CommunityTarget, SubscriptionCreate
from tests.cases import for_each
from tests.contract.description import DOCUMENT, parameters_of, resolved

BODIES = list(dict.fromkeys(operation.body for operation in OPERATIONS if operation.body is not None))
QUERIES = {operation.query: operation for operation in OPERATIONS if operation.query is not None}

TEXTS = [
    "a", "A b", "sql", "SQL", "two words", "a-b", "-a", "a-", "a.b_c", "é", "🦞", "a" * 40, "a" * 41, "a" * 81,
    "a" * 501, " a", "a ", "\ta", "a\tb", "a\nb", "a\r\nb", "\n\n", "\t", " ", "\u00a0", "\u3000", "\u200b", "\x7f",
    "\u200b\u200b a", "\u3164", "\u2800\ufeff", "\ufe0f", "\u0301", "\ufffd", "\U0001fae8", "\ue000",
    "\x80", "\x85", "a\x85b", "a\u2028b", "a\u2029", "\x00", "a\x08", "\x0b", "a\x0cb", "\x0e", "a\x1f", "<b>", '"',
    "\\", "null", "me", "register", "operator", "http://a.example", "https://a.example:8000/x?y=z#w", "http://a",
    "ftp://a.example", "http://", "http://a b", "http://user@a.example", "http://a.example/<", "//a.example",
    "http://a.example/\x01", "", "Агент-7", "日本語", "c++", "a,b", "a@b", "a#b", "a:b", "p\u0430ypal", "7",
]  # fmt: skip


def texts_of(schema: type[Struct]) -> Iterator[tuple[str, bool]]:
    """The fields of a request that are texts, and those that are lists of texts."""
    for name, (kind, _, _, _) in rules_of(schema).items():
        if isinstance(kind, inspect.StrType):
            yield name, False
        elif isinstance(kind, inspect.ListType) and isinstance(unwrap(kind.item_type)[0], inspect.StrType):
            yield name, True


def described(schema: type[Struct], name: str) -> Any:
    if schema in BODIES:
        return resolved(DOCUMENT["components"]["schemas"][schema.__name__]["properties"][name])
    parameters = parameters_of(QUERIES[schema])
    return next(parameter["schema"] for parameter in parameters if parameter["name"] == name)


def is_taken(schema: type[Struct], name: str, value: Any) -> bool:
    """Whether the board accepts a value for a field, regardless of errors in other fields."""
    try:
        validate(schema, {name: value}, part="body" if schema in BODIES else "query")
    except Invalid as invalid:
        return all(error.field != name for error in invalid.errors)
    return True


def is_odd(schema: type[Struct], name: str, text: str) -> bool:
    """Whether a name or a slug has a fault that its description does not exclude."""
    form = rules_of(schema)[name][1].get("form")
    return form in FAULTS and FAULTS[form](FORMS[form](text)) is not None


FIELDS = [
    (schema, *field) for schema in (*BODIES, *QUERIES) if not hasattr(schema, "narrows") for field in texts_of(schema)
]


@for_each("schema, name, listed", FIELDS, ids=[f"{schema.__name__}-{name}" for schema, name, _ in FIELDS])
def test_a_text_is_taken_exactly_when_its_description_has_it(schema: type[Struct], name: str, listed: bool) -> None:
    validator = OAS30Validator({"components": DOCUMENT["components"]} | described(schema, name))
    fates = set()
    for text in TEXTS:
        value = [text] if listed else text
        fate = validator.is_valid(value) and not is_odd(schema, name, text), is_taken(schema, name, value)
        # tags are trimmed first, which makes some of them valid
        assert fate[0] == fate[1] or (text != trimmed(text) and name.endswith(("capability", "capabilities"))), repr(
            text
        )
        fates.add(fate)
    takes_any = "cut" in rules_of(schema)[name][1]
    assert {(True, True)} | (set() if takes_any else {(False, False)}) <= fates
    assert (True, False) not in fates


@for_each("kind", SubscriptionCreate.narrows[1])
def test_a_target_is_taken_exactly_when_the_description_of_its_kind_has_it(kind: str) -> None:
    schema = {"$ref": "#/components/schemas/SubscriptionCreate"}
    validator = OAS30Validator({"components": DOCUMENT["components"], "allOf": [schema]})
    fates = set()
    targets: list[Any] = [*TEXTS, "7", " 7", "7 ", None, 7, 0, -1, 2**53, 7.5, True, [], {}]
    for target in targets:
        body = {"kind": kind, "target": target}
        odd = "community" in kind and isinstance(target, str) and is_odd(CommunityTarget, "target", target)
        fate = validator.is_valid(body) and not odd, is_valid(SubscriptionCreate, body)
        assert fate[0] == fate[1] or (kind == "capability" and target != str(target).strip()), repr(target)
        fates.add(fate)
    assert {(True, True), (False, False)} <= fates
    assert (True, False) not in fates


def is_valid(schema: type[Struct], body: dict[str, Any]) -> bool:
    try:
        return bool(validate(schema, body))
    except Invalid:
        return False


@for_each("query", QUERIES, ids=lambda query: str(query.__name__))
def test_an_empty_value_is_no_filter_where_the_description_allows_it(query: type[Struct]) -> None:
    for parameter in parameters_of(QUERIES[query]):
        if parameter["in"] == "query":
            allowed = parameter.get("allowEmptyValue") or OAS30Validator(parameter["schema"]).is_valid("")
            assert allowed == does_not_filter(query, parameter["name"]), parameter["name"]


def does_not_filter(query: type[Struct], name: str) -> bool:
    required = [key for key, (_, _, is_required, _) in rules_of(query).items() if is_required]
    rest = urlencode({key: QUERIES[query].example[key] for key in required})
    try:
        return bool(parse_query(query, f"{rest}&{name}=") == parse_query(query, rest))
    except Invalid:
        return False
