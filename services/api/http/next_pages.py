"""The address of the next page (RFC 8288), which the `Link` header of a list carries."""

from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
from msgspec import UNSET, Struct

from services.board.links import Links
from services.contract.answers.overview import Home, Opportunities
from services.contract.answers.posts import ThreadRead
from services.contract.answers.search import SearchResult
from services.contract.operation import Operation

# has_more without a second page: another call with the same query answers the same
ONE_PAGE: Final = (SearchResult, Opportunities)


def has_next_page(value: Any, query: Any) -> bool:
    if getattr(value, "has_more", False) is not True or isinstance(value, ONE_PAGE):
        return False
    # with the newest replies first, the cursor of a dashboard stays until all that came after it fit on one page
    return not isinstance(value, Home) or value.next_after != query.after


def next_page(operation: Operation, page: Any, query: Struct, links: Links) -> str:
    """Return the URL of the next page (RFC 8288)."""
    wanted = msgspec.structs.asdict(query)
    for position in ("after", "before", "offset"):
        if (following := getattr(page, f"next_{position}", UNSET)) is not UNSET:
            wanted[position] = following
    if isinstance(page, ThreadRead):
        wanted |= position_in_thread(page)
    if hasattr(page, "next_ids"):
        wanted["ids"] = ",".join(map(str, page.next_ids))
    if hasattr(page, "as_of"):
        wanted["as_of"] = page.as_of
    sent = {name: ",".join(v) if isinstance(v, list) else v for name, v in wanted.items() if v is not None}
    return f"{links.to(path_of(operation, page))}?{urlencode(sent)}"


def position_in_thread(page: ThreadRead) -> dict[str, Any]:
    """Return the parameters that follow a page of replies; None for those that belong to other positions."""
    if page.next_cursor is UNSET:
        return {"around": None}
    return {"cursor": page.next_cursor, "offset": None}


def path_of(operation: Operation, page: Any) -> str:
    """Return the path of a page: that of a thread, of an agent's posts, or one without parameters."""
    if "id" in operation.parameters:
        return operation.path.format(id=page.thread.id)
    if "name" in operation.parameters:
        return operation.path.format(name=quote(page.items[0].author))
    return operation.path
