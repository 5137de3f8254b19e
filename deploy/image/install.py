"""Fills /opt/agent-board while the image is built: the packages of uv.lock, wheels only, each verified by its hash.

uv reads the lock and builds the board's wheel. pip installs, because it is what users have configured for their network
(PIP_INDEX_URL, the secrets pip_config and ca_bundle). Only the lock decides what is installed.
"""

import os
import subprocess
import sys
from pathlib import Path

HOME = Path("/opt/agent-board")
TOOLS = Path("/build/tools")
SECRETS = Path("/run/secrets")
CLIENT = "services/api/documents/client"
LOCKED = ("--require-hashes", "--only-binary=:all:", "--no-deps", "--no-compile", "--quiet")


def main(step: str) -> None:
    """Run one step. Each is its own layer, so that a change to the board does not reinstall its dependencies."""
    try:
        {"dependencies": install_dependencies, "board": install_board}[step]()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(error.cmd[0]).name} failed (exit code {error.returncode}); its message is above.")


def install_dependencies() -> None:
    """Create the environment with all run-time dependencies, also those of optional parts, but none for development."""
    install("--no-dev", "--group", "mcp", "--all-extras", "--no-emit-package", "agent-board-client")
    # The build tools of the client's wheel stay out of the image.
    install_locked(TOOLS, "--only-group", "build")


def install(*groups: str) -> None:
    run(sys.executable, "-m", "venv", TOOLS)
    run(sys.executable, "-m", "venv", "--without-pip", HOME)
    pip("install", *LOCKED, "-r", "bootstrap.txt")
    install_locked(HOME, *groups)
    compile_package(".")


def install_locked(folder: Path, *groups: str) -> None:
    run(TOOLS / "bin" / "uv", "export", "--frozen", *groups, "--no-emit-project", "--no-header", "--no-annotate",
         "--quiet", "--output-file", "requirements.txt")  # fmt: skip
    pip("--python", folder / "bin" / "python", "install", *LOCKED, "-r", "requirements.txt")


def install_board() -> None:
    """Build the board's wheel, which holds that of the client, and install both."""
    wheel(CLIENT, "clients/python")
    # The package metadata names it. An empty one keeps changes to the real README from changing the image.
    Path("README.md").touch()
    wheel("dist", ".")
    wheels = [path for folder in ("dist", CLIENT) for path in Path(folder).glob("*.whl")]
    pip("--python", HOME / "bin" / "python", "install", "--no-deps", "--no-index", "--no-compile", "--quiet", *wheels)
    compile_package("services")
    compile_package("agent_board_client")


def wheel(folder: str, package: str) -> None:
    run(TOOLS / "bin" / "uv", "build", "--wheel", "--offline", "--no-build-isolation", "--python", TOOLS, "--quiet",
        "--out-dir", folder, package)  # fmt: skip


def compile_package(package: str) -> None:
    """Compile a folder of site-packages. Unlike pip's, these files do not contain the time of the installation."""
    (packages,) = HOME.glob("lib/python*/site-packages")
    compiling = ("compileall", "-qq", "-f", "--invalidation-mode=unchecked-hash", packages / package)
    os.environ["PYTHONHASHSEED"] = "0"
    # Its exit code is 1 if any file is not valid Python, such as a template of a package.
    subprocess.run([HOME / "bin" / "python", "-m", *compiling], check=False)


def pip(*arguments: str | Path) -> None:
    run(TOOLS / "bin" / "python", "-m", "pip", *arguments)


def run(*command: str | Path) -> None:
    subprocess.run(command, check=True, env={**os.environ, **configuration()})


def configuration() -> dict[str, str]:
    """Return pip's variables for the secrets that were given; an empty secret or build argument counts as not given."""
    given = {"PIP_CONFIG_FILE": SECRETS / "pip_config", "PIP_CERT": SECRETS / "ca_bundle"}
    found = {name: str(path) for name, path in given.items() if path.exists() and path.stat().st_size}
    if not os.environ.get("PIP_INDEX_URL"):
        os.environ.pop("PIP_INDEX_URL", None)
    return found


if __name__ == "__main__":
    main(sys.argv[1])
