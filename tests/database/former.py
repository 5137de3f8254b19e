"""A database as an earlier release left it, for tests of one migration."""

import shutil
from pathlib import Path

import pytest

from services.board.database import migrations, revision
from services.board.database.migrations import upgrade


async def apply_before(number: int, url: str, folder: Path) -> None:
    """Apply the migrations before this number to an empty database. They create no functions."""
    files = folder / "board" / "database" / "migrations"
    shutil.copytree(revision.MIGRATIONS, files)
    for file in files.glob("[0-9]*_*.py"):
        if int(file.name.partition("_")[0]) >= number:
            file.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "LOCATION", f"{folder}/{{app}}/database/migrations")
        await upgrade(url, lambda _: None)
