"""Faults of three servers of PostgreSQL under Patroni, and of the etcd in which they agree on the primary."""

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from deploy.compose.servers import ETCD, SERVERS
from tests.chaos.database import check_reads
from tests.chaos.row import AWAY, Fault, Row, Trial
from tests.chaos.servers_board import ServersBoard
from tests.stack.cluster import Cluster

PAUSE_SECONDS = 4.0
Servers = Trial[ServersBoard]
Damage = Callable[[Cluster, str], object]


def combined(damage: Damage, count: int) -> Fault[ServersBoard]:
    """Damage some servers, while the PostgreSQL of the primary crashes and recovers in place."""

    @asynccontextmanager
    async def fault(trial: Servers) -> AsyncIterator[None]:
        cluster, chance = trial.board.cluster, trial.chance
        lead, victims = await to_thread(cluster.leader), chance.sample(SERVERS, count)
        # only a server that runs can crash
        crash = chance.randint(0, victims.index(lead) if lead in victims else count)
        steps = [(damage, each) for each in victims]
        for act, server in (*steps[:crash], (Cluster.crash, lead), *steps[crash:]):
            await to_thread(act, cluster, server)
            await asyncio.sleep(chance.uniform(0, PAUSE_SECONDS))
        yield
        await to_thread(cluster.mend)

    return fault


def fails_over(damage: Damage) -> Fault[ServersBoard]:
    """Damage the primary until another server is the primary and posts are acknowledged."""

    @asynccontextmanager
    async def fault(trial: Servers) -> AsyncIterator[None]:
        cluster = trial.board.cluster
        lead, second, _ = await to_thread(cluster.others)
        await to_thread(damage, cluster, lead)
        await to_thread(cluster.until_led_by_another, lead, second)
        await trial.traffic.progress(10)
        yield
        await to_thread(cluster.mend)

    return fault


@asynccontextmanager
async def crashed(trial: Servers) -> AsyncIterator[None]:
    """Kill the PostgreSQL of the primary, but not Patroni."""
    cluster = trial.board.cluster
    await to_thread(cluster.crash, await to_thread(cluster.leader))
    await refusals(trial, 1)
    yield


@asynccontextmanager
async def etcd_member_lost(trial: Servers) -> AsyncIterator[None]:
    """Kill a member of etcd."""
    cluster, member = trial.board.cluster, trial.chance.choice(ETCD)
    await to_thread(cluster.kill, member)
    yield
    await to_thread(cluster.start, member)


@asynccontextmanager
async def etcd_leader_lost(trial: Servers) -> AsyncIterator[None]:
    """Kill the leader of etcd; the primary stays the same."""
    cluster = trial.board.cluster
    lead = await to_thread(cluster.leader)
    await to_thread(cluster.kill, await to_thread(cluster.etcd_leader))
    await trial.traffic.progress(20)
    yield
    await to_thread(cluster.mend)
    trial.expect(await to_thread(cluster.leader) == lead, "another server is the primary")


@asynccontextmanager
async def followers_lost(trial: Servers) -> AsyncIterator[None]:
    """Kill a follower, which nobody notices, and then the other one."""
    cluster = trial.board.cluster
    lead, *followers = await to_thread(cluster.others)
    await to_thread(cluster.kill, followers[0])
    await trial.traffic.progress(20)
    trial.expect(not trial.callers.failures, f"with one follower, calls failed: {trial.callers.examples}")
    await to_thread(cluster.kill, followers[1])
    await acknowledges_nothing(trial)
    await check_reads(trial)
    yield
    await to_thread(cluster.mend)
    trial.expect(await to_thread(cluster.leader) == lead, "another server is the primary")


@asynccontextmanager
async def two_lost(trial: Servers) -> AsyncIterator[None]:
    """Kill two of three machines, each with a server and a member of etcd."""
    cluster = trial.board.cluster
    lead, second, _ = await to_thread(cluster.others)
    await to_thread(cluster.kill, lead, second, *ETCD[:2])
    await acknowledges_nothing(trial)
    yield
    await to_thread(cluster.mend)


@asynccontextmanager
async def switchover(trial: Servers) -> AsyncIterator[None]:
    """Let a follower take the place of the primary, as planned."""
    cluster = trial.board.cluster
    await to_thread(cluster.switch_to, (await to_thread(cluster.others))[1])
    yield


async def acknowledges_nothing(trial: Servers) -> None:
    """Wait until calls fail, and note whether a post is acknowledged from then on."""
    await refusals(trial, 5)
    before = len(trial.traffic.acknowledged)
    await refusals(trial, 5)
    trial.expect(len(trial.traffic.acknowledged) == before, "a post was acknowledged that one server has")


async def refusals(trial: Servers, count: int) -> None:
    """Return when this many more calls have failed."""
    goal = trial.callers.failures.total() + count
    async with asyncio.timeout(60):
        while trial.callers.failures.total() < goal:
            trial.traffic.raise_failure()
            await asyncio.sleep(0.05)


KEPT = "nothing acknowledged is lost, one primary, ids never reused"


def row(name: str, fault: Fault[ServersBoard], promise: str = KEPT) -> Row:
    return Row(name, promise, fault, AWAY, tests=("tests/stack/test_patroni.py",), places=("servers",))


# what the nemesis chooses among
PAIRS = (
    row("server-lost", combined(Cluster.kill, 1)),
    row("servers-lost", combined(Cluster.kill, 2)),
    row("server-cut", combined(Cluster.disconnect, 1)),
    row("servers-cut", combined(Cluster.disconnect, 2)),
    row("server-frozen", combined(Cluster.freeze, 1)),
    row("etcd-member-lost", etcd_member_lost),
)
ALONE = (
    row("primary-lost", fails_over(Cluster.kill)),
    row("primary-crashes", crashed),
    row("primary-disk-lost", fails_over(Cluster.lose_disk)),
    row("primary-cut", fails_over(Cluster.disconnect)),
    row("primary-frozen", fails_over(Cluster.freeze)),
    row("followers-lost", followers_lost, "without a follower, nothing is acknowledged"),
    row("two-lost", two_lost, "without a follower, nothing is acknowledged"),
    row("switchover", switchover),
    row("etcd-leader-lost", etcd_leader_lost),
)
ROWS = (*PAIRS, *ALONE)
