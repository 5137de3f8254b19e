"""The OpenAPI 3.0.3 schemas of the contract's types."""

from typing import Any

import msgspec
from msgspec import inspect

from .text_schemas import text_schema

Schema = dict[str, Any]


def reference(kind: Any, schemas: dict[str, Schema]) -> Schema:
    return schema_of(inspect.type_info(kind), schemas)


def schema_of(kind: inspect.Type, schemas: dict[str, Schema]) -> Schema:
    """Return the 3.0.3 schema of a type: `nullable` next to `type`, never an array of types; structs are components."""
    match kind:
        case inspect.Metadata(type=inspect.StrType() as text):
            described = kind.extra_json_schema or {}
            return bounds(text, text_schema(text, kind.extra or {}), "Length") | described
        case inspect.Metadata():
            inner = schema_of(kind.type, schemas)
            values = (kind.extra or {}).get("values")
            return inner | (kind.extra_json_schema or {}) | ({"enum": list(values)} if values else {})
        case inspect.StructType():
            return struct_reference(kind, schemas)
        case inspect.UnionType():
            return union_schema(kind, schemas)
        case inspect.ListType():
            return bounds(kind, {"type": "array", "items": schema_of(kind.item_type, schemas)}, "Items")
        case inspect.StrType():
            return bounds(kind, text_schema(kind, {}), "Length")
        case inspect.IntType():
            return number(kind, {"type": "integer", "format": "int64"})
        case inspect.FloatType():
            return number(kind, {"type": "number", "format": "double"})
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.LiteralType():
            return {"type": "string", "enum": list(kind.values)}
        case inspect.NoneType():
            return {"type": "string", "nullable": True, "enum": [None]}
        case inspect.DictType(value_type=inspect.AnyType()):
            return {"type": "object"}
        case inspect.DictType():
            return {"type": "object", "additionalProperties": schema_of(kind.value_type, schemas)}
    raise TypeError(f"no schema for {kind}")


def union_schema(kind: inspect.UnionType, schemas: dict[str, Schema]) -> Schema:
    """Return the schema of a union. int | float becomes number: `nullable` needs a `type`, so no struct may be null."""
    options = [schema_of(t, schemas) for t in kind.types if not isinstance(t, inspect.NoneType)]
    if all(option.get("type") in ("integer", "number") for option in options[1:]):
        schema = options[-1]
    else:
        schema = {"anyOf": options}
    nullable = any(isinstance(t, inspect.NoneType) for t in kind.types)
    return schema | {"nullable": True} if nullable else schema


def struct_reference(kind: inspect.StructType, schemas: dict[str, Schema]) -> Schema:
    name = kind.cls.__name__
    if name not in schemas:
        schemas[name] = {}
        schemas[name] = choice_schema(kind, schemas) if hasattr(kind.cls, "narrows") else object_schema(kind, schemas)
    return {"$ref": f"#/components/schemas/{name}"}


def object_schema(kind: inspect.StructType, schemas: dict[str, Schema]) -> Schema:
    properties: Schema = {field.encode_name: schema_of(field.type, schemas) for field in kind.fields}
    required = [field.encode_name for field in kind.fields if field.required or always_sent(kind, field)]
    if kind.tag_field is not None:
        properties[kind.tag_field] = {"type": "string", "enum": [kind.tag]}
        required.append(kind.tag_field)
    schema: Schema = {
        "type": "object",
        "description": (kind.cls.__doc__ or "").split("\n\n")[0],
        "properties": properties,
        "additionalProperties": False,
    }
    return schema | ({"required": required} if required else {})


def choice_schema(kind: inspect.StructType, schemas: dict[str, Schema]) -> Schema:
    """Return a choice between closed schemas: one for each value of the field on which the rules of others depend."""
    by, choices = kind.cls.narrows  # type: ignore[attr-defined]
    whole, mapping = object_schema(kind, schemas), {}
    for value, narrower in choices.items():
        part = object_schema(inspect.type_info(narrower), schemas)  # type: ignore[arg-type]
        properties = whole["properties"] | part["properties"] | {by: {"type": "string", "enum": [value]}}
        schemas[narrower.__name__] = whole | {
            "description": part["description"],
            "properties": properties,
            "required": [*whole["required"], *part.get("required", [])],
        }
        mapping[value] = f"#/components/schemas/{narrower.__name__}"
    options = [{"$ref": place} for place in mapping.values()]
    discriminator = {"propertyName": by, "mapping": mapping}
    return {"description": whole["description"], "oneOf": options, "discriminator": discriminator}


def always_sent(kind: inspect.StructType, field: inspect.Field) -> bool:
    """Whether a field with a default is always sent: in answers, unless it can be unset."""
    return not kind.forbid_unknown_fields and field.default is not msgspec.NODEFAULT


def bounds(kind: inspect.ListType | inspect.StrType, schema: Schema, unit: str) -> Schema:
    if kind.min_length is not None:
        schema[f"min{unit}"] = kind.min_length
    if kind.max_length is not None:
        schema[f"max{unit}"] = kind.max_length
    return schema


def number(kind: inspect.IntType | inspect.FloatType, schema: Schema) -> Schema:
    if kind.ge is not None:
        schema["minimum"] = kind.ge
    if kind.le is not None:
        schema["maximum"] = kind.le
    if kind.multiple_of is not None:
        schema["multipleOf"] = kind.multiple_of
    return schema
