"""The standby takes the place of PostgreSQL under load: nothing acknowledged is lost, and no id names two posts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.compose import failover
from deploy.compose.backups import check_archiving
from deploy.compose.errors import StackError
from deploy.compose.lineage import LOST_IDS_MAX
from deploy.local.server import CHECKOUT
from tests.stack.conftest import started
from tests.stack.make import Board
from tests.stack.prometheus import Prometheus, until
from tests.stack.test_recovery import moment
from tests.stack.traffic import Traffic

Figures = dict[str, str]
# The load balancer and the API processes answer every call.
UNAVAILABLE = {"503 unavailable", "503 unavailable, outcome unknown"}
WAITS = "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'standby'"
WATCHING = ("prometheus", "node-exporter")
REPORTED = 'ALERTS{alertname="StandbyBehind"}'
# The rule's bound of two minutes, and time to replay, measure and evaluate on a busy machine.
BEHIND_SECONDS = 120 + 90


@pytest.fixture(scope="module")
def pair(images: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A stack whose PostgreSQL may have a standby."""
    files = {"COMPOSE_FILE": "compose.yaml:standby.yaml"}
    with started({**images, **files}, tmp_path_factory.mktemp("standby"), CHECKOUT) as board:
        yield board


def test_a_volume_that_the_settings_do_not_name_cannot_be_exchanged(pair: Board, tmp_path: Path) -> None:
    [server] = pair.containers("postgresql")
    with changed(pair, '{ postgresql: { volumes: ["postgresql:/var/lib/postgresql"] } }', tmp_path):
        assert "gives PostgreSQL another one than POSTGRES_VOLUME" in pair.make("failover", fails=True)
    assert pair.containers("postgresql") == [server]


@contextmanager
def changed(board: Board, services: str, folder: Path) -> Iterator[None]:
    """Let a file in COMPOSE_FILE change services within the block."""
    (folder / "changed.yaml").write_text(f"services: {services}")
    environment, files = board.stack.configuration.environment, board.stack.configuration["COMPOSE_FILE"]
    environment["COMPOSE_FILE"] = f"{files}:{folder / 'changed.yaml'}"
    try:
        yield
    finally:
        environment["COMPOSE_FILE"] = files


def test_make_up_warns_of_a_standby_that_is_not_healthy(pair: Board, tmp_path: Path) -> None:
    ill = '{ standby: { healthcheck: { test: ["CMD", "false"], retries: 1, start_period: 0s } } }'
    with changed(pair, ill, tmp_path):
        said = pair.make("up")
    assert f"The board is running at {pair.url}" in said
    assert said.strip().endswith("Warning: the board serves, but not healthy: standby. make doctor reports why.")
    assert "Warning" not in pair.make("up")


@pytest.fixture
def prometheus(pair: Board) -> Iterator[Prometheus]:
    """The measurements of the standby, for one test: the exporter would keep PostgreSQL's volume from being removed."""
    watching = ("--profile", "observability")
    try:
        pair.stack.compose(*watching, "up", "--detach", "--no-build", "--no-recreate", "--wait", *WATCHING)
        yield Prometheus(pair)
    finally:
        pair.stack.compose(*watching, "rm", "--stop", "--force", "--volumes", *WATCHING)


def lose_primary(board: Board) -> None:
    """Remove the primary with its data, at once."""
    [server] = board.containers("postgresql")
    board.stack.docker("rm", "--force", server.id)
    board.stack.compose("rm", "--stop", "--force", "backup")
    volume = board.stack.configuration["POSTGRES_VOLUME"]
    board.stack.docker("volume", "rm", f"{board.stack.configuration['COMPOSE_PROJECT_NAME']}_{volume}")


def timeline(board: Board) -> int:
    """Return the timeline that PostgreSQL writes."""
    return int(board.sql("SELECT pg_walfile_name(pg_current_wal_lsn())")[:8], 16)


def serves(board: Board, number: int) -> None:
    """Assert that the board serves and archives on a timeline, and that the doctor misses only a standby."""
    board.until_well()
    assert timeline(board) == number
    check_archiving(board.stack)
    assert "yes" in board.make("backups").splitlines()[-3]
    said = board.make("doctor", fails=True)
    assert [line for line in said.splitlines() if line.startswith("- ")] == [
        "- PostgreSQL has no standby; make standby makes one."
    ]


def test_there_is_nothing_to_promote_without_a_standby(pair: Board) -> None:
    [server] = pair.containers("postgresql")
    assert "There is no standby to promote" in pair.make("failover", fails=True)
    assert pair.containers("postgresql") == [server]


