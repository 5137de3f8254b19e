"""The examples of the OpenAPI description: calls and answers that were recorded from a board."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from services.contract.examples import Example
from services.contract.operations import MARKDOWN, PLAIN_TEXT

Schema = dict[str, Any]

# By the name of a shared response: whose answer is its example.
OF_SHARED: Final = {"Problem": ("400", "application/problem+json"), "Markdown": ("read_rules", MARKDOWN),
                    "PlainText": ("read_robots", PLAIN_TEXT)}  # fmt: skip
# A reference is about as long.
WORTH_SHARING: Final = 70


def add_examples(operations: Mapping[str, Schema], shared: Schema, recorded: Mapping[str, Example]) -> Schema:
    """Add examples to operations, which are given by their names, and to shared responses.

    Return the examples to which several refer, by the id of the first operation.
    """
    for name, (key, kind) in OF_SHARED.items():
        shared[name]["content"][kind]["example"] = recorded[key].answer
    placed = [found for name, operation in operations.items() for found in places(operation, recorded.get(name))]
    counted = Counter(msgspec.json.encode(value) for _, _, value in placed)
    components: Schema = {}
    for owner, media_type, value in placed:
        encoded = msgspec.json.encode(value)
        if counted[encoded] == 1 or len(encoded) < WORTH_SHARING:
            media_type["example"] = value
        else:
            known = next((name for name, one in components.items() if one["value"] == value), owner)
            components[known] = {"value": value}
            media_type["examples"] = {known: {"$ref": f"#/components/examples/{known}"}}
    return components


def places(operation: Schema, example: Example | None) -> Iterator[tuple[str, Schema, Any]]:
    """Yield each media type object of an operation that has an example, with the operation's id and the example."""
    if example is not None:
        for media_type in operation.get("requestBody", {}).get("content", {}).values():
            yield operation["operationId"], media_type, example.body
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                for media_type in response.get("content", {}).values():
                    yield operation["operationId"], media_type, example.answer
