"""Every citation refers to a section of docs/interface.md or to a heading of ARCHITECTURE.md.

The form `(interface 7.4)` cites a numbered section; `ARCHITECTURE.md, "The limiter"` cites a heading.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[2]
INTERFACE = "docs/interface.md"
READ = ("*.py", "*.sql", "*.lua", "*.md", "*.yaml", "*.yml", "*.sh", "*.toml", "*.cfg", "Makefile", "Dockerfile")

NUMBER = r"\d+(?:\.\d+)?(?![\d.]*\d)"
NUMBERS = rf"{NUMBER}(?:(?:, | and | to | - ){NUMBER})*"
SECTION = re.compile(rf"\b[Ii]nterface ({NUMBERS})")
DOTTED = r"\d+\.\d+"
WITHIN = re.compile(rf"\(({DOTTED}(?:, {DOTTED})*)\)|\| ({DOTTED}) \||section ({NUMBERS})")
HEADING = re.compile(r'ARCHITECTURE\.md, "([^"]+)"')
# a citation may continue on the next line of a comment
BREAK = re.compile(r"\s+(?:(?:#|--)\s+)?")


class Targets(NamedTuple):
    """The sections and headings that can be cited."""

    sections: set[str]
    headings: set[str]


@pytest.fixture(scope="module")
def targets() -> Targets:
    interface, architecture = (read(name) for name in (INTERFACE, "ARCHITECTURE.md"))
    return Targets(
        set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", interface, re.MULTILINE)),
        set(re.findall(r"^#+ (.+)$", architecture, re.MULTILINE)),
    )


def read(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def tracked() -> list[str]:
    """The tracked files that may contain citations, except this one, whose examples are deliberately wrong."""
    found = subprocess.run(["git", "ls-files", "-z", "--", *READ], cwd=CHECKOUT, capture_output=True, check=True)
    names = [name for name in found.stdout.decode().split("\0") if name and (CHECKOUT / name).exists()]
    return [name for name in names if name != str(Path(__file__).relative_to(CHECKOUT))]


def cited(text: str, form: re.Pattern[str]) -> Iterator[str]:
    """The section numbers that a text cites in this form."""
    for match in form.finditer(BREAK.sub(" ", text)):
        yield from re.findall(NUMBER, next(group for group in match.groups() if group))


def dead_citations(text: str, targets: Targets) -> list[str]:
    """The citations in a text whose targets do not exist."""
    flat = BREAK.sub(" ", text)
    return [
        *(f"interface {number}" for number in cited(text, SECTION) if number not in targets.sections),
        *(f'ARCHITECTURE.md, "{heading}"' for heading in HEADING.findall(flat) if heading not in targets.headings),
    ]


def test_every_citation_leads_somewhere(targets: Targets) -> None:
    dead = {name: found for name in tracked() if (found := dead_citations(read(name), targets))}
    assert dead == {}


def test_the_interface_refers_to_sections_that_it_has(targets: Targets) -> None:
    numbers = list(cited(read(INTERFACE), WITHIN))
    assert len(numbers) > 50
    assert set(numbers) - targets.sections == set()
