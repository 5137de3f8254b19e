"""Backups in a real object store: encrypted, restorable after the loss of every volume, and safe while it is away."""

from collections.abc import Iterator

import pytest

from deploy.compose.configuration import Configuration
from deploy.compose.secret_files import make_secrets
from tests.stack import conftest
from tests.stack.archiving import check_archiving
from tests.stack.engine import engine_address
from tests.stack.make import Board
from tests.stack.prometheus import until
from tests.stack.s3 import NAME, ObjectStore
from tests.stack.test_recovery import outage, posts
from tests.stack.traffic import Traffic

SALTED = b"Salted__"
# The name of the store leads to this machine.
HOSTS = """
services:
  postgresql: &known { extra_hosts: ["%s:%s"] }
  backup: *known
"""


@pytest.fixture(scope="module")
def store(images: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """A store that runs."""
    store = ObjectStore(tmp_path_factory.mktemp("s3"), engine_address())
    store.start()
    yield store
    store.stop()


@pytest.fixture(scope="module")
def storing(images: dict[str, str], store: ObjectStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A stack whose backups go to the store."""
    folder = tmp_path_factory.mktemp("storing")
    (folder / "hosts.yaml").write_text(HOSTS % (NAME, engine_address()))
    directories = {f"{name.upper()}_DIR": str(folder / name) for name in ("secrets", "metrics")}
    make_secrets(Configuration({"ENV_FILE": str(folder / ".env"), **directories}))
    with (folder / "secrets" / "backup_repository").open("a") as secret:
        secret.write(store.settings())
    files = f"compose.yaml:object-store.yaml:{folder / 'hosts.yaml'}"
    more = {"COMPOSE_FILE": files, "OBJECT_STORE_CA": str(store.authority)}
    with conftest.started(images, folder, **more) as storing:
        yield storing


def test_the_board_returns_from_the_store_after_the_loss_of_all_volumes(
    storing: Board, store: ObjectStore, figures: dict[str, str]
) -> None:
    with Traffic(storing) as kept:
        kept.until(10)
    assert "was made and verified" in storing.make("backup")
    saved = posts(storing)
    assert len(saved) > 10
    storing.stack.compose("--profile", "*", "down", "--volumes", "--timeout", "1")
    figures["restore from an object store"] = outage(storing.make("restore"))
    assert saved.items() <= posts(storing).items()
    with Traffic(storing) as more:
        more.until(5)
    more.check()
    check_archiving(storing)


def test_the_store_sees_only_what_is_encrypted(store: ObjectStore) -> None:
    files = store.files()
    assert len(files) > 5
    assert [path for path in files if path.read_bytes()[: len(SALTED)] != SALTED] == []


def test_the_board_serves_and_keeps_its_log_while_the_store_is_away(storing: Board, store: ObjectStore) -> None:
    store.stop()
    with Traffic(storing) as traffic:
        traffic.until(10)
        segment = storing.sql("SELECT pg_walfile_name(pg_switch_wal())")
        traffic.until(5)
    traffic.check()
    assert not archived(storing, segment)
    store.start()
    until(lambda: archived(storing, segment), True, 300)
    assert "was made and verified" in storing.make("backup")


def archived(board: Board, segment: str) -> bool:
    return board.sql(f"SELECT last_archived_wal >= '{segment}' FROM pg_stat_archiver") == "t"
