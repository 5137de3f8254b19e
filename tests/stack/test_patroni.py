"""Three servers under Patroni lose parts under load: nothing acknowledged is lost, and the board returns by itself.

A client follows the verifiable log all the time, and sees one log.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from deploy.compose.servers import ETCD, SERVERS
from deploy.environment import CHECKOUT
from services.board.verifiable_log.checkpoints import POSITION
from tests.stack.cluster import Cluster, disturbed, until
from tests.stack.conftest import started_as
from tests.stack.engine import NEWEST_SUITE, SUITE, compose_of
from tests.stack.following import following
from tests.stack.prometheus import Prometheus
from tests.stack.prometheus import until as until_it_is
from tests.stack.runbook_commands import OF_THREE_SERVERS, commands, trouble
from tests.stack.test_recovery import moment, posts, restore_to, restored_to
from tests.stack.traffic import Traffic
from tests.web import Web

Figures = dict[str, str]
NETWORKS = ("data", "consensus")
NAMES = "SHOW synchronous_standby_names"
WAITING = "SELECT application_name FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@pytest.fixture(scope="module")
def cluster(images: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A board on three servers and a client that follows its log, which all tests of this file share."""
    files = {"COMPOSE_FILE": "compose.yaml:patroni.yaml", "BALLAST_MEBIBYTES": "0"}
    with started_as(Cluster, {**images, **files}, tmp_path_factory.mktemp("patroni"), CHECKOUT) as cluster:
        cluster.until_complete()
        with following(cluster, tmp_path_factory.mktemp("witness")) as cluster.witness:
            yield cluster


@pytest.fixture(autouse=True)
def complete(cluster: Cluster) -> None:
    """Every test finds all servers, whatever a failed one has left."""
    cluster.start(*SERVERS, *ETCD)
    cluster.until_complete()


def test_three_servers_are_one_board(cluster: Cluster) -> None:
    assert cluster.make("doctor").strip().endswith("All is well.")
    _, second, third = cluster.others()
    assert cluster.sql(NAMES) == f"ANY 1 ({second},{third})"
    # it should have waited for a follower from the beginning
    logged = cluster.stack.docker("logs", cluster.container("postgresql").id, errors=True)
    assert "invalid value for parameter" not in logged
    page = cluster.stack.configuration.path("METRICS_DIR") / "followers.prom"
    until(lambda: page.exists() and page.read_text().endswith(" 2\n"))
    shown = dict(line.split() for line in page.read_text().splitlines() if not line.startswith("#"))
    assert shown["agent_board_postgresql_followers"] == "2"


def test_the_monitoring_sees_each_server_and_which_one_is_the_primary(cluster: Cluster) -> None:
    watching = ("prometheus", "targets", "node-exporter", *(f"postgres-exporter{each}" for each in ("", "2", "3")))
    profile = ("--profile", "observability")
    cluster.stack.compose(*profile, "up", "--detach", "--no-build", "--no-deps", "--wait", *watching)
    prometheus = Prometheus(cluster)

    def named(expression: str, label: str = "instance") -> set[str]:
        return {one["metric"][label] for one in prometheus.values(expression)}

    try:
        until_it_is(lambda: named("pg_up == 1"), set(SERVERS))
        disks = 'node_filesystem_avail_bytes{mountpoint=~"/srv/postgresql[23]?"}'
        until_it_is(lambda: named(disks, "mountpoint"), {f"/srv/{each}" for each in SERVERS})
        for server in cluster.others()[1], cluster.others()[0]:
            cluster.switch_to(server)
            cluster.until_complete()
            until_it_is(lambda: named("pg_replication_is_replica == 0"), {cluster.leader()})
        until_it_is(lambda: named("pg_replication_slots_active == 1", "slot_name"), set(cluster.others()[1:]))
        assert prometheus.raised("DatabaseAway") == set()
        cluster.kill(*SERVERS)
        until_it_is(lambda: prometheus.raised("DatabaseAway"), {"DatabaseAway"})
    finally:
        cluster.start(*SERVERS)
        cluster.stack.compose(*profile, "rm", "--stop", "--force", "--volumes", *watching)
    cluster.until_complete()


def test_the_container_of_the_primary_is_lost(cluster: Cluster, figures: Figures) -> None:
    lead, second, _ = cluster.others()
    with disturbed(cluster, figures, "primary lost") as traffic:
        cluster.kill(lead)
        cluster.until_led_by_another(lead, second)
        traffic.until(10)
        cluster.start(lead)


