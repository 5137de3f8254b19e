"""The board has what the specification has, and docs/conformance.md has every part of it with its tests."""

import ast
import re
from functools import cache
from typing import NamedTuple

from msgspec.structs import fields

from services.contract.operation import Operation
from services.contract.operations import INTERFACE
from tests.cases import for_each
from tests.contract import specification
from tests.contract.answers import RECORDS
from tests.contract.description import responses_of
from tests.contract.promised import PROMISED
from tests.processes import CHECKOUT


class Row(NamedTuple):
    """Parts of the specification: sections of the interface, tests below tests/, and the differences."""

    part: str
    interface: str
    tests: str
    differs: str = ""

    def parts(self) -> list[str]:
        """Each part of a row, such as both of "9, rules 1, 2" and of "2.4, 2.5"."""
        section, several, numbers = self.part.partition(", rules ")
        if several:
            return [f"{section}, rule {number}" for number in numbers.split(", ")]
        return self.part.split(", ") if re.fullmatch(r"[\d.]+(, \d\.\d)+", self.part) else [self.part]


DOCUMENT = (CHECKOUT / "docs/conformance.md").read_text()
TABLE = [Row(*line.split(" | ")) for line in re.findall(r"^\d.* \| .*$", DOCUMENT, re.MULTILINE)]
SECTIONS = set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", PROMISED, re.MULTILINE))
OPERATIONS = {f"{operation.method} {operation.path}": operation for operation in INTERFACE}


def body_of(operation: Operation) -> dict[str, bool]:
    """The fields of a body, and whether each is required."""
    return {field.name: field.required for field in fields(operation.body)} if operation.body else {}


def test_every_part_of_the_specification_stands_in_one_row_in_its_order() -> None:
    stated = [row.parts() for row in TABLE]
    assert sorted(part for parts in stated for part in parts) == sorted(specification.PARTS)
    order = [specification.PARTS.index(parts[0]) for parts in stated]
    assert order == sorted(order)


def test_every_row_leads_to_sections_of_the_interface() -> None:
    for row in TABLE:
        cited = re.findall(r"\d+(?:\.\d+)?", row.interface)
        assert cited, row
        assert set(cited) <= SECTIONS, row


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((CHECKOUT / "tests" / path).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_row_names_tests_that_exist() -> None:
    for row in TABLE:
        named = [each.strip().strip("`").split("::") for each in row.tests.split(",")]
        assert len(named) >= len(row.parts()), row
        for path, function in named:
            assert function.startswith("test_"), row
            assert function in functions(path), f"{row.part}: {path} has no {function}"


@for_each("call", specification.PARAMETERS)
def test_every_operation_of_the_specification_takes_what_it_states(call: str) -> None:
    operation = OPERATIONS[call]
    query = {field.name for field in fields(operation.query)} if operation.query else set()
    assert set(specification.PARAMETERS[call]) <= query
    assert not operation.needs_query
    optional, required = specification.FIELDS.get(call, ((), ()))
    body = body_of(operation)
    assert set(optional) | set(required) <= body.keys()
    assert {field for field, needed in body.items() if needed} == set(required)
    assert operation.effect.needs_token == (call in specification.NEED_A_TOKEN)
    if call in specification.CREATED:
        assert operation.status == 201
    assert operation.idempotency_key or call not in specification.IDEMPOTENCY_KEY


def test_every_record_of_the_specification_has_the_members_that_it_states() -> None:
    for record, stated in specification.MEMBERS.items():
        assert set(stated) <= {field.encode_name for field in fields(RECORDS[record])}, record


def test_every_status_of_the_specification_can_be_answered() -> None:
    assert {int(status) for operation in INTERFACE for status in responses_of(operation)} >= specification.STATUSES
