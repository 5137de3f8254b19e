"""`make secrets` creates missing secrets once, readable only by their owner."""

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import pytest

from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.secret_files import KEPT, NAMES, make_secrets, owner
from deploy.compose.stack import Stack
from deploy.compose.waiting import last_words
from deploy.environment import CHECKOUT
from services.board.verifiable_log.signing import Signer
from tests.compose.test_networks import SERVICES


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    folders = {f"{name.upper()}_DIR": str(tmp_path / name) for name in ("secrets", "backup", "metrics")}
    return Configuration({"ENV_FILE": str(tmp_path / ".env"), **folders})


def contents(configuration: Configuration) -> dict[str, str]:
    return {path.name: path.read_text() for path in configuration.path("SECRETS_DIR").iterdir()}


def test_everything_is_made_and_only_its_owner_may_read_it(configuration: Configuration) -> None:
    made = make_secrets(configuration)
    assert [path.name for path in made] == [".env", *NAMES]
    directory = configuration.path("SECRETS_DIR")
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(configuration.file.stat().st_mode) == 0o600
    for name in NAMES:
        status = (directory / name).stat()
        assert stat.S_IMODE(status.st_mode) == 0o600
        assert (status.st_uid, status.st_gid) == owner(configuration)
    # containers should never run as root
    assert owner(configuration)[0] == (os.geteuid() or 10001)


def test_a_second_time_changes_nothing(configuration: Configuration) -> None:
    make_secrets(configuration)
    configuration.file.write_text(f"{configuration.file.read_text()}PORT=8010\n")
    before, settings = contents(configuration), configuration.file.read_text()
    assert make_secrets(configuration) == []
    assert contents(configuration) == before
    assert configuration.file.read_text() == settings
    # a changed file should stay private
    assert stat.S_IMODE(configuration.file.stat().st_mode) == 0o600


def test_what_is_missing_is_made_again_of_the_passwords_that_are_there(configuration: Configuration) -> None:
    make_secrets(configuration)
    before = contents(configuration)
    (configuration.path("SECRETS_DIR") / "database_url").unlink()
    assert [path.name for path in make_secrets(configuration)] == ["database_url"]
    assert contents(configuration) == before


@pytest.mark.parametrize(("name", "service"), KEPT.items())
def test_a_lost_secret_that_data_know_is_not_replaced(configuration: Configuration, name: str, service: str) -> None:
    make_secrets(configuration)
    # `make up` writes it before the board runs
    (configuration.path("METRICS_DIR") / "replicas.prom").touch()
    lost = configuration.path("SECRETS_DIR") / name
    kept = lost.rename(lost.parent.with_name("copy"))
    (lost.parent / "redis_url").unlink()
    with pytest.raises(
        StackError, match=rf"^The secret {name} is missing\..* {service} cat /run/secrets/{name} prints"
    ):
        make_secrets(configuration)
    assert name in SERVICES[service]["secrets"]
    kept.rename(lost)
    assert [path.name for path in make_secrets(configuration)] == ["redis_url"]


def test_an_interrupted_run_is_completed(configuration: Configuration) -> None:
    made = [path.name for path in make_secrets(configuration)]
    for name in NAMES[NAMES.index("backup_repository") :]:
        (configuration.path("SECRETS_DIR") / name).unlink()
    again = [path.name for path in make_secrets(configuration)]
    assert again == made[made.index("backup_repository") :]


def test_secrets_of_the_operator_can_be_there_before(configuration: Configuration) -> None:
    folder = configuration.path("SECRETS_DIR")
    folder.mkdir()
    written = ("database_url", "grafana_password", "log_key")
    for name in written:
        (folder / name).write_text("written\n")
    made = [path.name for path in make_secrets(configuration)]
    assert made == [".env", *(name for name in NAMES if name not in written)]


def test_runs_at_the_same_time_agree(tmp_path: Path) -> None:
    copy = shutil.copytree(CHECKOUT / "deploy", tmp_path / "deploy", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "deploy.compose", "secrets"]
    with ThreadPoolExecutor(6) as pool:
        runs = pool.map(lambda _: subprocess.run(command, cwd=tmp_path, check=False).returncode, range(6))
    assert list(runs) == [0] * 6
    found = {path.name: path.read_text() for path in (copy / "compose" / "secrets").iterdir()}
    assert set(found) == set(NAMES)
    assert urlsplit(found["database_url"]).password == found["database_password"].strip()
    assert urlsplit(found["redis_url"]).password == found["valkey_password"].strip()


def test_the_key_of_the_log_has_the_name_of_the_board_and_stays(configuration: Configuration) -> None:
    make_secrets(Configuration({**configuration.environment, "BASE_URL": "https://board.example/x/"}))
    made = contents(configuration)["log_key"]
    assert Signer(made.strip()).name == "board.example/x/log"
    configuration.file.write_text(f"{configuration.file.read_text()}BASE_URL=https://other.example\n")
    assert make_secrets(configuration) == []
    assert contents(configuration)["log_key"] == made
    # before a board has run here, another one is made for the address of today
    (configuration.path("SECRETS_DIR") / "log_key").unlink()
    assert [path.name for path in make_secrets(configuration)] == ["log_key"]
    assert Signer(contents(configuration)["log_key"].strip()).name == "other.example/log"


def test_a_log_is_named_after_an_address(configuration: Configuration) -> None:
    with pytest.raises(StackError, match="BASE_URL must be an http or https address"):
        make_secrets(Configuration({**configuration.environment, "BASE_URL": "board.example"}))


def test_passwords_differ(configuration: Configuration) -> None:
    make_secrets(configuration)
    passwords = [text for name, text in contents(configuration).items() if name.endswith("_password")]
    assert len(set(passwords)) == len(passwords) == 6
    assert all(len(password.strip()) == 48 for password in passwords)


@pytest.mark.parametrize(("uid", "gid"), [("", "1"), ("root", "1"), ("0", "0"), ("1", ""), ("1", "x")])
def test_containers_never_run_as_root_or_nobody_in_particular(configuration: Configuration, uid: str, gid: str) -> None:
    make_secrets(configuration)
    configuration.file.write_text(f"RUN_AS_UID={uid}\nRUN_AS_GID={gid}\n")
    with pytest.raises(StackError, match="RUN_AS_UID and RUN_AS_GID must be"):
        owner(configuration)


def test_the_last_log_lines_of_valkey_show_no_password() -> None:
    class Engine:
        def docker(self, *_: str, errors: bool) -> str:
            return "*** FATAL CONFIG FILE ERROR ***\n>>> 'requirepass two words'\nwrong number of arguments\n"

    shown = last_words(cast(Stack, Engine()), "valkey")
    assert "two words" not in shown
    assert "wrong number of arguments" in shown
