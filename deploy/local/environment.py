"""Creates the environment (.venv) with exactly the packages of uv.lock, wheels only, each verified by its hash.

There are two sets of packages: `run` for a board on this machine, and `dev` for development, which contains `run`. Runs
before anything is installed, so it must import only the standard library. Packages come from the index that the user
has configured for pip or uv; by default, uv would fetch them from the addresses in uv.lock.
"""

import ast
import os
import re
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
_TOOLS = CHECKOUT / ".local" / "uv"
_UV = _TOOLS / "bin" / "uv"
_BOOTSTRAP = CHECKOUT / "bootstrap.txt"
_VENV = CHECKOUT / ".venv"
_CLIENT = CHECKOUT / "clients" / "python"
_CLIENT_WHEEL = CHECKOUT / "services" / "api" / "documents" / "client"
_GROUPS = {"run": ["--no-dev", "--group", "local"], "dev": []}
_QUIET_SECONDS = 10
Command = list[str | Path]

_NO_PIP = """This Python has neither venv nor pip; one of them is needed.
On Debian and Ubuntu: apt-get install python3-venv"""
_UNREACHABLE = """If it could not reach a package index, look at these settings:
  PIP_INDEX_URL     the address of the index, also set by: pip config set global.index-url ADDRESS
  UV_DEFAULT_INDEX  the same for uv only (or UV_INDEX_URL); uv uses pip's index without it
  HTTPS_PROXY       a proxy; also pip's setting "proxy"
  PIP_CERT, SSL_CERT_FILE  the certificates to trust, in networks that intercept TLS"""


def main(packages: str) -> None:
    _check_writable()
    try:
        if not _has_uv():
            print("Fetching uv, which installs the packages", flush=True)
            _install_uv()
        _make_environment(packages)
    except subprocess.CalledProcessError as error:
        program = Path(error.cmd[0]).name
        sys.exit(f"{program} failed (exit code {error.returncode}); its message is above.\n{_UNREACHABLE}")


def _check_writable() -> None:
    for folder in (CHECKOUT, CHECKOUT / ".local", _TOOLS, _VENV):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            sys.exit(
                f"{folder} is read-only. The environment (.venv) and the data of make run (.local) are kept in the "
                "checkout; copy it to a folder in which you may write."
            )


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


def _make_environment(packages: str) -> None:
    env = uv_environment()
    requirements = _TOOLS / "requirements.txt"
    locked: Command = [
        _UV,
        "export",
        "--project",
        CHECKOUT,
        "--frozen",
        "--no-emit-local",
        "--no-header",
        "--no-annotate",
        *_GROUPS[packages],
    ]
    _run(*locked, "--quiet", "--output-file", requirements, env=env)
    count = len(re.findall("^[^ #].*==", requirements.read_text(encoding="utf-8"), re.MULTILINE))
    print(f"Installing at most {count} packages into .venv", flush=True)
    if not _is_usable(_VENV):
        _run(_UV, "venv", "--quiet", "--clear", "--no-project", "--python", sys.executable, _VENV, env=env)
    _run(_UV, "pip", "sync", "--python", _VENV, "--require-hashes", "--no-build", requirements, env=env)
    ours: Command = ["--editable", CHECKOUT]
    ours += ["--editable", _CLIENT] if packages == "dev" else []
    _run(_UV, "pip", "install", "--python", _VENV, "--quiet", "--no-deps", *ours, env=env)
    # The board serves it.
    shutil.rmtree(_CLIENT_WHEEL, ignore_errors=True)
    _run(_UV, "build", "--wheel", "--offline", "--quiet", "--out-dir", _CLIENT_WHEEL, _CLIENT, env=env)


def _is_usable(venv: Path) -> bool:
    check: Command = [venv / "bin" / "python", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def _run(*command: str | Path, env: Mapping[str, str] | None = None) -> None:
    """Run a program, and report that it still runs if there is no terminal on which it could show its own progress."""
    started = time.monotonic()
    with subprocess.Popen(command, env=env, cwd=CHECKOUT) as process:
        while True:
            try:
                code = process.wait(None if sys.stderr.isatty() else _QUIET_SECONDS)
                break
            except subprocess.TimeoutExpired:
                seconds = time.monotonic() - started
                print(f"Still working ({seconds:.0f} seconds)", flush=True)
    if code != 0:
        raise subprocess.CalledProcessError(code, command)


def uv_environment() -> dict[str, str]:
    """Return this process's environment with pip's configuration translated for uv. Settings for uv take precedence."""
    pip = _pip_configuration()
    indexes = pip.get("extra-index-url", "").split()
    found = {
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        "UV_INDEX": " ".join(indexes),
        # Query all indexes, as pip does; the hashes make that safe.
        "UV_INDEX_STRATEGY": "unsafe-best-match" if indexes else "",
        "UV_FIND_LINKS": ",".join(link for link in pip.get("find-links", "").split() if _is_there(link)),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
        "ALL_PROXY": pip.get("proxy", ""),
        "SSL_CERT_FILE": pip.get("cert", ""),
        "UV_SYSTEM_CERTS": "true" if pip.get("cert") or _has_system_certificates() else "",
    }
    if os.environ.get("UV_INDEX_URL"):
        # uv prefers the newer UV_DEFAULT_INDEX.
        del found["UV_DEFAULT_INDEX"]
    env = {**{name: value for name, value in found.items() if value}, **os.environ}
    env.pop("VIRTUAL_ENV", None)
    return {**env, "UV_PYTHON_DOWNLOADS": "never"}


def _pip_configuration() -> dict[str, str]:
    """Return pip's settings by name, merged in pip's own order: files, the command's section, the environment."""
    own = _TOOLS / "bin" / "python"
    pip: Command = [own if own.exists() else sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(pip, capture_output=True, text=True, check=False).stdout
    settings: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for name, value in re.findall(rf"^{section}\.([a-z-]+)=(.*)$", listed, re.MULTILINE):
            settings[name] = str(ast.literal_eval(value))
    return settings


def _is_there(link: str) -> bool:
    # Unlike pip, uv fails if a directory does not exist.
    return "://" in link or Path(link).is_dir()


def _has_system_certificates() -> bool:
    paths = ssl.get_default_verify_paths()
    return paths.cafile is not None or (paths.capath is not None and any(os.scandir(paths.capath)))


if __name__ == "__main__":
    main(sys.argv[1])
