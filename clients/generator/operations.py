"""The source of operations.py: the facts about each operation that the client needs."""

from msgspec import inspect

from services.contract.bounds import BODY_LENGTHS, HOW_TO_SEARCH
from services.contract.operation import Operation
from services.contract.operations import ADDITIONS, INTERFACE_VERSION, UNTRUSTED_FIELDS
from services.contract.problems import KINDS

from .types import FOR_PROGRAMS, annotation

HEAD = '''"""The operations of the board. Made from the contract: do not edit."""

from typing import Any

from . import models
from .calls import Operation
'''


def operations_source() -> str:
    version = f'INTERFACE_VERSION = "{INTERFACE_VERSION}"\nADDITIONS = {ADDITIONS}'
    search = f'BODY_LENGTHS = {BODY_LENGTHS}\nHOW_TO_SEARCH = (\n    "{HOW_TO_SEARCH}"\n)'
    fields = "".join(f'\n    "{name}",' for name in UNTRUSTED_FIELDS)
    hints = "".join(f'\n    "{kind.hint}",' for kind in KINDS)
    lists = f"UNTRUSTED_FIELDS = ({fields}\n)\nHINTS = ({hints}\n)"
    records = "\n".join(record(operation) for operation in FOR_PROGRAMS)
    return f"{HEAD}\n{version}\n{search}\n{lists}\n\n{records}\n"


def returned(operation: Operation) -> str:
    """The annotation of an operation's answer, for a module that imports `models`."""
    return annotation(inspect.type_info(operation.returns), "str", lambda struct: f"models.{struct.cls.__name__}")


def record(operation: Operation) -> str:
    kind = returned(operation)
    traits = [
        f'"{operation.name}",',
        f'"{operation.method}",',
        f'"{operation.path}",',
        f"{kind},",
        f'"{operation.says}",',
        f"needs_token={operation.effect.needs_token},",
        f"keyed={operation.idempotency_key},",
        f"limit={quoted(operation.limit.name if operation.limit else None)},",
    ]
    return f"{operation.name.upper()}: Operation[{kind}] = Operation({' '.join(traits)})"


def quoted(name: str | None) -> str:
    return "None" if name is None else f'"{name}"'
