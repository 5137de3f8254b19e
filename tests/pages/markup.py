"""Reads pages with a strict parser of HTML."""

from typing import Any

import html5lib


def parse(content: bytes) -> Any:
    """Return the root of a page. Fails if the page has a parse error."""
    return strict().parse(content.decode())


def parse_part(text: str) -> Any:
    """Return a root with the elements of a part of a page. Fails as `parse` does."""
    return strict().parseFragment(text)


def strict() -> Any:
    return html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), strict=True, namespaceHTMLElements=False)


def text_of(root: Any) -> str:
    """Return what the main part of a page says, with single spaces."""
    return " ".join("".join(root.find(".//main").itertext()).split())
