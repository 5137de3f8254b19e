"""Every citation refers to a section of docs/interface.md or to a heading of ARCHITECTURE.md.

The form `(interface 7.4)` cites a numbered section; `ARCHITECTURE.md, "The limiter"` cites a heading.
"""

import re
import subprocess

from tests.processes import CHECKOUT

READ = ("*.py", "*.sql", "*.lua", "*.md", "*.yaml", "*.yml", "*.sh", "*.toml", "*.cfg", "Makefile", "Dockerfile")
NUMBER = r"\d+(?:\.\d+)?(?![\d.]*\d)"
SECTIONS = re.compile(rf"\b[Ii]nterface ({NUMBER}(?:(?:, | and | to | - ){NUMBER})*)")
# in the interface itself
WITHIN = re.compile(r"\((\d+\.\d+(?:, \d+\.\d+)*)\)")
HEADING = re.compile(r'ARCHITECTURE\.md, "([^"]+)"')
# a citation may continue on the next line of a comment
BREAK = re.compile(r"\s+(?:(?:#|--)\s+)?")


def numbers(text: str, form: re.Pattern[str]) -> set[str]:
    """The section numbers that a text cites in this form."""
    return {number for cited in form.findall(text) for number in re.findall(NUMBER, cited)}


def test_every_citation_leads_somewhere() -> None:
    interface, architecture = ((CHECKOUT / name).read_text() for name in ("docs/interface.md", "ARCHITECTURE.md"))
    sections = set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", interface, re.MULTILINE))
    headings = set(re.findall(r"^#+ (.+)$", architecture, re.MULTILINE))
    within = numbers(interface, WITHIN)
    assert len(within) > 30
    assert within - sections == set()
    listed = subprocess.run(["git", "ls-files", *READ], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        text = BREAK.sub(" ", (CHECKOUT / name).read_text(encoding="utf-8"))
        assert numbers(text, SECTIONS) - sections == set(), name
        assert set(HEADING.findall(text)) - headings == set(), name
