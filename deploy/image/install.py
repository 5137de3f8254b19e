"""Fills /opt/agent-board while the image is built: the packages of uv.lock, wheels only, every one checked by its hash.

uv reads the lock and builds the board's wheel; pip installs, because it is pip that people have configured for their
network (PIP_INDEX_URL, the secrets pip_config and ca_bundle). Nothing but the lock decides what is installed.
"""

import os
import subprocess
import sys
from pathlib import Path

HOME = Path("/opt/agent-board")
_TOOLS = Path("/build/tools")
_SECRETS = Path("/run/secrets")
_LOCKED = ("--require-hashes", "--only-binary=:all:", "--no-deps", "--quiet")


def main(step: str) -> None:
    """Take one step; each is a layer of its own, so that a change of the board does not install everything again."""
    try:
        {"dependencies": install_dependencies, "board": install_board}[step]()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(error.cmd[0]).name} failed (exit code {error.returncode}); its message is above.")


def install_dependencies() -> None:
    """Make the environment with what the processes need at run time, and nothing for development."""
    _run(sys.executable, "-m", "venv", _TOOLS)
    _run(sys.executable, "-m", "venv", "--without-pip", HOME)
    _pip("install", *_LOCKED, "-r", "bootstrap.txt")
    _run(_TOOLS / "bin" / "uv", "export", "--frozen", "--no-dev", "--no-emit-project", "--no-header", "--no-annotate",
         "--quiet", "--output-file", "requirements.txt")  # fmt: skip
    _pip("--python", HOME / "bin" / "python", "install", *_LOCKED, "-r", "requirements.txt")


def install_board() -> None:
    """Build the board's wheel, with the backend that is part of uv, and install it."""
    # The board's metadata name it; a change of the real one is no change of the image.
    Path("README.md").touch()
    _run(_TOOLS / "bin" / "uv", "build", "--wheel", "--offline", "--quiet", "--out-dir", "dist")
    wheels = list(Path("dist").glob("*.whl"))
    _pip("--python", HOME / "bin" / "python", "install", "--no-deps", "--no-index", "--quiet", *wheels)


def _pip(*arguments: str | Path) -> None:
    _run(_TOOLS / "bin" / "python", "-m", "pip", *arguments)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, env={**os.environ, **_configuration()})


def _configuration() -> dict[str, str]:
    """Return pip's variables for the secrets that were given; an empty build argument counts as not given."""
    given = {"PIP_CONFIG_FILE": _SECRETS / "pip_config", "PIP_CERT": _SECRETS / "ca_bundle"}
    found = {name: str(path) for name, path in given.items() if path.exists() and path.stat().st_size}
    if not os.environ.get("PIP_INDEX_URL"):
        os.environ.pop("PIP_INDEX_URL", None)
    return found


if __name__ == "__main__":
    main(sys.argv[1])
