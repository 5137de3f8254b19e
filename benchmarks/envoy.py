"""The rival of the limiter: Envoy's rate limit service over HTTP, with the same store, built where Go is installed."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchmarks.client import Requests, load
from benchmarks.plain_go import SOURCE, build
from benchmarks.report import Report
from benchmarks.stage import FOLDER, TURNS, core_apart, keep_to, limiter, run, started
from deploy.local.ports import free_port
from deploy.local.valkey import Valkey
from services.contract.checks import CHECK_PATH, Check
from services.contract.limits import POSTS

PACKAGE = "github.com/envoyproxy/ratelimit/src/service_cmd"
CONFIGURATION = f"""
domain: board
descriptors:
  - key: agent
    rate_limit: {{unit: minute, requests_per_unit: {POSTS.quota}}}
"""
AGENTS = 20_000
CALLERS = 32

Body = Callable[[int, int], bytes]


def measure(report: Report, valkey: Valkey, seconds: float) -> None:
    """Compare checks of many agents, one and 32 in each call, in short turns on the same core.

    Envoy counts in fixed minutes, with one INCRBY for each check. It answers 429 if one of the checks is refused; the
    limiter's answer is 200 with a verdict for each.
    """
    program = build("envoy_ratelimit", SOURCE / "envoy", PACKAGE)
    if program is None:
        print("      Envoy's rate limit service is not measured: Go is not installed", flush=True)
        return
    with core_apart() as core, limiter(valkey.url(), core) as ours, envoy(program, valkey, core) as rival:
        for size, target in ((1, 0.5), (CALLERS, 0.5)):
            found = {ours: Counter[int](), rival: Counter[int]()}
            requests = {ours: calls(CHECK_PATH, our_body, size), rival: calls("/json", envoy_body, size)}
            for address in [ours, rival] * TURNS:
                found[address] += run(load, address, requests[address], CALLERS, seconds / TURNS)[1]
            name = f"checks, {size} a call / Envoy's rate limit service, {CALLERS} callers"
            report.add(name, decided(found[ours]) / decided(found[rival]), target)
            away = 10_000 * found[ours][503] / found[ours].total()
            report.add(f"checks, {size} a call: 503 in 10,000 calls", away, 1, at_most=True)


def decided(found: "Counter[int]") -> int:
    """Return how many calls were decided, given their statuses."""
    return found[200] + found[429]


@contextmanager
def envoy(program: Path, valkey: Valkey, core: int | None) -> Iterator[str]:
    """Run the rival on that core and yield its address."""
    folder = FOLDER / "envoy" / "config"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "board.yaml").write_text(CONFIGURATION)
    password, _, place = valkey.url().removeprefix("redis://:").rpartition("@")
    port, grpc_port, debug_port = (str(free_port()) for _ in range(3))
    settings = {
        "HOST": "127.0.0.1",
        "PORT": port,
        "GRPC_HOST": "127.0.0.1",
        "GRPC_PORT": grpc_port,
        "DEBUG_HOST": "127.0.0.1",
        "DEBUG_PORT": debug_port,
        "RUNTIME_ROOT": str(folder.parent),
        "RUNTIME_WATCH_ROOT": "false",
        "USE_STATSD": "false",
        "REDIS_SOCKET_TYPE": "tcp",
        "REDIS_URL": place.partition("/")[0],
        "REDIS_AUTH": password,
        "GOMAXPROCS": "1" if core is not None else "",
    }
    with started([str(program)], "envoy", f"http://127.0.0.1:{port}/healthcheck", **settings) as process:
        if core is not None:
            keep_to([core], process.pid)
        yield f"http://127.0.0.1:{port}"


def calls(path: str, body: Body, size: int) -> Requests:
    """Yield calls with this many checks each, of one agent after another."""
    for number in itertools.count(0, size):
        content = body(number, size)
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        yield f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def our_body(number: int, size: int) -> bytes:
    """Return checks as an API process sends them, a list also for one."""
    checks = [
        Check(POSTS.name, f"agent {each % AGENTS}", f"{each:032x}", *POSTS.rate)
        for each in range(number, number + size)
    ]
    return msgspec.json.encode(checks)


def envoy_body(number: int, size: int) -> bytes:
    """Return the same checks for the rival."""
    entries = [
        {"entries": [{"key": "agent", "value": f"agent {each % AGENTS}"}]} for each in range(number, number + size)
    ]
    return msgspec.json.encode({"domain": "board", "descriptors": entries})
