"""Fills /opt/agent-board while the image is built: the packages of uv.lock, wheels only, each verified by its hash.

uv reads the lock and builds the board's wheel. pip installs, because it is what users have configured for their network
(PIP_INDEX_URL, the secrets pip_config and ca_bundle). Only the lock decides what is installed.
"""

import os
import subprocess
import sys
from pathlib import Path

HOME = Path("/opt/agent-board")
_TOOLS = Path("/build/tools")
_SECRETS = Path("/run/secrets")
_LOCKED = ("--require-hashes", "--only-binary=:all:", "--no-deps", "--no-compile", "--quiet")


def main(step: str) -> None:
    """Run one step. Each is its own layer, so that a change to the board does not reinstall its dependencies."""
    try:
        {"dependencies": install_dependencies, "load": install_load_tests, "board": install_board}[step]()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(error.cmd[0]).name} failed (exit code {error.returncode}); its message is above.")


def install_dependencies() -> None:
    """Create the environment with the run-time dependencies, but none for development."""
    _install("--no-dev")


def install_load_tests() -> None:
    """Create the environment with what the load tests need."""
    _install("--no-dev", "--group", "load")


def _install(*groups: str) -> None:
    _run(sys.executable, "-m", "venv", _TOOLS)
    _run(sys.executable, "-m", "venv", "--without-pip", HOME)
    _pip("install", *_LOCKED, "-r", "bootstrap.txt")
    _run(_TOOLS / "bin" / "uv", "export", "--frozen", *groups, "--no-emit-project", "--no-header", "--no-annotate",
         "--quiet", "--output-file", "requirements.txt")  # fmt: skip
    _pip("--python", HOME / "bin" / "python", "install", *_LOCKED, "-r", "requirements.txt")
    _compile(".")


def install_board() -> None:
    """Build the board's wheel, which holds that of the client for agents, with uv's own build backend; install it."""
    _wheel("services/api/documents/client", "clients/python")
    # The package metadata names it. An empty one keeps changes to the real README from changing the image.
    Path("README.md").touch()
    _wheel("dist", ".")
    wheels = list(Path("dist").glob("*.whl"))
    _pip("--python", HOME / "bin" / "python", "install", "--no-deps", "--no-index", "--no-compile", "--quiet", *wheels)
    _compile("services")


def _wheel(folder: str, package: str) -> None:
    _run(_TOOLS / "bin" / "uv", "build", "--wheel", "--offline", "--quiet", "--out-dir", folder, package)


def _compile(package: str) -> None:
    """Compile a folder of site-packages. Unlike pip's, these files do not contain the time of the installation."""
    (packages,) = HOME.glob("lib/python*/site-packages")
    compiling = ("compileall", "-qq", "-f", "--invalidation-mode=unchecked-hash", packages / package)
    os.environ["PYTHONHASHSEED"] = "0"
    # Its exit code is 1 if any file is not valid Python, such as a template of a package.
    subprocess.run([HOME / "bin" / "python", "-m", *compiling], check=False)


def _pip(*arguments: str | Path) -> None:
    _run(_TOOLS / "bin" / "python", "-m", "pip", *arguments)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, env={**os.environ, **_configuration()})


def _configuration() -> dict[str, str]:
    """Return pip's variables for the secrets that were given; an empty secret or build argument counts as not given."""
    given = {"PIP_CONFIG_FILE": _SECRETS / "pip_config", "PIP_CERT": _SECRETS / "ca_bundle"}
    found = {name: str(path) for name, path in given.items() if path.exists() and path.stat().st_size}
    if not os.environ.get("PIP_INDEX_URL"):
        os.environ.pop("PIP_INDEX_URL", None)
    return found


if __name__ == "__main__":
    main(sys.argv[1])
