"""The board as its callers see it: through the published port, with TLS if it has a certificate."""

import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from deploy.compose import running
from deploy.compose.configuration import Configuration

WAIT_SECONDS = 5
EVERY_SECONDS = 0.2


@dataclass
class Outage:
    """How many seconds calls have failed: each time from the first one that failed to the next one that did not."""

    seconds: float = 0.0


def ask(configuration: Configuration) -> tuple[int, str]:
    """Call `/api/health`; return the status and the body of the answer. Raises OSError without an answer."""
    # The certificate is for the name that agents use, but this request goes to an address of this machine.
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    without_proxy = urllib.request.ProxyHandler({})
    direct = urllib.request.build_opener(without_proxy, urllib.request.HTTPSHandler(context=unchecked))
    try:
        with direct.open(f"{running.local_url(configuration)}/api/health", timeout=WAIT_SECONDS) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(errors="replace")


def served(configuration: Configuration) -> bool:
    try:
        return ask(configuration)[0] == 200
    except OSError:
        return False


@contextmanager
def watching(configuration: Configuration) -> Iterator[Outage]:
    """Call the board again and again during the block, and measure the outage."""
    outage, over = Outage(), threading.Event()
    watch = threading.Thread(target=measure, args=(configuration, outage, over), daemon=True)
    watch.start()
    try:
        yield outage
    finally:
        over.set()
        watch.join()


def measure(configuration: Configuration, outage: Outage, over: threading.Event) -> None:
    began: float | None = None
    ended = 0.0
    while True:
        called = time.monotonic()
        is_served = served(configuration)
        if began is None and not is_served:
            began, ended = called, outage.seconds
        if began is not None:
            outage.seconds = ended + time.monotonic() - began
        if is_served:
            began = None
        if over.wait(EVERY_SECONDS):
            return
