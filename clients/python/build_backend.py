"""Builds the package with uv's own backend, once the modules are written that are made from the contract (PEP 517)."""

import subprocess
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import uv_build

P = ParamSpec("P")
CHECKOUT = Path(__file__).parents[2]


def generating(build: Callable[P, str]) -> Callable[P, str]:
    """Run the generator before a build. An sdist has the modules, and no generator."""

    @wraps(build)
    def run(*args: P.args, **kwargs: P.kwargs) -> str:
        if (CHECKOUT / "clients" / "generator").is_dir():
            subprocess.run([sys.executable, "-m", "clients.generator"], cwd=CHECKOUT, check=True)
        return build(*args, **kwargs)

    return run


build_wheel = generating(uv_build.build_wheel)
build_editable = generating(uv_build.build_editable)
build_sdist = generating(uv_build.build_sdist)
