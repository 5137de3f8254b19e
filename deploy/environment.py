"""Creates the environment (.venv) with exactly the packages of uv.lock, wheels only, each verified by its hash.

There are three sets of packages, each of which contains the one before: `run` for a board on this machine, `test` for
`make test`, and `dev` for development. Runs before anything is installed, so it must import only the standard library.
Packages come from the index that the user has configured for pip or uv; by default, uv would fetch them from the
addresses in uv.lock.
"""

import ast
import fcntl
import os
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TOOLS = CHECKOUT / ".local" / "uv"
UV = TOOLS / "bin" / "uv"
BOOTSTRAP = CHECKOUT / "bootstrap.txt"
VENV = CHECKOUT / ".venv"
CLIENT = CHECKOUT / "clients" / "python"
CLIENT_WHEEL = CHECKOUT / "services" / "api" / "documents" / "client"
LOCK = CHECKOUT / ".local" / "environment.lock"
GROUPS = {
    "run": ["--no-dev", "--group", "build", "--extra", "local"],
    "test": ["--no-dev", "--group", "test"],
    "dev": [],
}
# Files that are newer than all inputs once their packages are installed.
MARKS = {"run": VENV / "run", "test": VENV / "test", "dev": VENV / "ready"}
Command = list[str | Path]

NO_VENV = "This Python has no venv, which is needed. On Debian and Ubuntu: apt-get install python3-venv"
UNREACHABLE = """If it could not reach a package index, look at these settings:
  PIP_INDEX_URL     the address of the index, also set by: pip config set global.index-url ADDRESS
  UV_DEFAULT_INDEX  the same for uv only (or UV_INDEX_URL); uv uses pip's index without it
  HTTPS_PROXY       a proxy; also pip's setting "proxy"
  PIP_CERT, SSL_CERT_FILE  the certificates to trust, in networks that intercept TLS"""


def main(packages: str, inputs: Sequence[str]) -> None:
    """Install a set of packages, unless another run did it meanwhile. `inputs` are the files on which it depends."""
    check_writable()
    try:
        with only_one():
            # Packages of a larger set stay installed: a later `make run` updates them too.
            *_, wanted = [each for each, mark in MARKS.items() if mark.exists() or each == packages]
            if is_current(MARKS[wanted], inputs):
                return
            if not has_uv():
                print("Fetching uv, which installs the packages", flush=True)
                install_uv()
            make_environment(wanted, adds=is_current(MARKS["run"], inputs))
            for mark in list(MARKS.values())[: list(MARKS).index(wanted) + 1]:
                mark.touch()
    except subprocess.CalledProcessError as error:
        program = Path(error.cmd[0]).name
        sys.exit(f"{program} failed (exit code {error.returncode}); its message is above.\n{UNREACHABLE}")


def check_writable() -> None:
    for folder in (CHECKOUT, CHECKOUT / ".local", TOOLS, VENV):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            sys.exit(
                f"{folder} is read-only. The environment (.venv) and the data of make run (.local) are kept in the "
                "checkout; copy it to a folder in which you may write."
            )


