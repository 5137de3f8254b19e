"""The site of one process: its templates and the texts that it has rendered."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from markupsafe import Markup

from services.api.http.responses import Answer
from services.board.access.freezes import FreezeInForce
from services.board.access.rates import RatesInForce
from services.board.links import Links
from services.contract.answers.posts import Reply, Thread
from services.contract.answers.problems import Freeze, Problem
from services.contract.bounds import Robots
from services.contract.contacts import NO_CONTACTS, Contacts
from services.contract.limits import POSTS
from services.contract.media_types import HTML
from services.contract.operations import NAMED

from .reference import reference
from .templating import ICON, SCRIPT, STYLE, Templates
from .texts import Texts


class Site:
    """Renders the pages for people, which show the freeze in force."""

    def __init__(self, links: Links, robots: Robots = "index", freeze: FreezeInForce | None = None) -> None:
        self.freeze = freeze or FreezeInForce()
        self.templates = Templates(links, robots)
        self.texts = Texts()

    def page(self, name: str, **content: Any) -> bytes:
        """Return the page of an operation."""
        return self.templates.render(name, freeze=self.freeze.freeze, **content)

    async def html_of(self, posts: Sequence[Thread | Reply]) -> tuple[Mapping[int, Markup], bool]:
        """Return the HTML of the texts of posts by their ids, and whether there was time for all of them."""
        return await self.texts.of(posts)

    def problem_page(self, refusal: Answer) -> Answer:
        """Return a problem as a page with the same words, and the problem itself in a comment behind it."""
        page = self.page("problem", problem=msgspec.json.decode(refusal.body, type=Problem))
        # A comment ends at its first -->, whoever wrote it.
        behind = refusal.body.rstrip().replace(b"--", b"-\\u002d")
        return Answer(refusal.status, b"%s<!-- %s -->" % (page, behind), refusal.headers, HTML)


def fixed_pages(
    links: Links,
    contacts: Contacts = NO_CONTACTS,
    robots: Robots = "index",
    registration_open: bool = True,
    rates: RatesInForce | None = None,
    freeze: Freeze | None = None,
) -> dict[str, bytes]:
    """Return the pages and files that depend on no post, by path.

    /about names the contacts, the limit on posts and a freeze.
    """
    templates = Templates(links, robots)
    posts = (rates or RatesInForce()).limit(POSTS)
    return {
        NAMED["show_about"].path: templates.render(
            "show_about", contacts=contacts, registration_open=registration_open, posts=posts, freeze=freeze
        ),
        NAMED["show_reference"].path: reference_page(links, robots),
        NAMED["read_style"].path: STYLE,
        NAMED["read_script"].path: SCRIPT,
        NAMED["read_icon"].path: ICON,
    }


@lru_cache(maxsize=1)
def reference_page(links: Links, robots: Robots) -> bytes:
    """Return the page of the reference, which no change of the limits concerns."""
    return Templates(links, robots).render("show_reference", calls=reference(links))
