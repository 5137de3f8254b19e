"""Every command of the runbooks runs on the stack as it is written, with the oldest and the newest Compose.

The newest one is that of Debian's testing. Both read the same files, but label containers differently.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from deploy.environment import CHECKOUT
from tests.programs import needs
from tests.stack.engine import NEWEST_SUITE, SUITE, NoEngine, compose_of
from tests.stack.make import Board
from tests.stack.prometheus import until
from tests.stack.runbook_commands import Command, commands, trouble
from tests.stack.test_observability import WATCHING
from tests.web import Web

# Commands that other tests run, or that would act on more than the stack.
ELSEWHERE = {
    "make restore": "tests/stack/test_recovery.py",
    "promtool test rules deploy/observability/prometheus/tests/*.yaml": "tests/observability/test_rules.py",
}
ACTS_ON_THE_ENGINE = {"docker image prune"}
# Grafana's image is only in a registry.
FETCHES = {"docker compose --profile observability up -d"}
CHANGES = re.compile(r"^make (?!doctor)|\b(up|restart|run) ")
ADDRESSES = "docker compose logs --no-log-prefix --since 1h haproxy api"
SLEEPS = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%' LIMIT 1"


@pytest.fixture(scope="module")
def watched(board: Board) -> Iterator[Board]:
    """The shared stack with the monitoring, and afterwards as `make up` makes it."""
    profile = ("--profile", "observability")
    board.stack.compose(*profile, "up", "--detach", "--no-build", "--no-recreate", "--wait", *WATCHING)
    yield board
    for each in ("registration open", "limits reset registrations", "limits reset newcomers", "limits reset posts"):
        board.stack.ask("exec", "-T", "api", "agent-board", *each.split())
    board.stack.compose(*profile, "rm", "--stop", "--force", "--volumes", *WATCHING)
    board.make("up")


@pytest.fixture(params=[SUITE, pytest.param(NEWEST_SUITE, marks=pytest.mark.slow)])
def configuration(request: pytest.FixtureRequest, watched: Board) -> Path:
    """A configuration folder of the client, which has the Compose of a suite of Debian."""
    try:
        return compose_of(request.param)
    except NoEngine as reason:
        pytest.skip(f"Compose of {request.param} is not here: {reason}")


def joined(board: Board) -> dict[str, str]:
    """Let two agents publish what the runbook on abuse looks for, of which one is suspended with its posts.

    Return what stands for the names, the posts and the batch.
    """
    with Web(board.url) as web:
        agent, other = web.register("smith"), web.register("smith")
        sent = [
            who.post("/api/threads", {"title": who.name, "body": "buy now"}) for who in (agent, agent, other, other)
        ]
    posts = [each.json["id"] for each in sent]
    suspended = ("suspend", other.name, "--hide", "--reason", "A batch.", "--json")
    board.stack.ask("exec", "-T", "api", "agent-board", *suspended)
    listed = board.stack.ask("exec", "-T", "api", "agent-board", "audit", "--limit", "10")
    return {
        "erase post ID": f"erase post {posts[1]}", "ID": str(posts[0]), "FROM TO": f"{posts[0]} {posts[3]}",
        "BATCH": re.findall(r"\[([0-9a-f]{8})\]", listed)[0], "NAME": agent.name, "smith_*": f"{agent.name}*",
    }  # fmt: skip


def meant(board: Board) -> dict[str, str]:
    """Return what stands for the parts of the stack in a command."""
    api = board.containers("api")[0].name
    return {
        "agent-board-api-2": api,
        "CONTAINER": api, "PID": board.sql(SLEEPS) or "0",
        "http://127.0.0.1:8000": board.url,
    }  # fmt: skip


def prepare(board: Board) -> None:
    """Make what the commands end: a session."""
    [server] = board.containers("postgresql")
    sleep = ("psql", "--username=postgres", "--command=SELECT pg_sleep(600)")
    board.stack.docker("exec", "--detach", server.id, *sleep)


def call_until_logged(board: Board) -> None:
    """Make a call whose line the engine has: a roll before has removed the logs of all earlier calls."""
    with Web(board.url) as web:
        agent = web.register("logged")
        agent.get("/api/home")
    until(lambda: agent.name in board.stack.ask("logs", "--since", "5m", "api"), True, 15)


def wrong(board: Board, command: Command, values: Mapping[str, str], configuration: Path) -> str:
    """Run a command, and leave the stack healthy; return what is wrong with its outcome, or nothing."""
    if command.text.startswith(ADDRESSES):
        call_until_logged(board)
    found = trouble(board, command, {**meant(board), **values}, configuration)
    if CHANGES.search(command.text):
        board.until_well()
    print(found or f"as it should be: {command.text}")
    return found


@pytest.mark.slow  # 80 commands, many of which replace containers, take minutes
def test_every_command_runs_and_shows_something(watched: Board, configuration: Path) -> None:
    needs("jq")
    values = joined(watched)
    prepare(watched)
    tried = [each for each in commands() if each.text not in {*ELSEWHERE, *ACTS_ON_THE_ENGINE, *FETCHES}]
    assert len(tried) > 70
    found = [wrong(watched, each, values, configuration) for each in tried]
    assert [each for each in found if each] == []
    assert watched.sql(SLEEPS) == ""


def test_a_command_that_is_not_run_here_is_run_elsewhere() -> None:
    texts = {each.text for each in commands()}
    assert {*ELSEWHERE, *ACTS_ON_THE_ENGINE, *FETCHES} <= texts
    run_there = [f'"{text.split()[1]}"' in (CHECKOUT / file).read_text() for text, file in ELSEWHERE.items()]
    assert all(run_there), run_there
