"""kubectl on the cluster of KUBECONFIG, and the commands of `make` for it."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.processes import CHECKOUT

Object = dict[str, Any]


class Refused(Exception):
    """A command failed; its last line."""


def kubectl(*arguments: str, stdin: str = "", seconds: float = 600) -> str:
    """Return the output of kubectl. Raises Refused."""
    return answer(["kubectl", *arguments], stdin, seconds)


def find(*arguments: str) -> list[Object]:
    """Return the objects that `kubectl get` finds. Raises Refused."""
    found = json.loads(kubectl("get", *arguments, "--ignore-not-found", "--output=json") or '{"items": []}')
    return list(found["items"]) if "items" in found else [found]


def make(target: str, overlay: Path, namespace: str) -> str:
    """Run `make k8s-up` or `make k8s-down` as an operator does. Raises Refused."""
    return answer(["make", f"--directory={CHECKOUT}", target, f"OVERLAY={overlay}", f"NAMESPACE={namespace}"])


def answer(command: list[str], stdin: str = "", seconds: float = 1200) -> str:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise Refused(f"{' '.join(command[:3])}: {lines[-1]}")
    return done.stdout
