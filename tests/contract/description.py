"""Reads /openapi.json as its readers do: follows references, and knows its schemas in closed form."""

from typing import Any

from services.api.documents.openapi import openapi
from services.board.links import Links
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS

# with the pages for people, which the published description leaves out
DOCUMENT = openapi(Links("https://board.example"), OPERATIONS)

# The errors for which `default` stands.
WITH_A_BODY = ("413", "415")


def resolved(node: Any) -> Any:
    """The object to which a reference leads."""
    while "$ref" in node:
        _, section, name = node["$ref"].removeprefix("#/").split("/")
        node = DOCUMENT["components"][section][name]
    return node


def described(operation: Operation) -> Any:
    return DOCUMENT["paths"][operation.path][operation.method.lower()]


def responses_of(operation: Operation) -> dict[str, Any]:
    """The responses of an operation by status, each with its headers, and `default` under each that it stands for."""
    responses = {status: resolved(response) for status, response in described(operation)["responses"].items()}
    if "default" in responses:
        responses |= dict.fromkeys(WITH_A_BODY, responses.pop("default"))
    return {
        status: response | {"headers": {name: resolved(header) for name, header in response["headers"].items()}}
        for status, response in responses.items()
    }


def flat(schema: Any) -> Any:
    """An object with all its members: those of the schemas that it extends, and its own."""
    schema = resolved(schema)
    if "allOf" not in schema:
        return schema
    parts = [flat(part) for part in schema["allOf"]]
    return {
        "type": "object",
        "properties": {name: value for part in parts for name, value in part["properties"].items()},
        # A validator finds nothing valid where a name is repeated.
        "required": list(dict.fromkeys(name for part in parts for name in part["required"])),
    }


def closed_schemas() -> dict[str, Any]:
    """The schemas of the description without room for further members: the board sends what it documents."""
    return {name: closed(flat(schema)) for name, schema in DOCUMENT["components"]["schemas"].items()}


def closed(schema: Any) -> Any:
    return schema | {"additionalProperties": False} if "properties" in schema else schema