def test_a_segment_that_another_server_has_archived_stops_nothing(cluster: Cluster) -> None:
    """A former primary had written more of its timeline than what the others took over."""
    _, lead, _ = cluster.others()
    cluster.switch_to(lead)
    segment = "000000010000000000000001"
    other = f"cp $(ls 0*0? | tail -n 1) {segment} && touch archive_status/{segment}.ready"
    cluster.inside(lead, "bash", "-euc", f"cd $PGDATA/pg_wal; {other}")
    newest = cluster.sql("SELECT pg_walfile_name(pg_switch_wal())")
    until(lambda: cluster.sql("SELECT last_archived_wal FROM pg_stat_archiver") >= newest)


@pytest.mark.slow
def test_postgresql_crashes_on_the_primary(cluster: Cluster, figures: Figures) -> None:
    with disturbed(cluster, figures, "PostgreSQL crashes") as traffic:
        cluster.crash(cluster.leader())
        traffic.until_refused(1)


@pytest.mark.slow
def test_a_post_that_no_follower_has_is_seen_by_nobody(cluster: Cluster) -> None:
    """The primary recovers in place while its followers are away, and then it is lost."""
    lead, *followers = cluster.others()
    with Web(cluster.url) as web, ThreadPoolExecutor(1) as pool:
        author = web.register()
        before = author.thread()["id"]
        # a checkpoint whose commit waits would keep the post from its own
        until(lambda: cluster.sql(POSITION).split("|")[1] == "0")
        cluster.kill(*followers)
        call = pool.submit(author.post, "/api/threads", {"title": "Lost", "body": "On one server only."})
        until(lambda: "agent-board writes" in cluster.found(WAITING))
        cluster.crash(lead)
        until(lambda: cluster.found("SELECT last_id FROM log_head") == str(before + 1))
        paths = (f"/api/posts/{before + 1}", f"/api/posts/{before}", "/api/activity", "/log/checkpoint")
        assert {path: web.get(path).status for path in paths} == dict.fromkeys(paths, 503)
        assert call.result().status == 503
        cluster.kill(lead)
        cluster.start(*followers)
        until(lambda: cluster.has_no_leader(followers[0]))
        # Patroni itself promotes no follower that was away
        cluster.inside(followers[0], "patronictl", "failover", "--candidate", followers[0], "--force")
        # the load balancer ends connections that were idle for a minute
        web.close()
        until(lambda: web.get(f"/api/posts/{before}").status == 200)
        assert author.thread("In its place")["id"] == before + 1
        cluster.start(lead)
        cluster.until_complete()
        assert web.get(f"/api/posts/{before + 1}").json["title"] == "In its place"
    cluster.witness.saw_one_log()


@pytest.mark.slow
def test_the_disk_of_the_primary_is_lost(cluster: Cluster, figures: Figures) -> None:
    lead, second, _ = cluster.others()
    with disturbed(cluster, figures, "disk of the primary lost"):
        cluster.kill(lead)
        empty = ("--entrypoint", "find", lead, "/var/lib/postgresql", "-mindepth", "1", "-delete")
        cluster.stack.ask("run", "--rm", "--no-deps", "-T", *empty)
        # at once, while etcd still names it
        cluster.start(lead)
        cluster.until_led_by_another(lead, second)


@pytest.mark.slow
def test_the_primary_has_no_network_for_a_while(cluster: Cluster, figures: Figures) -> None:
    lead, second, _ = cluster.others()
    project, cut = cluster.stack.project, cluster.container(lead).id
    with disturbed(cluster, figures, "network of the primary lost"):
        for name in NETWORKS:
            cluster.stack.docker("network", "disconnect", f"{project}_{name}", cut)
        try:
            cluster.until_led_by_another(lead, second)
        finally:
            for name in NETWORKS:
                cluster.stack.docker("network", "connect", "--alias", lead, f"{project}_{name}", cut)


@pytest.mark.slow
def test_a_primary_that_was_frozen_returns_as_a_stale_one(cluster: Cluster, figures: Figures) -> None:
    lead, second, _ = cluster.others()
    frozen = cluster.container(lead).id
    with disturbed(cluster, figures, "primary frozen") as traffic:
        cluster.stack.docker("pause", frozen)
        try:
            cluster.until_led_by_another(lead, second)
            traffic.until(10)
        finally:
            cluster.stack.docker("unpause", frozen)


