"""A board on a cluster changes, loses pods and recovers under load: nothing acknowledged is lost or doubled.

A call may fail only where the documents say so: while PostgreSQL is away, and when a process is killed in the middle of
a call.
"""

from collections.abc import Iterator

import pytest

from tests.chaos.lasting import LastingTraffic
from tests.chaos.row import AWAY, CUT
from tests.cluster.board import ClusterBoard, until

OURS = ("limiter", "api", "fanout", "haproxy")


@pytest.fixture
def traffic(board: ClusterBoard, figures: dict[str, str], request: pytest.FixtureRequest) -> Iterator[LastingTraffic]:
    """Agents that publish and read; the report shows what became of their calls."""
    traffic = LastingTraffic(board)
    yield traffic
    figures[request.node.name] = traffic.figures()


@pytest.mark.parametrize("component", OURS)
def test_a_roll_fails_no_call(board: ClusterBoard, traffic: LastingTraffic, component: str) -> None:
    before = board.pods(component)
    with traffic:
        traffic.until(10)
        board.roll(component)
        traffic.until(10)
    after = board.pods(component)
    assert len(after) == len(before)
    assert not after.keys() & before.keys()
    traffic.check()


@pytest.mark.parametrize("component", OURS)
def test_an_eviction_respects_the_budget_and_fails_no_call(
    board: ClusterBoard, traffic: LastingTraffic, component: str
) -> None:
    first, second = sorted(board.pods(component))
    with traffic:
        traffic.until(10)
        assert board.evict(first)
        # a drain of the other node must wait until the evicted pod has been replaced
        assert not board.evict(second)
        board.until_complete()
        board.until_gone(component)
        traffic.until(10)
    assert first not in board.pods(component)
    assert second in board.pods(component)
    traffic.check()


def test_a_drain_of_all_api_processes_fails_no_call(board: ClusterBoard, traffic: LastingTraffic) -> None:
    """HAProxy may still know only the old addresses when the last of their pods is evicted."""
    before = sorted(board.pods("api"))
    with traffic:
        traffic.until(10)
        for pod in before:
            until(lambda pod=pod: board.evict(pod), f"{pod} is not evicted")  # type: ignore[misc]
        board.until_complete()
        board.until_gone("api")
        traffic.until(10)
    assert not set(before) & board.pods("api").keys()
    traffic.check()


@pytest.mark.parametrize("component", OURS)
def test_a_pod_that_is_lost_is_replaced(board: ClusterBoard, traffic: LastingTraffic, component: str) -> None:
    victim = min(board.pods(component))
    with traffic:
        traffic.until(10)
        board.kill(victim)
        board.until_complete()
        traffic.until(10)
    assert victim not in board.pods(component)
    allowed = () if component in ("limiter", "fanout") else CUT
    traffic.check(allowed)


def test_postgresql_is_lost_and_comes_back(board: ClusterBoard, traffic: LastingTraffic) -> None:
    lost = board.pods("postgresql")["postgresql-0"]["metadata"]["uid"]
    with traffic:
        traffic.until(10)
        board.kill("postgresql-0")
        until(lambda: uid_of(board, "postgresql-0") not in ("", lost), "it was not replaced")
        board.until_complete()
        traffic.until(10)
    traffic.check(AWAY)


def uid_of(board: ClusterBoard, name: str) -> str:
    """Return the identity of a pod, or nothing while it does not exist."""
    pod = board.pods(name.rpartition("-")[0]).get(name)
    return str(pod["metadata"]["uid"]) if pod else ""


def test_valkey_is_lost_and_no_call_fails(board: ClusterBoard, traffic: LastingTraffic) -> None:
    [lost] = board.pods("valkey")
    with traffic:
        traffic.until(10)
        board.kill(lost)
        board.until_complete()
        traffic.until(10)
    assert lost not in board.pods("valkey")
    traffic.check()
