"""What CONTRIBUTING asks for by hand exists, and nothing makes it."""

import re

import pytest

from tests.documents.reading import rows
from tests.processes import CHECKOUT

CONTRIBUTING = (CHECKOUT / "CONTRIBUTING.md").read_text()
PLACE = re.compile(r"`((?:services|tests|deploy|clients)/[\w/.<>-]+)`|\]\(([\w/.-]+)\)")
HEADING = re.compile(r'under "([^"]+)"')
MADE = re.compile(r"do not edit|wrote this|{% for call in operations")
TABLES = ("Add an operation", "Add a field")


@pytest.mark.parametrize("table", TABLES)
def test_no_place_of_a_change_is_made_from_another(table: str) -> None:
    places = rows(CONTRIBUTING, table)
    assert len(places) >= 5
    for number, place, task in places:
        files = [named or linked for named, linked in PLACE.findall(place) if "<" not in (named or linked)]
        for path in map(CHECKOUT.joinpath, files):
            assert path.exists(), f"place {number} of {table}: {path}"
            text = path.read_text() if path.is_file() else ""
            for heading in HEADING.findall(task):
                assert heading in text, f"place {number} of {table} has no {heading}"
                text = re.split(r"^## ", text.partition(f"{heading}\n")[2], flags=re.MULTILINE)[0]
            assert not MADE.search(text), f"place {number} of {table} is made from another"


@pytest.mark.parametrize("table", TABLES)
def test_places_are_numbered_in_order(table: str) -> None:
    numbers = [int(row[0]) for row in rows(CONTRIBUTING, table)]
    assert numbers == list(range(1, len(numbers) + 1))
