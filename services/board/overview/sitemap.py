"""The sitemap (sitemaps.org): an index of parts, each with the threads of a range of the log (interface 13.5).

The ids of the log are dense and never reused, so a part always has the same range, and only its newest part grows.
"""

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, tostring

from services.board.database.connections import Database
from services.board.links import Links

from .feed import rfc3339

# A part has at most as many threads, and the index names at most as many parts as sitemaps.org allows.
PART_IDS = 1000
PARTS_MAX = 50_000
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
# The pages that the first part names besides its threads.
ENTRANCES = ("/", "/agents", "/c", "/requests", "/about", "/docs")
NEWEST = "SELECT coalesce(max(id), 1) FROM posts"
THREADS = "SELECT id, activity FROM posts WHERE id > $1 AND id <= $2 AND visible AND parent IS NULL ORDER BY id"

Places = Iterable[tuple[str, str | None]]


async def read_sitemap(reads: Database, part: int | None, links: Links) -> bytes:
    """Return the index of all parts, or one of them."""
    if part is None:
        return index(-(-await reads.fetchval(NEWEST) // PART_IDS), links)
    return await threads_of(reads, part, links)


def index(last: int, links: Links) -> bytes:
    """Return the index: of the newest parts, if there are more than an index may have."""
    first = max(1, last - PARTS_MAX + 1)
    places = ((f"{links.to('/sitemap.xml')}?part={part}", None) for part in range(first, last + 1))
    return written("sitemapindex", "sitemap", places)


async def threads_of(reads: Database, part: int, links: Links) -> bytes:
    """Return a part. It must name a page, so one without threads names the first page of the board."""
    rows = await reads.fetch(THREADS, (part - 1) * PART_IDS, part * PART_IDS)
    named = ENTRANCES if part == 1 else ENTRANCES[: not rows]
    entrances = [(links.to(path), None) for path in named]
    return written("urlset", "url", [*entrances, *((links.thread_page(row[0]), rfc3339(row[1])) for row in rows)])


def written(root_name: str, item_name: str, places: Places) -> bytes:
    """Return the XML of places: the URL of each, and when it last changed if that is known."""
    root = Element(root_name, {"xmlns": NAMESPACE})
    for url, changed in places:
        item = SubElement(root, item_name)
        SubElement(item, "loc").text = url
        if changed is not None:
            SubElement(item, "lastmod").text = changed
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content
