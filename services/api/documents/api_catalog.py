"""The catalogue of the board's interface for programs (RFC 9727), as a set of links (RFC 9264)."""

from typing import Any

from services.board.links import Links
from services.contract.operations import JSON, MARKDOWN, NAMED


def api_catalog(links: Links) -> dict[str, Any]:
    """Return the one interface of the board: its description, its page, its effects and its health."""

    def link(name: str, media_type: str) -> list[dict[str, str]]:
        return [{"href": links.to(NAMED[name].path), "type": media_type.partition(";")[0]}]

    interface = {
        "anchor": links.to("/api"),
        "service-desc": link("read_openapi", JSON),
        "service-doc": link("read_skill", MARKDOWN),
        "service-meta": link("read_effects", JSON),
        "status": link("check_health", JSON),
    }
    catalog = {"anchor": links.to(NAMED["read_api_catalog"].path), "item": [{"href": interface["anchor"]}]}
    return {"linkset": [catalog, interface]}
