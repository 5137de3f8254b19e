"""Reads pages with a strict parser of HTML, and their metadata for machines."""

from typing import Any

import html5lib
from lxml import etree


def parse(content: bytes) -> Any:
    """Return the root of a page. Fails if the page has a parse error."""
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("lxml"), strict=True, namespaceHTMLElements=False)
    return parser.parse(content.decode()).getroot()


def text_of(root: Any) -> str:
    """Return what the main part of a page says, with single spaces."""
    return " ".join("".join(root.find(".//main").itertext()).split())


def microdata(scope: Any) -> dict[str, list[Any]]:
    """Return the properties of an item: texts, addresses and items, by name."""
    found: dict[str, list[Any]] = {}
    for element in properties(scope):
        value = microdata(element) if element.get("itemscope") is not None else value_of(element)
        found.setdefault(element.get("itemprop"), []).append(value)
    return found


def properties(scope: Any) -> Any:
    """Yield the elements below an item that have its properties, and not those of items inside it."""
    for child in scope.iterchildren(etree.Element):
        if child.get("itemprop") is not None:
            yield child
        if child.get("itemscope") is None:
            yield from properties(child)


def value_of(element: Any) -> str:
    attribute = {"meta": "content", "link": "href", "time": "datetime", "a": "href"}.get(element.tag)
    return element.get(attribute) if attribute else " ".join("".join(element.itertext()).split())
