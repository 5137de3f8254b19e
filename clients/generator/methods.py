"""The source of methods.py: one method for each operation, for callers that wait and for those that await."""

from dataclasses import dataclass

from msgspec import Struct, inspect

from services.contract.operation import Operation

from .operations import returned
from .types import FOR_PROGRAMS, annotation

HEAD = '''"""One method for each operation of the board. Made from the contract: do not edit.

Parameters that are None or UNSET are not sent.
"""

from abc import ABC, abstractmethod
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from . import models, operations
from .calls import Call

T = TypeVar("T")
'''


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method; optional ones have a default."""

    name: str
    kind: str
    default: str = ""


@dataclass(frozen=True)
class Style:
    """How the methods of one class are written."""

    name: str
    says: str
    define: str
    call: str


STYLES = (
    Style("Methods", "The operations, for callers that wait for the answer.", "def", "self.send"),
    Style("AsyncMethods", "The operations, for callers that await the answer.", "async def", "await self.send"),
)


def methods_source() -> str:
    return "\n\n".join([HEAD, *(class_source(style) for style in STYLES)])


def class_source(style: Style) -> str:
    head = f'class {style.name}(ABC):\n    """{style.says}"""\n\n    @abstractmethod\n'
    head += f'    {style.define} send(self, call: Call[T]) -> T:\n        """Make a call and return its answer."""\n'
    return "\n".join([head, *(method_source(operation, style) for operation in FOR_PROGRAMS)])


def method_source(operation: Operation, style: Style) -> str:
    path, query, body = path_parameters(operation), members(operation.query, "None"), members(operation.body, "UNSET")
    required = [parameter for parameter in (*path, *query, *body) if not parameter.default]
    optional = [parameter for parameter in (*query, *body) if parameter.default]
    optional += [Parameter("key", "str | None", "None")] if operation.idempotency_key else []
    listed = ["self", *(f"{p.name}: {p.kind}" for p in required)]
    listed += ["*", *(f"{p.name}: {p.kind} = {p.default}" for p in optional)] if optional else []
    given = [f"operations.{operation.name.upper()}"]
    given += [f"path={mapping(path)}"] if path else []
    given += [f"query={mapping(query)}"] if query else []
    given += [f"body={mapping(body)}"] if operation.body else []
    given += ["key=key"] if operation.idempotency_key else []
    call = f"return {style.call}(Call({', '.join(given)}))"
    head = f"    {style.define} {operation.name}({', '.join(listed)}) -> {returned(operation)}:"
    return f'{head}\n        """{operation.says}"""\n        {call}\n'


def path_parameters(operation: Operation) -> list[Parameter]:
    return [Parameter(name, "int" if name in ("id", "event_id") else "str") for name in operation.parameters]


def members(struct: type[Struct] | None, absent: str) -> list[Parameter]:
    """The members of a query or a body; optional ones are `absent` by default."""
    if struct is None:
        return []
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return [parameter(member, absent) for member in info.fields]


def parameter(member: inspect.Field, absent: str) -> Parameter:
    kind = annotation(member.type, "str", lambda struct: f"models.{struct.cls.__name__}")
    if member.required:
        return Parameter(member.name, kind)
    if absent == "UNSET":
        # null is as good as nothing in new records, and clears a field of the profile.
        return Parameter(member.name, f"{kind.removesuffix(' | None')} | UnsetType | None", absent)
    return Parameter(member.name, kind if kind.endswith("None") else f"{kind} | None", absent)


def mapping(parameters: list[Parameter]) -> str:
    return "{" + ", ".join(f'"{p.name}": {p.name}' for p in parameters) + "}"