@pytest.mark.slow
def test_the_leader_of_etcd_is_lost(cluster: Cluster, figures: Figures) -> None:
    lead, *_ = cluster.others()
    member = cluster.etcd_leader()
    with disturbed(cluster, figures, "leader of etcd lost") as traffic:
        cluster.kill(member)
        traffic.until(20)
        cluster.start(member)
    assert cluster.leader() == lead


@pytest.mark.slow
def test_one_follower_may_be_lost_and_without_both_nothing_is_acknowledged(cluster: Cluster, figures: Figures) -> None:
    lead, *followers = cluster.others()
    with disturbed(cluster, figures, "followers lost") as traffic, Web(cluster.url) as web:
        cluster.kill(followers[0])
        traffic.until(20)
        traffic.check_all_answered()
        cluster.kill(followers[1])
        traffic.until_refused(5)
        before = len(traffic.traffic.acknowledged)
        traffic.until_refused(5)
        assert len(traffic.traffic.acknowledged) == before
        assert web.get("/api/threads").status == 200
        cluster.start(*followers)
    assert cluster.leader() == lead


@pytest.mark.slow
def test_two_of_three_machines_are_lost_and_return(cluster: Cluster, figures: Figures) -> None:
    lead, second, _ = cluster.others()
    lost = (lead, second, "etcd1", "etcd2")
    with disturbed(cluster, figures, "two of three lost") as traffic:
        cluster.kill(*lost)
        traffic.until_refused(5)
        before = len(traffic.traffic.acknowledged)
        traffic.until_refused(5)
        assert len(traffic.traffic.acknowledged) == before
        cluster.start(*lost)


@pytest.mark.slow
def test_a_planned_switchover(cluster: Cluster, figures: Figures) -> None:
    _, second, _ = cluster.others()
    with disturbed(cluster, figures, "switchover"):
        cluster.switch_to(second)


@pytest.mark.slow
def test_another_image_replaces_one_server_at_a_time(cluster: Cluster, figures: Figures) -> None:
    environment = cluster.stack.configuration.environment
    former = {name: cluster.container(name).id for name in cluster.others()}
    environment["DATABASE_IMAGE"] = f"{environment['DATABASE_IMAGE']}-next"
    with disturbed(cluster, figures, "rolling upgrade"):
        cluster.make("up")
    assert {name for name, each in former.items() if cluster.container(name).id == each} == set()


@pytest.mark.slow
@pytest.mark.parametrize("suite", [SUITE, NEWEST_SUITE])
def test_every_command_of_the_runbooks_for_three_servers_runs(cluster: Cluster, suite: str) -> None:
    # it copies the second server again
    cluster.switch_to("postgresql")
    cluster.until_complete()
    tried = [each for each in commands() if OF_THREE_SERVERS.search(each.text)]
    assert len(tried) >= 4
    found = [trouble(cluster, each, {}, compose_of(suite)) for each in tried]
    assert [each for each in found if each] == []
    cluster.until_complete()


@pytest.mark.slow
def test_a_drill_proves_a_backup_of_the_primary(cluster: Cluster) -> None:
    # the first server would not show that the path of another one is right
    cluster.switch_to("postgresql2")
    cluster.until_complete()
    assert "was made and verified" in cluster.make("backup")
    assert "Ids, receipts and inboxes are those of the log." in cluster.make("drill")


@pytest.mark.slow
def test_the_board_returns_to_a_moment(cluster: Cluster, figures: Figures) -> None:
    with Traffic(cluster) as traffic:
        traffic.until(10)
        middle = moment(cluster)
        traffic.until(10)
    cluster.witness.saw_one_log()
    before, head = posts(cluster), int(cluster.sql("SELECT last_id FROM log_head"))
    said = cluster.make("restore", restore_to(middle))
    figures["restore to a moment"] = said.strip().splitlines()[-1]
    restored_to(middle, before, after := posts(cluster))
    # the entry that begins the log comes before them
    cluster.witness.learned_of_loss(1 + len(after))
    cluster.until_complete()
    with Traffic(cluster) as more:
        more.until(10)
    more.check()
    cluster.witness.saw_one_log()
    assert int(cluster.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{more.mark}%'")) == head + 1
    assert cluster.make("doctor").strip().endswith("All is well.")
