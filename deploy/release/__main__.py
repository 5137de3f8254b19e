"""What `make release` has no tool for: the archive of the commit, and the notes.

`python -m deploy.release VERSION NAME [FILE]` writes them to dist/VERSION. NAME is that of the board's image, without a
tag. FILE is what `docker buildx bake --metadata-file` has written about the pushed images, for their digests.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from deploy.release.archive import git, write_archive
from deploy.release.notes import notes

CHECKOUT = Path(__file__).resolve().parents[2]
SERVICES = {"BOARD_IMAGE": ("api", ""), "DATABASE_IMAGE": ("postgresql", "-postgresql")}
"""By its setting, the service of compose.yaml that builds an image, and the end of its name."""


def main(version: str, name: str, metadata: str = "") -> None:
    """Write the files in a new folder. Raises SystemExit after a sentence if this commit is not that release."""
    for file, declared in versions(CHECKOUT).items():
        if version != declared:
            sys.exit(f"{file} declares the version {declared}, not {version!r}.")
    # Later releases must serve the clients and processes of this one: it writes a file of the commit.
    if subprocess.run([sys.executable, "-m", "clients.generator.keeping", version], cwd=CHECKOUT).returncode != 0:
        sys.exit(1)
    if changed := git(CHECKOUT, "status", "--porcelain"):
        sys.exit(f"Commit or remove these files first:\n{changed}")
    changes = section((CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    images = named(name, version, metadata)
    folder = CHECKOUT / "dist" / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_archive(CHECKOUT, folder, version, images)
    (folder / "NOTES.md").write_text(notes(version, changes, images), encoding="utf-8")


def versions(checkout: Path) -> dict[str, str]:
    """Return the versions of the board that two files declare."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = tomllib.loads((checkout / "uv.lock").read_text(encoding="utf-8"))["package"]
    [locked] = (each["version"] for each in packages if each["name"] == project["name"])
    return {"pyproject.toml": project["version"], "uv.lock": locked}


def section(changelog: str, version: str) -> str:
    """Return the changes of a release. Raises SystemExit with a sentence without the advice for its operators."""
    found = re.search(rf"^## \[{re.escape(version)}\] - [0-9-]+\n(.+?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    if not found or "### Upgrading\n" not in found[1]:
        sys.exit(f'CHANGELOG.md has no section "## [{version}] - DATE" with a heading "### Upgrading".')
    return found[1].strip()


def named(name: str, version: str, metadata: str) -> dict[str, str]:
    """Return the images of the release by their settings, with their digests if `metadata` names a file of Buildx."""
    pushed = json.loads(Path(metadata).read_text(encoding="utf-8")) if metadata else {}
    return {
        setting: f"{name}{end}:{version}" + (f"@{pushed[service]['containerimage.digest']}" if pushed else "")
        for setting, (service, end) in SERVICES.items()
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
