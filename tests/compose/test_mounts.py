"""`make up` removes containers whose mounts Compose would keep."""

from pathlib import Path
from typing import Any

import pytest

from deploy.compose import mounts
from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack

DATA = "/var/lib/postgresql"
ONE = {"Type": "volume", "Name": "board_postgresql", "Destination": DATA}
PATH = {"Type": "bind", "Source": "/mnt/data", "Destination": DATA}
FROM_IMAGE = {"Type": "volume", "Name": "0123456789abcdef" * 4, "Destination": DATA}
SECRET = {"Type": "bind", "Source": "/etc/board/password", "Destination": "/run/secrets/password"}
IN_MEMORY = {"Type": "tmpfs", "Destination": "/tmp"}
WITH_TMPFS = {"volumes": [{"type": "tmpfs", "target": DATA}]}
WITH_VOLUME = {"volumes": [{"type": "volume", "source": "postgresql", "target": DATA}]}
WITH_PATH = {"volumes": [{"type": "bind", "source": "/mnt/data", "target": DATA}]}


@pytest.mark.parametrize(
    ("mounted", "service", "is_outdated"),
    [
        ([ONE], WITH_TMPFS, True),
        ([PATH], WITH_TMPFS, True),
        ([ONE], {}, True),
        ([ONE], {"tmpfs": [DATA]}, True),
        ([ONE], WITH_VOLUME, False),
        # Compose replaces what has another source
        ([ONE], WITH_PATH, False),
        ([PATH], WITH_VOLUME, False),
        ([FROM_IMAGE, SECRET, IN_MEMORY], {}, False),
        ([SECRET, ONE], None, False),
    ],
)
def test_a_mount_that_the_settings_no_longer_have_is_outdated(
    mounted: list[dict[str, Any]], service: dict[str, Any] | None, is_outdated: bool
) -> None:
    assert mounts.outdated(mounted, service) is is_outdated


def test_only_outdated_containers_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))

    def inspected(name: str, *mounted: dict[str, str]) -> dict[str, Any]:
        labels = {"com.docker.compose.service": name}
        return {"Id": name, "Name": f"/board-{name}-1", "Config": {"Labels": labels}, "Mounts": [*mounted]}

    found = [inspected("backup", ONE, SECRET), inspected("postgresql", ONE), inspected("valkey", FROM_IMAGE)]
    monkeypatch.setattr(stack, "inspected", lambda: found)
    services = {"backup": WITH_TMPFS, "postgresql": WITH_VOLUME, "valkey": {}}
    monkeypatch.setattr(stack, "described", lambda: {"services": services})
    done: list[str] = []
    monkeypatch.setattr(stack, "docker", lambda *command, **_: done.append(" ".join(command)))
    mounts.remove_outdated(stack)
    assert done == ["stop backup", "rm --volumes backup"]