def test_a_standby_that_does_not_replay_is_reported(pair: Board, prometheus: Prometheus) -> None:
    pair.make("standby")
    until(lambda: prometheus.values("time() - agent_board_standby_timestamp_seconds < 60") != [], True)
    replay(pair, "pause")
    try:
        with Traffic(pair) as traffic:
            traffic.until(20)
        traffic.check()
        until(lambda: prometheus.values(REPORTED) != [], True, BEHIND_SECONDS)
    finally:
        replay(pair, "resume")
    until(lambda: prometheus.values(REPORTED), [])


def replay(board: Board, change: str) -> None:
    """Pause or resume the standby's replay of the log, which it goes on to receive."""
    query = f"SELECT pg_wal_replay_{change}()"
    board.stack.ask("exec", "-T", "standby", "psql", "--username=postgres", "--quiet", f"--command={query}")


def test_a_fail_over_from_a_lost_disk_loses_nothing_that_waited_for_the_standby(pair: Board, figures: Figures) -> None:
    pair.stack.configuration.write(STANDBY_SYNCHRONOUS="true")
    assert "writes wait for it" in pair.make("standby")
    assert pair.sql(WAITS) == "sync"
    assert pair.make("doctor").strip().endswith("All is well.")
    before = timeline(pair)
    with Traffic(pair) as traffic:
        traffic.until(20)
        page = (pair.stack.configuration.path("METRICS_DIR") / "standby.prom").read_text(encoding="utf-8")
        shown = dict(line.split() for line in page.splitlines() if not line.startswith("#"))
        assert time.time() - 20 < float(shown["agent_board_standby_timestamp_seconds"]) <= time.time()
        lose_primary(pair)
        said = pair.make("failover")
        traffic.until(20)
    assert traffic.failures.keys() <= UNAVAILABLE
    figures["fail-over"] = f"{said.strip().splitlines()[-1]} {traffic.figures()}"
    assert "No acknowledged post was lost: every write has waited for the standby." in said
    traffic.check()
    serves(pair, before + 1)


def test_a_planned_fail_over_loses_nothing_although_writes_do_not_wait(pair: Board, figures: Figures) -> None:
    pair.stack.configuration.write(STANDBY_SYNCHRONOUS="false")
    assert "writes do not wait for it" in pair.make("standby")
    before, head = timeline(pair), int(pair.sql("SELECT last_id FROM log_head"))
    with Traffic(pair) as traffic:
        traffic.until(20)
        said = pair.make("failover")
        traffic.until(20)
    assert traffic.failures.keys() <= UNAVAILABLE
    figures["planned fail-over"] = f"{said.strip().splitlines()[-1]} {traffic.figures()}"
    assert "No acknowledged post was lost: the primary has sent its whole log." in said
    traffic.check()
    # no id should have been passed over
    assert int(pair.sql("SELECT last_id FROM log_head")) < head + LOST_IDS_MAX
    serves(pair, before + 1)


def test_a_restore_makes_the_standby_again(pair: Board) -> None:
    pair.stack.configuration.write(STANDBY_SYNCHRONOUS="true")
    pair.make("standby")
    # the time stays in the settings of PostgreSQL, which the standby copies
    said = pair.make("restore", f"TIME={datetime.fromtimestamp(moment(pair), UTC):%Y-%m-%d %H:%M:%S}")
    assert "The board was restored as it was at" in said
    assert "Warning" not in said
    assert pair.sql(WAITS) == "sync"
    assert pair.make("doctor").strip().endswith("All is well.")


def test_lost_posts_must_be_accepted_and_their_ids_are_not_given_again(
    pair: Board, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = pair.stack
    stack.configuration.write(STANDBY_SYNCHRONOUS="false")
    assert "writes do not wait for it" in pair.make("standby")
    with Traffic(pair) as kept:
        kept.until(10)
    [standby] = pair.containers("standby")
    stack.docker("pause", standby.id)
    with Traffic(pair) as lost:
        lost.until(10)
    before, head = timeline(pair), int(pair.sql("SELECT last_id FROM log_head"))
    lose_primary(pair)
    stack.docker("unpause", standby.id)
    monkeypatch.setattr(failover, "UNASKED_SECONDS", 0)
    with pytest.raises(StackError, match="Give FORCE=yes to promote the standby"):
        failover.failover(stack, "")
    said = pair.make("failover", "FORCE=yes")
    figures["fail-over with losses"] = said.strip().splitlines()[-1]
    assert "At most the posts that were acknowledged since" in said
    newest = int(pair.sql("SELECT max(id) FROM posts"))
    assert newest < head
    serves(pair, before + 1)
    with Traffic(pair) as traffic:
        traffic.until(10)
    traffic.check()
    assert traffic.failures == {}
    first = int(pair.sql(f"SELECT min(id) FROM posts WHERE id > {newest}"))
    assert head < first <= newest + LOST_IDS_MAX + 1
