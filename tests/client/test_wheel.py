"""Every board serves the client that was built with it: the same bytes from every build, installable by pip."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from services.contract.operations import CLIENT_WHEEL, NAMED
from tests.processes import CHECKOUT
from tests.web import Web

UV = CHECKOUT / ".local" / "uv" / "bin" / "uv"
SOURCE = CHECKOUT / "clients" / "python"
PATH = NAMED["read_client"].path


@pytest.fixture
def uv() -> Path:
    if not UV.exists():
        pytest.skip("uv is missing: this environment was not created by make.")
    return UV


def listed_digest(web: Web) -> str:
    return {row["path"]: str(row["sha256"]) for row in web.get("/effects.json").json["documents"]}[PATH]


def test_every_build_has_the_bytes_that_the_board_serves(web: Web, uv: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(SOURCE, copy, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*"):
        os.utime(path, (1e9, 1e9))
    for number, folder in enumerate((SOURCE, copy)):
        built = tmp_path / str(number)
        here = ("--offline", "--no-build-isolation", "--python", sys.executable)
        subprocess.run([uv, "build", "--wheel", *here, "--quiet", "--out-dir", built, folder], check=True)
        served = web.get(PATH).content
        assert (built / CLIENT_WHEEL).read_bytes() == served, "the client has changed: run make .venv/ready"
    assert listed_digest(web) == hashlib.sha256(served).hexdigest()


def test_it_is_installed_from_the_board_if_its_digest_is_right(web: Web, uv: Path, tmp_path: Path) -> None:
    served = re.search(r'`pip install "(\S+\[mcp\] @ \S+)#sha256=(\w+)"`', web.get("/skill.md").content.decode())
    assert served is not None

    def install(digest: str) -> int:
        requirement = f"{served[1]}#sha256={digest}"
        command: list[str | Path] = [
            uv,
            "pip",
            "install",
            "--no-deps",
            "--no-cache",
            "--quiet",
            "--target",
            tmp_path,
            requirement,
        ]
        environment = {"PATH": os.environ["PATH"], "VIRTUAL_ENV": sys.prefix}
        return subprocess.run(command, env=environment, capture_output=True, check=False).returncode

    assert install("0" * 64) != 0
    assert install(served[2]) == 0
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import agent_board_client; print(agent_board_client)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) in shown
    assert (tmp_path / "bin" / "board").exists()


def test_the_name_of_the_file_has_the_version_of_the_client() -> None:
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}-py3-none-any.whl"
    assert name == CLIENT_WHEEL
