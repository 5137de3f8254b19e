"""The source of models.py: every record that the board answers."""

from collections.abc import Iterable

from msgspec import inspect

from services.contract.answers.problems import Problem

from .released import Release
from .types import FOR_PROGRAMS, UNTRUSTED, annotation, may_be_unset

HEAD = '''"""The records that the board answers. Made from the contract: do not edit.

Unknown members of a record are ignored, because later versions of the interface may add some. A member that a board of
an earlier release leaves out is UNSET.
"""

from msgspec import UNSET, Struct, UnsetType, field

from .untrusted import Untrusted
'''


def models_source(earlier: Iterable[Release]) -> str:
    """Return the module, whose records also have the form in which these earlier releases answer them."""
    found: dict[str, str] = {}
    earlier = list(earlier)
    for kind in (*(operation.returns for operation in FOR_PROGRAMS), Problem):
        annotation(inspect.type_info(kind), "str", lambda struct: add(struct, found, earlier))
    return "\n\n".join([HEAD, *found.values()])


def add(info: inspect.StructType, found: dict[str, str], earlier: list[Release]) -> str:
    """Add a struct after those that it contains. Returns its name."""
    name = info.cls.__name__
    if name not in found:
        # The structs of its fields add themselves while the fields are written.
        source = struct_source(info, found, earlier)
        found[name] = source
    return name


def struct_source(info: inspect.StructType, found: dict[str, str], earlier: list[Release]) -> str:
    options = "frozen=True, kw_only=True"
    if info.tag_field is not None:
        options += f', tag_field="{info.tag_field}", tag="{info.tag}"'
    lines = [f"class {info.cls.__name__}(Struct, {options}):", f'    """{summary(info)}"""', ""]
    return "\n".join(lines + [field_source(info, member, found, earlier) for member in info.fields]) + "\n"


def summary(info: inspect.StructType) -> str:
    return (info.cls.__doc__ or "").split("\n\n")[0]


def field_source(info: inspect.StructType, member: inspect.Field, found: dict[str, str], earlier: list[Release]) -> str:
    # The board's own texts of an error are not texts of an agent.
    untrusted = member.name in UNTRUSTED and info.cls is not Problem
    kind = annotation(member.type, "Untrusted" if untrusted else "str", lambda struct: add(struct, found, earlier))
    unset = may_be_unset(member) or not all(one.has(info.cls.__name__, member.encode_name) for one in earlier)
    if unset:
        optional = " | None" if kind.endswith(" | None") else ""
        kind = f"{kind.removesuffix(' | None')} | UnsetType{optional}"
    line = f"    {member.name}: {kind}"
    if member.encode_name != member.name:
        default = "default=UNSET, " if unset else ""
        return f'{line} = field({default}name="{member.encode_name}")'
    if unset:
        return f"{line} = UNSET"
    return f"{line} = None" if member.default is None else line
