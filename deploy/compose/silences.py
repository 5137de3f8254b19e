"""Planned work holds back the alerts that it causes, in Alertmanager, while it lasts and five minutes longer.

A command that is killed extends its silence no more, so that the alerts come a few minutes later.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

# Alerts look back for up to five minutes.
LASTS_SECONDS: Final = 300
EXTENDED_SECONDS: Final = 60
REPLACED: Final = (
    "HAProxyServerDown|LimiterAway|MemoryForgotten|NoProcessUp|ProcessDown|ProcessRestarts|ReplicasMissing"
)
DOWN: Final = (
    f"{REPLACED}|ApiUnavailable|BackupServiceAway|BoardUnreachable|DatabaseAway|FanoutFailing|FanoutPartitionStuck"
    "|HAProxyErrors|HAProxyNoServer|PartitionsNotHeld|PoolExhausted|PostgreSQLLongTransaction|SearchIndexFailing"
    "|FollowerMissing|WriteQueueFilling|(Availability|InboxFreshness|ReadLatency|WriteLatency)BudgetBurns(Fast|Slowly)"
)
CAUSED: Final = {"roll": REPLACED, "upgrade": REPLACED, "restore": DOWN}
"""The alerts that each command causes, as a regular expression of their names."""


@contextmanager
def planned(stack: Stack, command: str) -> Iterator[None]:
    """Hold back what a command causes while it runs. If it fails, its alerts come at once."""
    silence = begin(stack, command) if command in CAUSED else ""
    if not silence:
        yield
        return
    over = threading.Event()
    extending = threading.Thread(target=extend, args=(stack, silence, over), daemon=True)
    extending.start()
    try:
        yield
    except BaseException:
        over.set()
        extending.join()
        amtool(stack, "silence", "expire", silence)
        raise
    over.set()
    extending.join()
    renew(stack, silence)


def begin(stack: Stack, command: str) -> str:
    words = (f"--author=make {command}", f"--comment=make {command} is running.", f"--duration={LASTS_SECONDS}s")
    return amtool(stack, "silence", "add", *words, f'alertname=~"{CAUSED[command]}"')


def extend(stack: Stack, silence: str, over: threading.Event) -> None:
    while not over.wait(EXTENDED_SECONDS):
        renew(stack, silence)


def renew(stack: Stack, silence: str) -> None:
    """Let a silence end five minutes from now. A duration would count from its beginning."""
    end = datetime.now(UTC) + timedelta(seconds=LASTS_SECONDS)
    amtool(stack, "silence", "update", f"--end={end:%Y-%m-%dT%H:%M:%SZ}", silence)


def amtool(stack: Stack, *arguments: str) -> str:
    """Run Alertmanager's client; return its output, or nothing if it fails, which must not stop the work."""
    with suppress(StackError):
        for each in stack.containers():
            if each.service == "alertmanager" and each.status == "running":
                address = "--alertmanager.url=http://127.0.0.1:9093"
                return stack.docker("exec", each.id, "amtool", address, *arguments).strip()
    return ""
