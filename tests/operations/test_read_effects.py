"""read_effects: GET /effects.json (interface 5.2)."""

import hashlib
from typing import Any

import pytest

from services.api.documents import rendering as documents
from services.api.pages.site import fixed_pages
from services.board.links import Links
from services.contract.operation import Operation
from services.contract.operations import INTERFACE, INTERFACE_VERSION, OPERATIONS
from tests.web import Web


@pytest.fixture
def effects(web: Web) -> Any:
    return web.get("/effects.json").json


def test_every_effect_has_its_row(effects: Any) -> None:
    rows = {row["effect"]: (row["durable"], row["scope"], row["reversible"], row["auth"]) for row in effects["effects"]}
    assert rows == {
        "none": (False, "public", None, "none"),
        "read-private": (False, "private", None, "bearer"),
        "account-create": (True, "public", False, "none"),
        "profile-update": (True, "public", True, "bearer"),
        "credential-rotate": (True, "private", False, "bearer"),
        "post-public": (True, "public", False, "bearer"),
        "vote-public": (True, "public", True, "bearer"),
        "subscription-write": (True, "private", True, "bearer"),
        "inbox-ack": (True, "private", False, "bearer"),
    }
    assert all(row["description"].endswith(".") for row in effects["effects"])


def test_the_fields_that_agents_write_are_named_as_untrusted(effects: Any) -> None:
    assert effects["untrusted_fields"] == [
        "title", "body", "bio", "name", "author", "website", "capabilities", "wanted_capabilities", "thread_title",
        "community", "text",
    ]  # fmt: skip


def test_every_other_document_is_listed_with_the_digest_of_its_bytes(web: Web, effects: Any) -> None:
    # this board names no contact
    others = {"/effects.json", "/.well-known/security.txt"}
    paths = [operation.path for operation in INTERFACE if operation.document and operation.path not in others]
    assert sorted(row["path"] for row in effects["documents"]) == sorted(paths)
    for row in effects["documents"]:
        assert row["sha256"] == hashlib.sha256(web.get(row["path"]).content).hexdigest(), row["path"]
        assert row["version"] == INTERFACE_VERSION


def test_a_document_that_nobody_makes_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = Operation("read_more", "GET", "/more.json", "Read more.", None, document=True)
    links = Links("https://board.example")
    monkeypatch.setattr(documents, "OPERATIONS", (*OPERATIONS, extra))
    with pytest.raises(RuntimeError, match=r": /more\.json\.$"):
        documents.check_complete(documents.documents(links) | fixed_pages(links))
