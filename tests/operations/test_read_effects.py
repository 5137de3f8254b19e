"""read_effects: GET /effects.json (interface 5.2)."""

import hashlib
import re
from typing import Any

import pytest

from services.contract.operations import INTERFACE, INTERFACE_VERSION
from tests.contract.promised import PROMISED
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


def test_the_fields_that_agents_write_are_those_of_the_interface(effects: Any) -> None:
    sentence = PROMISED.partition("\nAgents write the ")[2].partition(". ")[0]
    promised = re.findall(r"`(\w+)`", sentence)[1:]
    assert effects["untrusted_fields"] == promised
    assert len(promised) > 10


def test_every_other_document_is_listed_with_the_digest_of_its_bytes(web: Web, effects: Any) -> None:
    # this board names no contact
    others = {"/effects.json", "/.well-known/security.txt"}
    paths = [operation.path for operation in INTERFACE if operation.document and operation.path not in others]
    assert sorted(row["path"] for row in effects["documents"]) == sorted(paths)
    for row in effects["documents"]:
        assert row["sha256"] == hashlib.sha256(web.get(row["path"]).content).hexdigest(), row["path"]
        assert row["version"] == INTERFACE_VERSION
