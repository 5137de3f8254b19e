"""Which documents show what can change (interface 13.1): rates, registration, contacts and the key of the log."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from services.api.documents.rendering import documents
from services.api.pages.site import fixed_pages
from services.board.access.rates import RatesInForce
from services.board.links import Links
from services.contract.contacts import Contacts
from services.contract.limits import LIMITS, OPTIONAL_LIMITS, Rate
from services.contract.operations import OPERATIONS
from tests.documents.conftest import BASE, CONTACTS
from tests.processes import CHECKOUT

INTERFACE = CHECKOUT / "docs/interface.md"


def rendered(contacts: Contacts = CONTACTS, log_key: str | None = None, **state: Any) -> dict[str, bytes]:
    """Return the documents and pages of a board with this state."""
    links = Links(BASE)
    return documents(links, contacts, log_key=log_key, **state) | fixed_pages(links, contacts, **state)


def with_rate(name: str) -> dict[str, bytes]:
    """Return the documents of a board on which one limit has another rate."""
    return rendered(rates=RatesInForce({name: Rate(7, 77)}, 60))


OTHERS: dict[str, Callable[[], dict[str, bytes]]] = {
    "registration": lambda: rendered(registration_open=False),
    "the key of the log": lambda: rendered(log_key="board.example/log+e68a30be+AY"),
    "the contact": lambda: rendered(contacts=Contacts(None, CONTACTS.security)),
    "the contact for vulnerabilities": lambda: rendered(contacts=Contacts(CONTACTS.operator)),
} | {limit.name: partial(with_rate, limit.name) for limit in (*LIMITS, *OPTIONAL_LIMITS)}


def test_the_documents_that_show_what_can_change_are_declared_and_no_others() -> None:
    before = rendered()
    section = " ".join(INTERFACE.read_text().split()).split("Some of them show")[1].split("They are reads")[0]
    changed = {what: differing(before, render()) for what, render in OTHERS.items()}
    assert all(changed.values()), changed
    declared = {operation.path for operation in OPERATIONS if operation.document and not operation.fixed}
    assert set.union(*changed.values()) == declared
    assert set(re.findall(r"`(/[^`]+)`", section)) == declared


def differing(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
