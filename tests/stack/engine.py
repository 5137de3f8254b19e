"""An engine for the tests of the stack: a running one, or else one that is installed and started here as root.

Packages come from the Debian mirror that this machine already uses.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path

from deploy.environment import CHECKOUT

STATE = CHECKOUT / ".local" / "stack"
SUITE = "trixie"
NEWEST_SUITE = "forky"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LEAST_COMPOSE = (2, 26)
START_SECONDS = 60


class NoEngine(Exception):
    """The reason why no engine is available here, in one sentence."""


@contextmanager
def engine() -> Iterator[None]:
    """Provide an engine with Compose, which this process's environment then finds. Raises NoEngine."""
    daemon = None if answers() else start()
    try:
        if not has_compose():
            fetch_compose()
        yield
    finally:
        if daemon:
            daemon.terminate()
            daemon.wait(START_SECONDS)


def engine_address() -> str:
    """Return this machine's address in the engine's default network, which containers reach as host.docker.internal."""
    [configured] = json.loads(run("docker", "network", "inspect", "bridge"))[0]["IPAM"]["Config"]
    # An engine that has never been restarted names only the network, of which it takes the first address.
    return configured.get("Gateway") or str(next(ip_network(configured["Subnet"]).hosts()))


def mirror() -> str:
    """Return the address of the Debian mirror that apt uses here. Raises NoEngine."""
    listed = run("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Identifier: Packages").splitlines()
    addresses = [line.split()[1] for line in listed if line.startswith("Debian http") and "security" not in line]
    if not addresses:
        raise NoEngine("apt knows no mirror of Debian here, from which the stack's parts could be fetched.")
    return addresses[0]


def install(*packages: str) -> None:
    """Install packages of this machine's own Debian. Raises NoEngine."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise NoEngine(f"{', '.join(packages)} would have to be installed, which only root can do, with apt.")
    run("apt-get", "update", "-qq", seconds=300)
    run("apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages, seconds=600)


def answers() -> bool:
    return bool(shutil.which("docker")) and succeeds("docker", "info")


def start() -> "subprocess.Popen[bytes]":
    if os.geteuid() != 0:
        raise NoEngine("No container engine answers here, and only root could start one.")
    if not shutil.which("dockerd"):
        install("docker.io", "iptables")
    STATE.mkdir(parents=True, exist_ok=True)
    with (STATE / "dockerd.log").open("ab") as log:
        daemon = subprocess.Popen(["dockerd"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    deadline = time.monotonic() + START_SECONDS
    while not answers():
        if daemon.poll() is not None or time.monotonic() > deadline:
            daemon.kill()
            raise NoEngine(f"dockerd cannot run here; {STATE / 'dockerd.log'} says why.")
        time.sleep(0.3)
    return daemon


def has_compose() -> bool:
    done = subprocess.run(["docker", "compose", "version", "--short"], capture_output=True, text=True, check=False)
    version = re.search(r"(\d+)\.(\d+)", done.stdout)
    return done.returncode == 0 and version is not None and (int(version[1]), int(version[2])) >= LEAST_COMPOSE


def fetch_compose() -> None:
    """Install Debian 13's Compose and buildx where the client looks, in a configuration folder for these tests."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise NoEngine("Docker Compose 2.26 or newer is missing, and only root could fetch it, with apt.")
    os.environ["DOCKER_CONFIG"] = str(STATE / "docker")
    if not has_compose():
        install_plugins(SUITE, STATE / "docker")
    if not has_compose():
        raise NoEngine("Debian's docker-compose does not run here.")


def compose_of(suite: str) -> Path:
    """Return a configuration folder of the client with Compose and buildx of a suite of Debian. Raises NoEngine."""
    folder = STATE / f"docker-{suite}"
    if not (folder / "config.json").exists():
        install_plugins(suite, folder)
    return folder


def install_plugins(suite: str, configuration: Path) -> None:
    """Install Compose and buildx of a suite of Debian in a configuration folder of the client. Raises NoEngine."""
    root = unpacked(suite, "docker-compose", "docker-buildx")
    plugins = configuration / "cli-plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    for program in (root / "usr/libexec/docker/cli-plugins").iterdir():
        shutil.copy(program, plugins / program.name)
    (configuration / "config.json").write_text(json.dumps({}))


def unpacked(suite: str, *packages: str) -> Path:
    """Return a folder with the files of packages of Debian, which replace those of a former call. Raises NoEngine."""
    folder = STATE / f"debian-{suite}"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lists" / "partial").mkdir(parents=True)
    sources = folder / "debian.sources"
    sources.write_text(f"Types: deb\nURIs: {mirror()}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n")
    settings = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "-",
        "Dir::State::Lists": folder / "lists",
        "APT::Sandbox::User": "root",
    }
    options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
    run("apt-get", *options, "update", "-qq", seconds=300)
    chosen = [f"{package}/{suite}" for package in packages]
    run("apt-get", *options, "download", "-qq", *chosen, seconds=300, cwd=folder)
    for package in folder.glob("*.deb"):
        run("dpkg", "-x", str(package), str(folder / "root"))
    return folder / "root"


def succeeds(*command: str) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def run(*command: str, seconds: float = 60, cwd: Path = CHECKOUT) -> str:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoEngine(f"{' '.join(command[:3])} failed: {error}") from None
    if done.returncode != 0:
        raise NoEngine(f"{' '.join(command[:3])} failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout
