"""A page as a reader's program sees it: its elements with their attributes, and its text."""

from dataclasses import dataclass
from typing import Any

from tests.pages.markup import parse, parse_part
from tests.web import Answer


@dataclass(frozen=True)
class Element:
    """An element with what it contains."""

    node: Any

    @property
    def tag(self) -> str:
        return str(self.node.tag)

    @property
    def attributes(self) -> dict[str, str]:
        return dict(self.node.attrib)

    @property
    def text(self) -> str:
        """The text with white space collapsed."""
        return " ".join("".join(self.node.itertext()).split())

    def all(self, tag: str = "", css_class: str = "") -> "list[Element]":
        """Every element below this one, or those with this tag and this class."""
        below = [one for one in self.node.iter(tag or None) if one is not self.node and isinstance(one.tag, str)]
        return [Element(one) for one in below if css_class in ("", *one.get("class", "").split())]

    def one(self, tag: str = "", css_class: str = "") -> "Element":
        (found,) = self.all(tag, css_class)
        return found


class Page:
    """Reads a page, and fails when its markup is not valid."""

    @staticmethod
    def of(answer: Answer) -> Element:
        """Return the root of an answer that is a page."""
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8"), answer.content
        return Element(parse(answer.content))

    @staticmethod
    def part(text: str) -> Element:
        """Return a root with the elements of a part of a page."""
        return Element(parse_part(text))
