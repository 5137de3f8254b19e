"""What CONTRIBUTING asks for by hand exists, and nothing makes it."""

import re

import pytest

from tests.processes import CHECKOUT

CONTRIBUTING = (CHECKOUT / "CONTRIBUTING.md").read_text()
PLACE = re.compile(r"`((?:services|tests|deploy|clients)/[\w/.<>-]+)`|\]\(([\w/.-]+)\)")
HEADING = re.compile(r'under "([^"]+)"')
MADE = re.compile(r"do not edit|wrote this|{% for call in operations")
ITEM = re.compile(r"^(\d+)\. (.+?): (.+(?:\n +.+)*)", re.MULTILINE)
LISTS = ("Add an operation", "Add a field")


def places_of(change: str) -> list[tuple[str, str, str]]:
    """Return the numbers, the places and the tasks of a list."""
    section = CONTRIBUTING.partition(f"## {change}\n")[2].partition("\n## ")[0]
    return ITEM.findall(section)


@pytest.mark.parametrize("change", LISTS)
def test_no_place_of_a_change_is_made_from_another(change: str) -> None:
    places = places_of(change)
    assert len(places) >= 5
    for number, place, task in places:
        files = [named or linked for named, linked in PLACE.findall(place) if "<" not in (named or linked)]
        for path in map(CHECKOUT.joinpath, files):
            assert path.exists(), f"place {number} of {change}: {path}"
            text = path.read_text() if path.is_file() else ""
            for heading in HEADING.findall(task):
                assert heading in text, f"place {number} of {change} has no {heading}"
                text = re.split(r"^## ", text.partition(f"{heading}\n")[2], flags=re.MULTILINE)[0]
            assert not MADE.search(text), f"place {number} of {change} is made from another"
