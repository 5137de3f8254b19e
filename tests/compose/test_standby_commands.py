"""What `make standby`, `make failover` and `make doctor` conclude from what PostgreSQL and the standby report."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import backups, failover, lineage, standby
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.failover import Loss
from deploy.compose.stack import Container, Stack
from deploy.compose.standby import Following

CONTROL = """Database cluster state:               {}
pg_control last modified:             Mon Nov 23 19:00:00 2026
Latest checkpoint location:           0/3000028
Latest checkpoint's REDO location:    0/3000028
"""
CURRENT = Following(streams=True, synchronous=False, bytes=0)
FAR = Following(streams=True, synchronous=False, bytes=65 * 2**20)
REPORTED = 1_700_000_000.5


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    """A stack that does not run, with a report of its standby."""
    settings = {"ENV_FILE": str(tmp_path / ".env"), "METRICS_DIR": str(tmp_path), "STANDBY_SYNCHRONOUS": "false"}
    (tmp_path / "standby.prom").write_text(f"# TYPE a gauge\nagent_board_standby_timestamp_seconds {REPORTED}\n")
    return Stack(Configuration(settings))


def answers(monkeypatch: pytest.MonkeyPatch, **of: Any) -> None:
    """Let the containers answer: their scripts by what they contain."""
    monkeypatch.setattr(failover, "in_volume", lambda *_: of.get("control", ""))
    monkeypatch.setattr(standby, "answer", lambda _, script: next((of[key] for key in of if key in script), ""))


def test_a_primary_that_stopped_cleanly_and_was_followed_to_its_end_lost_nothing(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, control=CONTROL.format("shut down"), receive_lsn="t")
    assert failover.loss(stack).since is None
    # its last record is missing
    answers(monkeypatch, control=CONTROL.format("shut down"), receive_lsn="f")
    assert failover.loss(stack).since == REPORTED
    # it has crashed after its last checkpoint
    answers(monkeypatch, control=CONTROL.format("in production"), receive_lsn="t")
    assert failover.loss(stack).since == REPORTED


def test_what_was_lost_at_most_begins_with_the_latest_that_the_standby_is_known_to_have(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, replay_timestamp=str(REPORTED + 2))
    assert failover.loss(stack).since == REPORTED + 2
    answers(monkeypatch, replay_timestamp=str(REPORTED - 2))
    assert "since 2023-11-14 22:13:20 (UTC)" in str(failover.loss(stack))
    (stack.configuration.path("METRICS_DIR") / "standby.prom").unlink()
    answers(monkeypatch, replay_timestamp="0")
    assert str(failover.loss(stack)).startswith("It is unknown which posts were lost")


@pytest.mark.parametrize(
    ("setting", "mark", "lost"), [("true", "yes", False), ("true", "", True), ("false", "yes", True)]
)
def test_only_a_standby_for_which_writes_have_waited_has_all(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, setting: str, mark: str, lost: bool
) -> None:
    stack.configuration.environment["STANDBY_SYNCHRONOUS"] = setting
    answers(monkeypatch, synchronous=mark)
    assert (failover.loss(stack).since is not None) == lost


@pytest.mark.parametrize(("place", "refused"), [("{POSTGRES_VOLUME}", False), ("/srv/data", True)])
def test_the_volumes_must_be_those_that_the_settings_name(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, place: str, refused: bool
) -> None:
    def described(of: Stack) -> dict[str, Any]:
        names = {name: of.configuration[name] for name in ("POSTGRES_VOLUME", "STANDBY_VOLUME")}
        places = {"postgresql": place.format(**names), "standby": names["STANDBY_VOLUME"]}
        target = "/var/lib/postgresql"
        return {"services": {name: {"volumes": [{"source": at, "target": target}]} for name, at in places.items()}}

    monkeypatch.setattr(Stack, "described", described)
    exchanged = {"POSTGRES_VOLUME": stack.configuration["STANDBY_VOLUME"], "STANDBY_VOLUME": "postgresql"}
    if refused:
        with pytest.raises(StackError, match="another one than POSTGRES_VOLUME"):
            failover.check_exchange(stack, exchanged)
    else:
        failover.check_exchange(stack, exchanged)


def test_data_that_are_not_the_standbys_are_not_served(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(stack, "compose", lambda *command: done.append(" ".join(command)))
    monkeypatch.setattr(failover, "execute", lambda *_, commands: done.extend(commands))
    monkeypatch.setattr(failover, "value", lambda *_: "f")
    monkeypatch.setattr(backups, "value", lambda *_: "7")
    with pytest.raises(StackError, match="does not hold the standby's data"):
        failover.promote(stack, only_standby=True)
    assert done == ["up --detach --no-build --no-deps postgresql", "stop postgresql"]
    # an interrupted run may have promoted it
    assert failover.promote(stack, only_standby=False) == "7"


def test_a_loss_of_more_than_a_minute_must_be_accepted(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(stack, "compose", lambda *command: done.append(" ".join(command)))
    monkeypatch.setattr(stack, "containers", lambda *_: ["postgresql"])
    monkeypatch.setattr(lineage, "begin_restore", lambda *_: done.append("pass over"))
    monkeypatch.setattr("time.time", lambda: REPORTED + 59)
    failover.accept(stack, Loss(REPORTED, "a reason"), force=False)
    assert done == ["stop api fanout", "pass over"]
    monkeypatch.setattr("time.time", lambda: REPORTED + 61)
    with pytest.raises(StackError, match="Give FORCE=yes"):
        failover.accept(stack, Loss(REPORTED, "a reason"), force=False)
    # it should serve again, and nothing should be passed over
    assert done[2:] == ["start postgresql"]
    failover.accept(stack, Loss(REPORTED, "a reason"), force=True)
    assert done[3:] == ["stop api fanout", "pass over"]


@pytest.mark.parametrize("found", [None, FAR, Following(False, False, 0)])
def test_a_standby_that_is_behind_a_primary_that_answers_is_not_promoted(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, found: Following | None
) -> None:
    answers(monkeypatch, in_recovery="t")
    monkeypatch.setattr(standby, "following", lambda _: found)
    with pytest.raises(StackError, match="PostgreSQL still answers"):
        failover.check_ready(stack, force=False)
    failover.check_ready(stack, force=True)
    monkeypatch.setattr(standby, "following", lambda _: CURRENT)
    failover.check_ready(stack, force=False)
    answers(monkeypatch)
    with pytest.raises(StackError, match="There is no standby to promote"):
        failover.check_ready(stack, force=True)


def test_a_standby_may_be_restarted_but_not_again_and_again(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Container("1", "standby-1", "standby", "restarting", "starting", 1, restarts=2, out_of_memory=False)
    monkeypatch.setattr(stack, "containers", lambda _: [found])
    monkeypatch.setattr(stack, "docker", lambda *_, **__: "FATAL:  a reason\n")
    monkeypatch.setattr(standby, "following", lambda _: None)
    assert not standby.is_current(stack)
    found = replace(found, restarts=3)
    with pytest.raises(StackError, match="cannot start; its last log lines:\n  FATAL:  a reason"):
        standby.is_current(stack)


@pytest.mark.parametrize(
    ("recovering", "found", "sentence"),
    [
        ("t", None, "make failover was interrupted"),
        ("f", None, "PostgreSQL has no standby"),
        ("f", FAR, "is 65.0 MiB behind"),
        ("f", Following(True, True, 0), "STANDBY_SYNCHRONOUS says otherwise"),
    ],
)
def test_the_doctor_says_what_is_wrong_with_a_standby(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, recovering: str, found: Following | None, sentence: str
) -> None:
    monkeypatch.setattr(standby, "value", lambda *_: recovering)
    monkeypatch.setattr(standby, "following", lambda _: found)
    monkeypatch.setattr(stack, "runs", lambda _: True)
    with pytest.raises(StackError, match=sentence):
        standby.check(stack)
    monkeypatch.setattr(standby, "value", lambda *_: "f")
    monkeypatch.setattr(standby, "following", lambda _: CURRENT)
    standby.check(stack)


def test_a_standby_needs_a_volume_of_its_own(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    def described(*sources: str) -> dict[str, Any]:
        volumes = [[{"source": each, "target": "/var/lib/postgresql"}] for each in sources]
        return {
            "services": {name: {"volumes": each} for name, each in zip(("postgresql", "standby"), volumes, strict=True)}
        }

    monkeypatch.setattr(stack, "described", lambda: described("postgresql", "standby"))
    standby.check_configured(stack)
    monkeypatch.setattr(stack, "described", lambda: described("/srv/data", "/srv/data"))
    with pytest.raises(StackError, match="are the same"):
        standby.check_configured(stack)
    monkeypatch.setattr(stack, "described", lambda: {"services": {"postgresql": {}}})
    with pytest.raises(StackError, match="Add the standby first"):
        standby.check_configured(stack)
