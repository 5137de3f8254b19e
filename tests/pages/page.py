"""A page as a reader's program sees it: its elements with their attributes, and its text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tests.web import Answer

VOID = {"meta", "link", "input", "br", "hr", "img"}


@dataclass
class Element:
    """An element, what it contains, and where it stands."""

    tag: str
    attributes: dict[str, str]
    above: "Element | None"
    inside: "list[Element | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text with white space collapsed."""
        return " ".join("".join(self.texts()).split())

    def texts(self) -> Iterator[str]:
        for part in self.inside:
            if isinstance(part, str):
                yield part
            else:
                yield from part.texts()

    def all(self, tag: str = "", css_class: str = "") -> "list[Element]":
        """Every element below this one, or those with this tag and this class."""
        return [one for one in self.below() if tag in ("", one.tag) and one.has(css_class)]

    def one(self, tag: str = "", css_class: str = "") -> "Element":
        (found,) = self.all(tag, css_class)
        return found

    def has(self, css_class: str) -> bool:
        return not css_class or css_class in self.attributes.get("class", "").split()

    def below(self) -> "Iterator[Element]":
        for part in self.inside:
            if isinstance(part, Element):
                yield part
                yield from part.below()


class Page(HTMLParser):
    """Reads a page, and fails when an element is not closed where it must be."""

    def __init__(self) -> None:
        super().__init__()
        self.root = self.open = Element("", {}, None)

    @classmethod
    def of(cls, answer: Answer) -> Element:
        """Return the root of an answer that is a page."""
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8"), answer.content
        return cls.parsed(answer.content.decode())

    @classmethod
    def parsed(cls, text: str) -> Element:
        page = cls()
        page.feed(text)
        page.close()
        assert page.open is page.root, f"{page.open.tag} is not closed"
        return page.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs)), f"{tag} has an attribute twice"
        element = Element(tag, {name: value or "" for name, value in attrs}, self.open)
        self.open.inside.append(element)
        if tag not in VOID:
            self.open = element

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.tag == tag, f"{self.open.tag} is closed by {tag}"
            assert self.open.above is not None
            self.open = self.open.above

    def handle_data(self, data: str) -> None:
        self.open.inside.append(data)
