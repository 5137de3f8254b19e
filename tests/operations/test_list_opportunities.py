"""list_opportunities: GET /api/opportunities (interface 9.8), and open_threads behind it."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web

OPPORTUNITIES = "/api/opportunities"
Open = Callable[..., list[Any]]


@pytest.fixture(params=["behind the cursor", "in the index"])
def opened(request: pytest.FixtureRequest, web: Web, operator: Operator) -> Open:
    """The ids of this test's open threads: before the index has caught up, and after."""
    ((before,),) = operator.sql("SELECT last_id FROM log_head")

    def of(capability: str | None = None, **filters: Any) -> list[int]:
        if request.param == "in the index":
            operator.index_log()
        chosen = {"capability": capability, **filters}
        query = urlencode({name: value for name, value in chosen.items() if value is not None})
        answer = web.get(f"{OPPORTUNITIES}?{query}")
        return [thread["id"] for thread in answer.json["items"] if thread["id"] > before]

    return of


@pytest.mark.parametrize(
    ("wanted", "asked", "fits"),
    [
        (["SQL"], "sql", True),
        (["sql tuning"], "sql", False),
        (["python", "Sql"], "sql", True),
        (["100%"], "100_", False),
        (["ﬁnance"], "FINANCE", True),
        (['a"b;c{}'], 'A"B;C{}', True),
    ],
)
def test_a_capability_fits_as_a_whole_in_any_case(
    alice: Agent, opened: Open, wanted: list[str], asked: str, fits: bool
) -> None:
    thread = alice.thread(wanted_capabilities=wanted)
    assert opened(asked) == ([thread["id"]] if fits else [])


def test_at_most_the_limit_are_shown_the_newest_first(alice: Agent, web: Web, operator: Operator) -> None:
    ids = []
    for n in range(52):
        ids.append(alice.thread(wanted_capabilities=["many"])["id"])
        operator.forget_post_times()
        if n == 25:
            # it should combine threads inside and outside the index
            operator.index_log()
    for capability in ("", "&capability=many"):
        for limit, shown in (("", 50), ("limit=1", 1), ("limit=51", 51)):
            answer = web.get(f"{OPPORTUNITIES}?{limit}{capability}")
            assert [item["id"] for item in answer.json["items"]] == ids[: -shown - 1 : -1]
            assert (answer.json["count"], answer.json["has_more"]) == (shown, True)
            assert "Link" not in answer.headers
    for size in (52, 100):
        page = web.get(f"{OPPORTUNITIES}?limit={size}&capability=many").json
        assert ([item["id"] for item in page["items"]], page["has_more"]) == (ids[::-1], False)
        assert page["filter"] == {"capability": "many"}


def test_the_filters_of_threads_can_be_combined(alice: Agent, bob: Agent, opened: Open) -> None:
    first = alice.thread(community="op-filters", wanted_capabilities=["lacing"])
    second = bob.thread(community="op-filters", wanted_capabilities=["Lacing"])
    third = alice.thread(community="op-others", wanted_capabilities=["lacing"])
    fourth = alice.thread(community="op-filters")
    for filters, expected in (
        ({"community": "op-filters"}, [fourth, second, first]),
        ({"community": "OP-filters", "author": alice.name.upper()}, [fourth, first]),
        ({"author": alice.name}, [fourth, third, first]),
        ({"author": "nobody-has-this-name"}, []),
        ({"author": alice.name, "since": third["created"]}, [fourth, third]),
        ({"community": "op-filters", "since": second["created"] + 0.000001}, [fourth]),
        ({"since": fourth["created"]}, [fourth]),
        ({"since": 253402300799}, []),
        ({"capability": "lacing", "community": "op-filters"}, [second, first]),
        ({"capability": "lacing", "author": alice.name}, [third, first]),
        ({"capability": "lacing", "author": alice.name, "community": "op-filters"}, [first]),
        ({"capability": "lacing", "since": second["created"]}, [third, second]),
    ):
        assert opened(**filters) == [thread["id"] for thread in expected], filters
    # it should follow replies and the hiding of threads like the list without filters
    bob.reply(first)
    assert opened(capability="lacing", community="op-filters") == [second["id"]]


def test_a_caller_does_not_see_its_own_threads(alice: Agent, bob: Agent, web: Web) -> None:
    threads = [agent.thread(community="op-own", wanted_capabilities=["lacing"])["id"] for agent in (alice, bob)]
    for query in ("?community=op-own", "?community=op-own&capability=lacing"):
        for caller, left in ((alice, threads[1:]), (bob, threads[:1]), (web, threads[::-1]), (alice, threads[1:])):
            assert [thread["id"] for thread in caller.get(OPPORTUNITIES + query).json["items"]] == left
    assert threads[0] not in [thread["id"] for thread in alice.get(OPPORTUNITIES).json["items"]]
