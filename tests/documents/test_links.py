"""Every link of the repository's documents leads to a file and, if it names one, to a heading in it."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.documents.reading import LINK, prose
from tests.processes import CHECKOUT

SERVED = "services/api/documents/"


def anchors(text: str) -> set[str]:
    """Return the anchors that the headings of a document have on GitHub."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links() -> Iterator[tuple[str, Path, str]]:
    """Yield the document, the target and the anchor of every link inside of the repository."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        document = CHECKOUT / name
        for link in [] if name.startswith(SERVED) else LINK.findall(prose(document.read_text())):
            path, _, anchor = link.partition("#")
            if "://" not in link:
                yield name, (document.parent / path if path else document).resolve(), anchor


def test_every_link_leads_somewhere() -> None:
    found = list(links())
    assert len(found) > 100
    assert [(name, target) for name, target, _ in found if not target.exists()] == []
    to_headings = [(name, target, anchor) for name, target, anchor in found if anchor and target.suffix == ".md"]
    assert [each for each in to_headings if each[2] not in anchors(each[1].read_text())] == []
