"""Makes the environment (.venv) with exactly the packages of uv.lock, wheels only, every one checked by its hash.

Runs before anything is installed, so it must never import anything but the standard library. The package index is the
one that the user has configured for pip or uv: uv alone would fetch from the addresses in uv.lock, wherever it runs.
"""

import ast
import os
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
_TOOLS = CHECKOUT / ".local" / "uv"
_UV = _TOOLS / "bin" / "uv"
_BOOTSTRAP = CHECKOUT / "bootstrap.txt"
_VENV = CHECKOUT / ".venv"
Command = list[str | Path]

_NO_PIP = """Python has neither venv nor pip here, and one of them is needed.
Debian and Ubuntu: apt-get install python3-venv"""


def main() -> None:
    try:
        if not _has_uv():
            print("Fetching uv", flush=True)
            _install_uv()
        print("Making the environment in .venv", flush=True)
        _make_environment()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(error.cmd[0]).name} failed (exit code {error.returncode}); its message is above.")


def _has_uv() -> bool:
    done = _TOOLS / "bootstrap.txt"
    return _UV.exists() and done.exists() and done.read_bytes() == _BOOTSTRAP.read_bytes()


def _install_uv() -> None:
    shutil.rmtree(_TOOLS, ignore_errors=True)
    _TOOLS.parent.mkdir(exist_ok=True)
    wheels: Command = [
        "--require-hashes",
        "--only-binary=:all:",
        "--disable-pip-version-check",
        "--quiet",
        "-r",
        _BOOTSTRAP,
    ]
    if _can_import("venv", "ensurepip"):
        _run(sys.executable, "-m", "venv", _TOOLS)
        _run(_TOOLS / "bin" / "python", "-m", "pip", "install", *wheels)
    elif _can_import("pip"):
        _run(sys.executable, "-m", "pip", "install", "--target", _TOOLS, *wheels)
    else:
        sys.exit(_NO_PIP)
    shutil.copy(_BOOTSTRAP, _TOOLS / "bootstrap.txt")


def _can_import(*modules: str) -> bool:
    check = [sys.executable, "-c", f"import {', '.join(modules)}"]
    return subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode == 0


def _make_environment() -> None:
    env = _uv_environment()
    requirements = _TOOLS / "requirements.txt"
    locked: Command = [
        _UV,
        "export",
        "--project",
        CHECKOUT,
        "--frozen",
        "--no-emit-project",
        "--no-header",
        "--no-annotate",
    ]
    _run(*locked, "--quiet", "--output-file", requirements, env=env)
    if not _is_usable(_VENV):
        _run(_UV, "venv", "--quiet", "--clear", "--no-project", "--python", sys.executable, _VENV, env=env)
    _run(_UV, "pip", "sync", "--python", _VENV, "--require-hashes", "--no-build", requirements, env=env)
    _run(_UV, "pip", "install", "--python", _VENV, "--quiet", "--no-deps", "--editable", CHECKOUT, env=env)


def _is_usable(venv: Path) -> bool:
    check: Command = [venv / "bin" / "python", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def _run(*command: str | Path, env: Mapping[str, str] | None = None) -> None:
    subprocess.run(command, check=True, env=env, cwd=CHECKOUT)


def _uv_environment() -> dict[str, str]:
    """Return this process's environment with pip's configuration in uv's words; what is set for uv goes first."""
    pip = _pip_configuration()
    indexes = pip.get("extra-index-url", "").split()
    found = {
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        "UV_INDEX": " ".join(indexes),
        # All indexes are asked, as pip does; the hashes make that safe.
        "UV_INDEX_STRATEGY": "unsafe-best-match" if indexes else "",
        "UV_FIND_LINKS": ",".join(link for link in pip.get("find-links", "").split() if _is_there(link)),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
        "ALL_PROXY": pip.get("proxy", ""),
        "SSL_CERT_FILE": pip.get("cert", ""),
        "UV_SYSTEM_CERTS": "true" if pip.get("cert") or _has_system_certificates() else "",
    }
    env = {**{name: value for name, value in found.items() if value}, **os.environ}
    env.pop("VIRTUAL_ENV", None)
    return {**env, "UV_PYTHON_DOWNLOADS": "never"}


def _pip_configuration() -> dict[str, str]:
    """Return pip's settings by name, merged in pip's own order: files, the section of the command, the environment."""
    own = _TOOLS / "bin" / "python"
    pip: Command = [own if own.exists() else sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(pip, capture_output=True, text=True, check=False).stdout
    settings: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for name, value in re.findall(rf"^{section}\.([a-z-]+)=(.*)$", listed, re.MULTILINE):
            settings[name] = str(ast.literal_eval(value))
    return settings


def _is_there(link: str) -> bool:
    # uv, unlike pip, stops at a directory that does not exist.
    return "://" in link or Path(link).is_dir()


def _has_system_certificates() -> bool:
    paths = ssl.get_default_verify_paths()
    return paths.cafile is not None or (paths.capath is not None and any(os.scandir(paths.capath)))


if __name__ == "__main__":
    main()
