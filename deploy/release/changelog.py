"""The section of one release in CHANGELOG.md (https://keepachangelog.com/en/1.1.0/)."""

import re

from deploy.release.errors import ReleaseError

HEADING = re.compile(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def section(changelog: str, version: str) -> str:
    """Return the text below the heading of a release, which must be the newest. Raises ReleaseError."""
    headings = list(HEADING.finditer(changelog))
    if len(headings) < 2 or headings[0][1] != "Unreleased" or headings[1][1] != version or not headings[1][2]:
        raise ReleaseError(
            f'The first heading after "## [Unreleased]" in CHANGELOG.md must be "## [{version}] - DATE".'
        )
    if below(changelog, headings, 0):
        raise ReleaseError(f'CHANGELOG.md lists changes as unreleased; move them to "[{version}]".')
    text = below(changelog, headings, 1)
    if "### Upgrading\n" not in text:
        raise ReleaseError(
            f'The section "[{version}]" of CHANGELOG.md has no heading "### Upgrading" with advice for operators.'
        )
    return text


def below(changelog: str, headings: "list[re.Match[str]]", index: int) -> str:
    end = headings[index + 1].start() if index + 1 < len(headings) else len(changelog)
    return changelog[headings[index].end() : end].strip()