@contextmanager
def only_one() -> Iterator[None]:
    """Wait until no other run changes the environment of this checkout. The lock ends with its process."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another make, which installs packages into .venv", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def is_current(mark: Path, inputs: Sequence[str]) -> bool:
    newest = max((CHECKOUT / file).stat().st_mtime_ns for file in inputs)
    return mark.exists() and mark.stat().st_mtime_ns >= newest


def has_uv() -> bool:
    done = TOOLS / "bootstrap.txt"
    return UV.exists() and done.exists() and done.read_bytes() == BOOTSTRAP.read_bytes()


def install_uv() -> None:
    shutil.rmtree(TOOLS, ignore_errors=True)
    TOOLS.parent.mkdir(exist_ok=True)
    wheels: Command = [
        "--require-hashes",
        "--only-binary=:all:",
        "--disable-pip-version-check",
        "-r",
        BOOTSTRAP,
    ]
    check = [sys.executable, "-c", "import venv, ensurepip"]
    if subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit(NO_VENV)
    run(sys.executable, "-m", "venv", TOOLS)
    run(TOOLS / "bin" / "python", "-m", "pip", "install", *wheels)
    shutil.copy(BOOTSTRAP, TOOLS / "bootstrap.txt")


def make_environment(packages: str, adds: bool) -> None:
    """Install a set of packages. With `adds`, packages are only added, because a board may run from the environment."""
    env = uv_environment()
    requirements = TOOLS / "requirements.txt"
    locked: Command = [
        UV,
        "export",
        "--project",
        CHECKOUT,
        "--frozen",
        "--no-emit-local",
        "--no-header",
        "--no-annotate",
        *GROUPS[packages],
    ]
    run(*locked, "--quiet", "--output-file", requirements, env=env)
    count = len(re.findall("^[^ #].*==", requirements.read_text(encoding="utf-8"), re.MULTILINE))
    print(f"Installing at most {count} packages into .venv", flush=True)
    if not is_usable(VENV):
        adds = False
        run(UV, "venv", "--quiet", "--clear", "--no-project", "--python", sys.executable, VENV, env=env)
    how = ["install", "--requirements"] if adds else ["sync"]
    run(UV, "pip", *how, requirements, "--python", VENV, "--require-hashes", "--no-build", env=env)
    ours: Command = [] if adds else ["--editable", CHECKOUT]
    ours += ["--editable", CLIENT] if packages != "run" else []
    # The build tools of the client are installed already: others would be neither locked nor verified.
    built: Command = ["--no-build-isolation", "--python", VENV, "--quiet"]
    run(UV, "pip", "install", "--no-deps", *built, *ours, env=env)
    if not adds:
        # The board serves it.
        shutil.rmtree(CLIENT_WHEEL, ignore_errors=True)
        run(UV, "build", "--wheel", "--offline", *built, "--out-dir", CLIENT_WHEEL, CLIENT, env=env)


def is_usable(venv: Path) -> bool:
    check: Command = [venv / "bin" / "python", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def run(*command: str | Path, env: Mapping[str, str] | None = None) -> None:
    subprocess.run(command, env=env, cwd=CHECKOUT, check=True)


def uv_environment() -> dict[str, str]:
    """Return this process's environment with pip's configuration translated for uv. Settings for uv take precedence."""
    pip = pip_configuration()
    indexes = pip.get("extra-index-url", "").split()
    found = {
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        "UV_INDEX": " ".join(indexes),
        # Query all indexes, as pip does; the hashes make that safe.
        "UV_INDEX_STRATEGY": "unsafe-best-match" if indexes else "",
        "UV_FIND_LINKS": ",".join(link for link in pip.get("find-links", "").split() if is_there(link)),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
        "ALL_PROXY": pip.get("proxy", ""),
        "SSL_CERT_FILE": pip.get("cert", ""),
        "UV_SYSTEM_CERTS": "true" if pip.get("cert") or has_system_certificates() else "",
    }
    if os.environ.get("UV_INDEX_URL"):
        # uv prefers the newer UV_DEFAULT_INDEX.
        del found["UV_DEFAULT_INDEX"]
    env = {**{name: value for name, value in found.items() if value}, **os.environ}
    env.pop("VIRTUAL_ENV", None)
    return {**env, "UV_PYTHON_DOWNLOADS": "never"}


def pip_configuration() -> dict[str, str]:
    """Return pip's settings by name, merged in pip's own order: files, the command's section, the environment."""
    own = TOOLS / "bin" / "python"
    pip: Command = [own if own.exists() else sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(pip, capture_output=True, text=True, check=False).stdout
    settings: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for name, value in re.findall(rf"^{section}\.([a-z-]+)=(.*)$", listed, re.MULTILINE):
            settings[name] = str(ast.literal_eval(value))
    return settings


def is_there(link: str) -> bool:
    # Unlike pip, uv fails if a directory does not exist.
    return "://" in link or Path(link).is_dir()


def has_system_certificates() -> bool:
    paths = ssl.get_default_verify_paths()
    return paths.cafile is not None or (paths.capath is not None and any(os.scandir(paths.capath)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
