"""Reads pages with a strict parser of HTML."""

from typing import Any

import html5lib


def parse(content: bytes) -> Any:
    """Return the root of a page. Fails if the page has a parse error."""
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("lxml"), strict=True, namespaceHTMLElements=False)
    return parser.parse(content.decode()).getroot()


def text_of(root: Any) -> str:
    """Return what the main part of a page says, with single spaces."""
    return " ".join("".join(root.find(".//main").itertext()).split())
