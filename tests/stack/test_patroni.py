"""Three servers under Patroni lose parts under load: nothing acknowledged is lost, and the board returns by itself.

A client follows the verifiable log all the time, and sees one log.
"""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deploy.compose.servers import SERVERS
from services.board.verifiable_log.checkpoints import POSITION
from tests.chaos.row import AWAY, Row
from tests.chaos.run import measured
from tests.chaos.servers import ALONE
from tests.chaos.servers_board import ServersBoard, started
from tests.history.run import run
from tests.history.traffic import CLIENTS
from tests.stack.cluster import PSQL, Cluster, until
from tests.stack.engine import NEWEST_SUITE, SUITE, compose_of
from tests.stack.following import following
from tests.stack.prometheus import Prometheus
from tests.stack.prometheus import until as until_it_is
from tests.stack.runbook_commands import OF_THREE_SERVERS, commands, trouble
from tests.stack.test_recovery import moment, posts, restore_to, restored_to
from tests.stack.traffic import Traffic
from tests.web import Web

Figures = dict[str, str]
FAULTS = [pytest.param(row, id=row.name, marks=() if row is ALONE[0] else pytest.mark.slow) for row in ALONE]
SECONDS = 60.0
NAMES = "SHOW synchronous_standby_names"
WAITING = "SELECT application_name FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@pytest.fixture(scope="module")
def cluster(images: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A board on three servers and a client that follows its log, which all tests of this file share."""
    home = tmp_path_factory.mktemp("witness")
    with started(images, tmp_path_factory.mktemp("patroni")) as cluster, following(cluster, home) as cluster.witness:
        yield cluster


@pytest.fixture(autouse=True)
def complete(cluster: Cluster) -> None:
    """Every test finds all servers, whatever a failed one has left."""
    cluster.mend()
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


@pytest.mark.parametrize("row", FAULTS)
async def test_a_promise_is_kept(cluster: Cluster, figures: Figures, row: Row) -> None:
    found = await measured(row, ServersBoard(cluster), 0.0)
    figures[row.name] = found.line
    assert found.broken == []
    cluster.witness.saw_one_log()


@pytest.mark.slow
async def test_no_judge_finds_anything(cluster: Cluster, figures: Figures, tmp_path: Path) -> None:
    """A seed lets servers be lost, cut off or frozen while the primary crashes in place, and other parts fail."""
    seed = random.randrange(1_000_000)
    verdict = await run(ServersBoard(cluster), seed, SECONDS, CLIENTS, tmp_path / "history.jsonl")
    figures["history"] = verdict.line
    assert verdict.findings == [], f"make history BOARD=servers SEED={seed}"
    cluster.witness.saw_one_log()


def test_a_segment_that_another_server_has_archived_stops_nothing(cluster: Cluster) -> None:
    """A former primary had written more of its timeline than what the others took over."""
    _, lead, _ = cluster.others()
    cluster.switch_to(lead)
    segment = "000000010000000000000001"
    other = f"cp $(ls | grep -Ex '[0-9A-F]{{24}}' | tail -n 1) {segment} && touch archive_status/{segment}.ready"
    cluster.inside(lead, "bash", "-euc", f"cd $PGDATA/pg_wal; {other}")
    newest = cluster.sql("SELECT pg_walfile_name(pg_switch_wal())")
    until(lambda: cluster.sql("SELECT last_archived_wal FROM pg_stat_archiver") >= newest)


@pytest.mark.slow
def test_a_post_that_no_follower_has_is_seen_by_nobody(cluster: Cluster) -> None:
    """The primary recovers in place while its followers are away, archives its log, and then it is lost."""
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
        segment = cluster.sql("SELECT pg_walfile_name(pg_switch_wal())")
        until(lambda: cluster.sql("SELECT last_archived_wal FROM pg_stat_archiver") >= segment)
        cluster.kill(lead)
        cluster.start(*followers)
        cluster.fail_over(lead, followers[0])
        # the load balancer ends connections that were idle for a minute
        web.close()
        until(lambda: web.get(f"/api/posts/{before}").status == 200)
        assert author.thread("In its place")["id"] == before + 1
        cluster.start(lead)
        cluster.until_complete()
        assert web.get(f"/api/posts/{before + 1}").json["title"] == "In its place"
    cluster.witness.saw_one_log()


@pytest.mark.slow
def test_another_image_replaces_one_server_at_a_time(cluster: Cluster, figures: Figures) -> None:
    environment = cluster.stack.configuration.environment
    former = {name: cluster.container(name).id for name in cluster.others()}
    environment["DATABASE_IMAGE"] = f"{environment['DATABASE_IMAGE']}-next"
    with Traffic(cluster) as traffic:
        traffic.until(10)
        cluster.make("up")
        traffic.until(20)
    figures["rolling upgrade"] = traffic.figures()
    traffic.check(AWAY)
    cluster.witness.saw_one_log()
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
    # they copied a server whose settings name the archive
    shown = [cluster.inside(each, *PSQL, "--command=SHOW restore_command") for each in cluster.others()[1:]]
    assert "".join(shown).strip() == ""
    with Traffic(cluster) as more:
        more.until(10)
    more.check()
    cluster.witness.saw_one_log()
    assert int(cluster.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{more.mark}%'")) == head + 1
    assert cluster.make("doctor").strip().endswith("All is well.")
