"""An interrupted backup goes on, because the service makes it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from deploy.compose import backups
from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack


def test_an_interrupted_command_names_who_goes_on_with_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(backups, "check_bundled", lambda _: None)
    monkeypatch.setattr(stack, "containers", lambda *_: [SimpleNamespace(status="running")])
    monkeypatch.setattr(stack, "compose", interrupt)
    with pytest.raises(KeyboardInterrupt, match=r"^The service backup continues with it"):
        backups.backup(stack)
