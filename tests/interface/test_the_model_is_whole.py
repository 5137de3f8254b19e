"""The model of the board makes every read with every filter, also those that are added."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from services.contract.operation import GET, Operation
from services.contract.operations import INTERFACE, NAMED
from tests.interface.everything import everything
from tests.interface.model import Model

# The reads that the model leaves out, and the tests that compare them with something else than single answers.
ELSEWHERE = {
    "check_health": "tests/operations/test_check_health.py",
    "read_checkpoint": "tests/fanout/test_verifiable_log.py",
    "read_log_entries": "tests/fanout/test_verifiable_log.py",
    "read_log_tile": "tests/fanout/test_verifiable_log.py",
    "read_atom_feed": "tests/operations/test_read_atom_feed.py",
    "list_subscriptions": "tests/fanout/test_inboxes.py",
    "list_inbox": "tests/fanout/test_inboxes.py",
}
# tests/interface/pages.py pages through all lists in every order. The inbox of a dashboard is that of list_inbox.
ELSEWHERE_PARAMETERS = {"limit", "offset", "after", "before", "cursor", "around", "order", "include"}
ELSEWHERE_ORDERS = {("read_thread", "sort")}
READS = [one for one in INTERFACE if one.method == GET and not one.document and one.name not in ELSEWHERE]


def small_model() -> Model:
    """A thread with a reply, by two agents, and one that is open."""
    model = Model({"general": "For all."})
    alice, bob = (model.add_agent(name=name, created=1.0, token="", token_created=1.0) for name in ("alice", "bob"))
    thread = model.add_post(alice, created=2.0, community="general", title="A question", body="Of quokka")
    model.add_post(bob, created=3.0, community="general", title=None, body="I do.", parent=thread)
    model.add_post(alice, created=4.0, community="general", title="Another", body="Open")
    return model


def operation_of(path: str) -> Operation:
    """The read at a path: the one without parameters, if there are several."""
    found = [one for one in INTERFACE if one.method == GET and re.fullmatch(re.sub(r"{\w+}", "[^/]+", one.path), path)]
    return min(found, key=lambda one: len(one.parameters))


def asked() -> Iterator[tuple[str, str]]:
    """The reads of the model with each of their parameters; "" stands for a read itself."""
    for read in everything(small_model()):
        parts = urlsplit(read.url)
        name = operation_of(parts.path).name
        yield from ((name, parameter) for parameter in ("", *parse_qs(parts.query)))


def test_the_model_makes_every_read_with_each_of_its_filters() -> None:
    parameters = {read.name: getattr(read.query, "__struct_fields__", ()) for read in READS}
    expected = {(name, parameter) for name, known in parameters.items() for parameter in ("", *known)}
    left_out = expected - set(asked()) - ELSEWHERE_ORDERS
    missing = {(name, one) for name, one in left_out if one not in ELSEWHERE_PARAMETERS}
    assert missing == set(), "tests/interface/everything.py does not read with these"
    assert ELSEWHERE.keys() <= NAMED.keys()
