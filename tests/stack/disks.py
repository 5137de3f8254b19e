"""Small disks that are filled."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DISK_BYTES = 400 * 2**20


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of DISK_BYTES at a new folder."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=1777", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> None:
    with (disk / "filling").open("wb", buffering=0) as file:
        while free := shutil.disk_usage(disk).free:
            file.write(bytes(min(free, 2**20)))
