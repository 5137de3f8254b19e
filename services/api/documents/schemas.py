"""The OpenAPI 3.0.3 schemas of the contract's types, with the rules for texts in requests (interface 2.2, 2.3).

services.board.validation.bodies applies these rules.
"""

from functools import cache
from typing import Any, Final

import msgspec
from msgspec import inspect, structs

from services.contract.bounds import RESERVED_NAMES
from services.contract.unseen import CONTROLS, LINE_BREAKS, UNSEEN

Schema = dict[str, Any]
NULL: Schema = {"type": "object", "nullable": True, "enum": [None]}

# Validation also accepts hosts with other than ASCII letters; this pattern covers the common case.
WEBSITE: Final = rf"^(https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{{0,3}}|:[1-5][0-9]{{4}})?([/?#][^\s{CONTROLS}\\<>\x22]*)?)?$"

# The component for a text without a visible character: its pattern is long, and every other text refers to it.
# Validation also knows characters beyond U+FFFF that cannot be seen.
BLANK: Final = "Blank"
BLANK_SCHEMA: Final[Schema] = {
    "type": "string",
    "pattern": f"^[{UNSEEN}{LINE_BREAKS}]*$",
    "description": "A text in which nothing can be seen.",
}

# Many types occur several times, and inspecting them is half of the work.
type_info = cache(inspect.type_info)


def reference(kind: Any, schemas: dict[str, Schema]) -> Schema:
    return schema_of(type_info(kind), schemas)


def schema_of(kind: inspect.Type, schemas: dict[str, Schema]) -> Schema:
    """Return the 3.0.3 schema of a type: `nullable` next to `type`, never an array of types; structs are components."""
    match kind:
        case inspect.Metadata(extra_json_schema={"title": name}):
            return named_schema(name, kind, schemas)
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
        case inspect.DictType():
            return {"type": "object", "additionalProperties": schema_of(kind.value_type, schemas)}
    raise TypeError(f"no schema for {kind}")


def text_schema(kind: inspect.StrType, extra: dict[str, Any]) -> Schema:
    """Return the schema of a text, without its length. Texts in answers have no bounds and may contain anything."""
    schema: Schema = {"type": "string"}
    if extra.get("format") == "website":
        schema["pattern"] = WEBSITE
    elif kind.pattern:
        schema["pattern"] = kind.pattern
    elif kind.max_length is not None:
        refused = CONTROLS + (LINE_BREAKS if extra.get("line") else "") + ("," if extra.get("one") else "")
        schema["pattern"] = f"^[^{refused}]*$"
        schema |= {} if extra.get("blank") else {"not": {"$ref": f"#/components/schemas/{BLANK}"}}
    if "not" in extra:
        schema["not"] = {"enum": list(RESERVED_NAMES)}
    return schema


def named_schema(name: str, kind: inspect.Metadata, schemas: dict[str, Schema]) -> Schema:
    """Return a reference to a component for a type that has a title."""
    described = {key: words for key, words in (kind.extra_json_schema or {}).items() if key != "title"}
    schemas[name] = schema_of(msgspec.structs.replace(kind, extra_json_schema=described), schemas)
    return {"$ref": f"#/components/schemas/{name}"}


def union_schema(kind: inspect.UnionType, schemas: dict[str, Schema]) -> Schema:
    """Return the schema of a union. int | float becomes number. `nullable` counts only next to a `type`.

    str | int becomes a choice.
    """
    options = [t for t in kind.types if not isinstance(t, inspect.NoneType)]
    structs = [option for option in options if isinstance(option, inspect.StructType)]
    if len(structs) > 1:
        return choice(str(structs[0].tag_field), {t.tag: struct_reference(t, schemas) for t in structs})
    known = [schema_of(option, schemas) for option in options]
    if {"integer", "number"} >= {schema.get("type") for schema in known}:
        known = known[-1:]
    if len(options) < len(kind.types):
        known = [*known, NULL] if len(known) > 1 or "$ref" in known[0] else [nullable(known[0])]
    return known[0] if len(known) == 1 else {"anyOf": known}


def nullable(schema: Schema) -> Schema:
    """Return a schema that also allows null, which an `enum` must list (OpenAPI 3.0.3, proposal on nullable)."""
    return schema | {"nullable": True} | ({"enum": [*schema["enum"], None]} if "enum" in schema else {})


def choice(by: str, options: dict[Any, Schema]) -> Schema:
    """Return a choice between schemas, by the value of the field `by`."""
    mapping = {value: option["$ref"] for value, option in options.items()}
    distinct = [{"$ref": address} for address in dict.fromkeys(mapping.values())]
    return {"oneOf": distinct, "discriminator": {"propertyName": by, "mapping": mapping}}


def struct_reference(kind: inspect.StructType, schemas: dict[str, Schema]) -> Schema:
    name = kind.cls.__name__
    if name not in schemas:
        schemas[name] = {}
        schemas[name] = choice_schema(kind, schemas) if hasattr(kind.cls, "narrows") else object_schema(kind, schemas)
    return {"$ref": f"#/components/schemas/{name}"}


def object_schema(kind: inspect.StructType, schemas: dict[str, Schema]) -> Schema:
    """Return the schema of a struct: that of its base and its own fields.

    Requests are closed; answers are open, because new members can be added.
    """
    base: Any = kind.cls.__base__
    inherited = {field.encode_name for field in structs.fields(base)}
    description = {"description": (kind.cls.__doc__ or "").split("\n\n")[0]}
    own = own_schema(kind, [field for field in kind.fields if field.encode_name not in inherited], schemas)
    return {"allOf": [reference(base, schemas), own]} | description if inherited else own | description


def own_schema(kind: inspect.StructType, fields: list[inspect.Field], schemas: dict[str, Schema]) -> Schema:
    """Return the schema of an object with these fields of a struct, and with its tag."""
    properties: Schema = {field.encode_name: schema_of(field.type, schemas) for field in fields}
    required = [field.encode_name for field in fields if field.required or always_sent(kind, field)]
    if kind.tag_field is not None:
        properties[kind.tag_field] = {"type": "string", "enum": [kind.tag], "description": "The kind."}
        required.append(kind.tag_field)
    closed: Schema = {"additionalProperties": False} if kind.forbid_unknown_fields else {}
    closed |= {"minProperties": 1, "maxProperties": 1} if hasattr(kind.cls, "exclusive") else {}
    return {"type": "object", "properties": properties} | ({"required": required} if required else {}) | closed


def choice_schema(kind: inspect.StructType, schemas: dict[str, Schema]) -> Schema:
    """Return a choice between closed schemas: one for each value of the field on which the rules of others depend."""
    by, choices = kind.cls.narrows  # type: ignore[attr-defined]
    whole = object_schema(kind, schemas)
    options: dict[Any, Schema] = {}
    for narrower in dict.fromkeys(choices.values()):
        values = [value for value, other in choices.items() if other is narrower]
        part = object_schema(type_info(narrower), schemas)  # type: ignore[arg-type]
        chosen = {by: whole["properties"][by] | {"enum": values}}
        properties = whole["properties"] | part["properties"] | chosen
        schemas[narrower.__name__] = whole | {
            "description": part["description"],
            "properties": properties,
            "required": [*whole["required"], *part.get("required", [])],
        }
        options |= {value: {"$ref": f"#/components/schemas/{narrower.__name__}"} for value in values}
    return {"description": whole["description"]} | choice(by, options)


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
    return schema
