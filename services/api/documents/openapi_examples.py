"""The examples of the OpenAPI description: calls and answers that were recorded from a board.

An answer's example is stored by the members of its schema. Each is written once, however many answers contain it.
Readers of the description put them together. A member that is true or false, or one of a few values, has none.
"""

from collections.abc import Mapping
from typing import Any, Final

from services.contract.examples import Example
from services.contract.media_types import JSON, MARKDOWN, PLAIN_TEXT, PROBLEM_JSON

Schema = dict[str, Any]

# By the name of a shared response: the operation whose answer is its example.
OF_SHARED: Final = {"400": ("400", PROBLEM_JSON), "Markdown": ("read_rules", MARKDOWN),
                    "PlainText": ("read_checkpoint", PLAIN_TEXT), "Document": ("read_agent_card", JSON)}  # fmt: skip


def add_examples(operations: Mapping[str, Schema], components: Schema, recorded: Mapping[str, Example]) -> None:
    """Add examples to operations, which are given by their names, and to the schemas and shared responses."""
    for name, (key, kind) in OF_SHARED.items():
        answer = recorded[key].answer
        example = answer if key in components["responses"] else beginning(answer)
        components["responses"][name]["content"][kind]["example"] = example
    for name, operation in operations.items():
        if name in recorded:
            add_to_operation(operation, recorded[name], components["schemas"])


def add_to_operation(operation: Schema, example: Example, schemas: Schema) -> None:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        content["example"] = example.body
    for content in operation["responses"][str(example.status)].get("content", {}).values():
        if "$ref" in content["schema"]:
            add_to_members(content["schema"], example.answer, schemas)
        else:
            content["example"] = beginning(example.answer)


def add_to_members(schema: Schema, value: Any, schemas: Schema) -> None:
    """Add the values in an answer to the schemas of its members. The first example of a member stays."""
    schema = resolved(schema, schemas)
    for part in parts(schema, value):
        add_to_members(part, value, schemas)
    for name, member in schema.get("properties", {}).items():
        if value.get(name) is not None:
            add_to_members(member, value[name], schemas)
    if schema.get("type") == "array" and has_members(schema["items"], schemas):
        for item in value:
            add_to_members(schema["items"], item, schemas)
    elif "additionalProperties" in schema and value:
        schema.setdefault("example", beginning(value))
    elif schema.get("type", "boolean") != "boolean" and not {"properties", "enum"} & schema.keys():
        schema.setdefault("example", value)


def beginning(value: Any) -> Any:
    """Return the first member of a mapping or of a document; a text is recorded as its first line."""
    return dict([next(iter(value.items()))]) if isinstance(value, dict) else value


def parts(schema: Schema, value: Any) -> list[Schema]:
    """Return the schemas of which an answer has all members, and the one among alternatives to which it belongs."""
    if "discriminator" in schema:
        chosen = schema["discriminator"]["mapping"][value[schema["discriminator"]["propertyName"]]]
        return [{"$ref": chosen}]
    return [*schema.get("allOf", ()), *schema.get("anyOf", ())[:1]]


def has_members(schema: Schema, schemas: Schema) -> bool:
    return bool({"properties", "allOf", "oneOf"} & resolved(schema, schemas).keys())


def resolved(schema: Schema, schemas: Schema) -> Schema:
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
