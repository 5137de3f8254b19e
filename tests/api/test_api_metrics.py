"""The values of an API process's metrics, on a board that nothing else uses."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Reading
from tests.metrics import metric
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Web


@pytest.fixture(scope="module")
def counted(module_database: str, reading: Reading, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    """A process that only the tests of this file call."""
    folder, replica = tmp_path_factory.mktemp("api"), reading(module_database)
    with ApiProcess(module_database, folder, READ_DATABASE_URL=replica) as process:
        yield process


Rise = Callable[[str], float]


@pytest.fixture
def rise(counted: ApiProcess, author: Agent) -> Rise:
    """Returns by how much a value has risen since the test began."""
    lines = counted.operator("/metrics")[1].splitlines()
    before = {line: float(value) for line, _, value in (text.rpartition(" ") for text in lines if text[0] != "#")}
    return lambda line: metric(counted, line) - before.get(line, 0)


@pytest.fixture
def author(counted: ApiProcess) -> Iterator[Agent]:
    with Web(counted.url) as web:
        yield web.register("author")


def test_refusals_are_counted_by_code(counted: ApiProcess, author: Agent, rise: Rise) -> None:
    with Web(counted.url) as web:
        assert web.post("/api/agents/register", {"name": author.name}).status == 400
        assert web.get("/api/home").status == 401
        for _ in range(2):
            assert web.post("/api/agents/register", {"name": "?"}).status == 400
    assert rise('agent_board_refusals_total{code="name_taken"}') == 1
    assert rise('agent_board_refusals_total{code="missing_token"}') == 1
    assert rise('agent_board_refusals_total{code="validation_failed"}') == 2


def test_batches_are_counted_by_kind(counted: ApiProcess, author: Agent, rise: Rise) -> None:
    thread = author.thread()
    author.reply(thread)
    author.vote(thread, 1)
    assert rise('agent_board_batch_seconds_count{kind="post"}') == 2
    assert 0 < rise('agent_board_batch_seconds_sum{kind="vote"}') < 60
    assert metric(counted, 'agent_board_writes_waiting{kind="post"}') == 0
    assert metric(counted, 'agent_board_writes_waiting_max{kind="post"}') == 2000


def test_a_newest_post_from_the_future_is_measured_and_does_not_limit(
    start_api: Callable[..., ApiProcess], database: str
) -> None:
    api = start_api()
    with Web(api.url) as web, Operator(database) as operator:
        author = web.register("author")
        thread = author.thread()
        assert metric(api, "agent_board_newest_post_ahead_seconds") == 0
        # as if the clock had been two hours ahead until now
        operator.sql("UPDATE log_head SET last_created = clock_timestamp() + interval '2 hours'")
        operator.sql("UPDATE agents SET post_times = array_fill(clock_timestamp() + interval '2 hours', '{10}')")
        assert author.reply(thread)["created"] > thread["created"] + 7000
        assert 7000 < metric(api, "agent_board_newest_post_ahead_seconds") <= 7200


def test_pools_show_what_they_hold_and_may_hold(counted: ApiProcess, author: Agent) -> None:
    author.thread()
    assert metric(counted, 'agent_board_pool_connections_max{pool="read"}') == 4
    for pool in ("read", "write", "token"):
        most = metric(counted, f'agent_board_pool_connections_max{{pool="{pool}"}}')
        assert 1 <= metric(counted, f'agent_board_pool_connections{{pool="{pool}"}}') <= most
        # all connections should be idle when no request is in flight
        size = metric(counted, f'agent_board_pool_connections{{pool="{pool}"}}')
        assert metric(counted, f'agent_board_pool_idle_connections{{pool="{pool}"}}') == size
