"""The board and a plain model of it give the same answers after any sequence of steps by agents, operators and readers.

A tour takes each step, and Hypothesis chooses others. After each step every read of the interface is compared, in whole
records. The reads are conditional: a resource must answer 304 if it has not changed, and must not if it has. Documents
are compared after each command of operators: tests/operator/test_reads_after_commands.py.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from services.contract.limits import Rate
from services.contract.requests.bodies import ProfileChange
from tests.contract.values import two_values
from tests.interface.board import Board
from tests.interface.everything import everything
from tests.interface.model import Agent
from tests.interface.pages import Pages

# Each run chooses other steps, also in a pipeline. A failure prints the shortest failing sequence of steps, and a
# @reproduce_failure that repeats them when it is placed above OnThisBoard.
SHORT = settings(
    derandomize=False,
    max_examples=2,
    stateful_step_count=12,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
LONG = settings(SHORT, max_examples=40, stateful_step_count=15)


class BoardIsItsModel(Pages):
    """All steps, and the checks after each."""

    @invariant()
    def everything_read_equals_the_model(self) -> None:
        self.board.operator.stop_the_clock()
        self.compared.compare(everything(self.model), conditionally=True)

    def teardown(self) -> None:
        """Compare every answer in full once more at the end."""
        self.compared.compare(everything(self.model))
        self.use_old_tokens()


@pytest.mark.parametrize("profile", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)], ids=["short", "long"])
def test_the_board_is_its_model(board: Board, profile: settings) -> None:
    class OnThisBoard(BoardIsItsModel):
        def __init__(self) -> None:
            super().__init__(board)

    run_state_machine_as_test(OnThisBoard, settings=profile)


# The steps that change nothing compare what they read themselves.
READING = ("list_", "read_", "follow_")


def tour(machine: Pages) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every step, with arguments that lead to each of its ends."""
    alice, bob = machine.model.agents
    asked, answered, _, first, second = machine.model.posts
    sent = {
        "title": "On quokka",
        "body": "Who knows?",
        "community": "Dogs",
        "wanted_capabilities": ["SQL", "sql", " Rust"],
    }
    for key in ("k1", '"k1"'):
        yield "create_thread", {"agent": alice, "sent": sent, "key": key}
    for changed in (False, True):
        yield "send_again", {"post": machine.model.posts[-1], "changed": changed}
    yield "create_reply", {"agent": bob, "thread": asked, "sent": {"body": "I do.", "confidence": 0.85}, "key": None}
    yield "answer_reply", {"agent": alice, "to": first, "sent": {"body": "Tell me of quokka please"}, "key": "k2"}
    for thread, to in ((asked, first), (asked, answered), (answered, first)):
        yield "answer_across", {"agent": bob, "thread": thread, "to": to}
    yield "vote", {"post": asked, "votes": [(1, 1), (0, -1), (1, 0), (1, 0)]}
    yield "hide", {"post": second, "reason": "Spam.", "shown_again": False}
    for agent, after in ((alice, None), (bob, 0), (bob, 4)):
        yield "follow_streams", {"agent": agent, "after": after, "limit": 2}
    yield "read_replies_in_other_orders", {"thread": answered, "sort": "score", "limit": 1}
    yield "unhide", {"post": second}
    yield "hide", {"post": answered, "reason": "Off topic.", "shown_again": True}
    yield "hide", {"post": first, "reason": "Spam.", "shown_again": True}
    yield "read_replies_in_other_orders", {"thread": answered, "sort": "new", "limit": 1}
    yield "list_agent_posts", {"agent": bob, "before": None, "limit": 1}
    for sort, here, author in (("new", False, alice), ("active", True, None), ("popular", False, None)):
        yield "list_threads", {"sort": sort, "here": here, "author": author, "limit": 2, "offset": 0, "as_of": None}
    yield (
        "list_threads",
        {"sort": "new", "here": False, "author": None, "limit": 1, "offset": 1, "as_of": asked.created},
    )
    for sort, q, capability in (("new", "quokka", None), ("popular", None, "RUST"), ("name", None, None)):
        yield "list_agents_and_replies", {
            "sort": sort, "q": q, "capability": capability, "thread": answered, "limit": 1, "offset": 0,
        }  # fmt: skip
    yield from tour_of_accounts(alice, bob)
    yield "sign", {}
    yield "erase_post", {"post": first}
    yield "erase_agent", {"agent": bob}
    yield "post_until_refused", {"agent": alice, "thread": asked}
    yield "let_a_minute_pass", {}


def tour_of_accounts(alice: Agent, bob: Agent) -> Iterator[tuple[str, dict[str, Any]]]:
    values = two_values(ProfileChange)
    profile = {name: one for name, (one, _) in values.items()} | {"bio": "I know quokka well", "capabilities": ["c++"]}
    for name in ("Dora K. Lin", "dora k. lin"):
        yield "register", {"name": name, "profile": profile, "discovered_via": "search"}
    yield "register_sample", {}
    # one field at a time: a change of each is a change
    for change in (profile, profile, *({name: other} for name, (_, other) in values.items())):
        yield "update_me", {"agent": bob, "profile": change}
    for key in (None, "a-key-of-16-char"):
        yield "rotate_token", {"agent": bob, "key": key}
    for restored_again in (True, False):
        yield "suspend", {"agent": bob, "restored_again": restored_again}
    yield "restore", {"agent": bob}
    for change in ({"bio": ""}, dict.fromkeys(values) | {"website": ""}):
        yield "update_me", {"agent": bob, "profile": change}
    for operator in (True, False):
        yield "mark", {"agent": alice, "operator": operator}
    yield "describe", {"text": "About that."}
    yield "set_rate", {"name": "votes", "rate": Rate(7, 60)}
    yield "limit_newcomers", {"rate": Rate(8, 120)}
    yield "reset_rate", {"name": "newcomers"}
    for is_open in (False, True):
        yield "set_registration", {"is_open": is_open}
        yield "register", {"name": "e_ve", "profile": {}, "discovered_via": None}


def test_the_board_is_its_model_after_every_step(board: Board) -> None:
    machine = BoardIsItsModel(board)
    made = set()
    for name, arguments in tour(machine):
        made.add(name)
        getattr(machine, name)(**arguments)
        if not name.startswith(READING):
            machine.everything_read_equals_the_model()
    machine.teardown()
    assert made == {rule.function.__name__ for rule in machine.rules}
