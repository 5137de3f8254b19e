"""Faults of three servers of PostgreSQL under Patroni, and of the etcd in which they agree on the primary."""

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from deploy.compose.servers import ETCD, SERVERS
from tests.chaos.database import check_reads
from tests.chaos.row import AWAY, Fault, Row, Trial
from tests.chaos.servers_board import ServersBoard
from tests.stack.cluster import Cluster

PAUSE_SECONDS = 4.0
Servers = Trial[ServersBoard]
Damage = Callable[[Cluster, str], object]
Mend = Callable[[Cluster], None]
Act = Callable[[Servers, Cluster], Awaitable[None]]


def mended(act: Act, *, mend: Mend = Cluster.mend, same: bool = False) -> Fault[ServersBoard]:
    """Damage servers, and mend them in the end; the primary may have to stay the same."""

    @asynccontextmanager
    async def fault(trial: Servers) -> AsyncIterator[None]:
        cluster = trial.board.cluster
        lead = await to_thread(cluster.leader) if same else ""
        await act(trial, cluster)
        yield
        await to_thread(mend, cluster)
        trial.expect(not same or await to_thread(cluster.leader) == lead, "another server is the primary")

    return fault


def combined(damage: Damage, count: int) -> Fault[ServersBoard]:
    """Damage some servers, while the PostgreSQL of the primary crashes and recovers in place."""

    async def act(trial: Servers, cluster: Cluster) -> None:
        lead, victims = await to_thread(cluster.leader), trial.chance.sample(SERVERS, count)
        # only a server that runs can crash
        crash = trial.chance.randint(0, victims.index(lead) if lead in victims else count)
        steps = [(damage, each) for each in victims]
        for harm, server in (*steps[:crash], (Cluster.crash, lead), *steps[crash:]):
            await to_thread(harm, cluster, server)
            await asyncio.sleep(trial.chance.uniform(0, PAUSE_SECONDS))

    return mended(act)


async def outlive(trial: Servers, cluster: Cluster) -> None:
    """Cut both followers off, let the primary crash and recover in place, and lose it before they return."""
    lead, *followers = await to_thread(cluster.others)
    for follower in followers:
        await to_thread(cluster.disconnect, follower)
    for harm in (cluster.crash, cluster.kill):
        await asyncio.sleep(trial.chance.uniform(1, PAUSE_SECONDS))
        await to_thread(harm, lead)
    await to_thread(cluster.mend, *followers)
    # the one that was cut off last has all that the other one has
    await to_thread(cluster.fail_over, lead, followers[-1])


def fails_over(damage: Damage) -> Fault[ServersBoard]:
    """Damage the primary until another server is the primary and posts are acknowledged."""

    async def act(trial: Servers, cluster: Cluster) -> None:
        lead, second, _ = await to_thread(cluster.others)
        await to_thread(damage, cluster, lead)
        await to_thread(cluster.until_led_by_another, lead, second)
        await trial.traffic.progress(10)

    return mended(act)


async def crash(trial: Servers, cluster: Cluster) -> None:
    """Kill the PostgreSQL of the primary, but not Patroni."""
    await to_thread(cluster.crash, await to_thread(cluster.leader))
    await refusals(trial, 1)


async def lose_a_member(trial: Servers, cluster: Cluster) -> None:
    """Kill a member of etcd."""
    await to_thread(cluster.kill, trial.chance.choice(ETCD))


async def lose_the_leader_of_etcd(trial: Servers, cluster: Cluster) -> None:
    await to_thread(cluster.kill, await to_thread(cluster.etcd_leader))
    await trial.traffic.progress(20)


async def lose_followers(trial: Servers, cluster: Cluster) -> None:
    """Kill a follower, after which no call may fail, and then the other one."""
    _, *followers = await to_thread(cluster.others)
    await to_thread(cluster.kill, followers[0])
    await trial.traffic.progress(20)
    trial.expect(not trial.callers.failures, f"with one follower, calls failed: {trial.callers.examples}")
    await to_thread(cluster.kill, followers[1])
    await acknowledges_nothing(trial)
    await check_reads(trial)


async def lose_two(trial: Servers, cluster: Cluster) -> None:
    """Kill two of three machines, each with a server and a member of etcd."""
    lead, second, _ = await to_thread(cluster.others)
    await to_thread(cluster.kill, lead, second, *ETCD[:2])
    await acknowledges_nothing(trial)


async def switch(trial: Servers, cluster: Cluster) -> None:
    """Let a follower take the place of the primary, as planned."""
    await to_thread(cluster.switch_to, (await to_thread(cluster.others))[1])


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
    return Row(name, promise, fault, AWAY, places=("servers",))


# the nemesis chooses among these
PAIRS = (
    row("server-lost", combined(Cluster.kill, 1)),
    row("servers-lost", combined(Cluster.kill, 2)),
    row("server-cut", combined(Cluster.disconnect, 1)),
    row("servers-cut", combined(Cluster.disconnect, 2)),
    row("server-frozen", combined(Cluster.freeze, 1)),
    row("primary-outlived", mended(outlive)),
    row("etcd-member-lost", mended(lose_a_member, mend=lambda cluster: cluster.start(*ETCD))),
)
ALONE = (
    row("primary-lost", fails_over(Cluster.kill)),
    row("primary-crashes", mended(crash)),
    row("primary-disk-lost", fails_over(Cluster.lose_disk)),
    row("primary-cut", fails_over(Cluster.disconnect)),
    row("primary-frozen", fails_over(Cluster.freeze)),
    row("followers-lost", mended(lose_followers, same=True), "without a follower, nothing is acknowledged"),
    row("two-lost", mended(lose_two), "without a follower, nothing is acknowledged"),
    row("switchover", mended(switch)),
    row("etcd-leader-lost", mended(lose_the_leader_of_etcd, same=True)),
)
ROWS = (*PAIRS, *ALONE)
