"""Traces from the request to the limiter, the commit and the fan-out, and the spans that a collector receives."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.local.valkey import Valkey
from tests.limiter.otlp import Collector
from tests.limiter.processes import LimiterProcess
from tests.processes import CHECKOUT, ApiProcess, FanoutProcess
from tests.waiting import wait_until
from tests.web import Web

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACED = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
THREAD = {"title": "How?", "body": "Why?"}
SENDING = ("opentelemetry.sdk.trace", "opentelemetry.exporter", "services.process.spans")
OPENMETRICS = {"Accept": "application/openmetrics-text; version=1.0.0"}
# a process that has no setting of OpenTelemetry
IMPORTS = """
import importlib, json, sys, services.process.runner as runner
found = {}
for process in sys.argv[1:]:
    importlib.import_module(f"services.{process}.app")
    runner.traces.start(process)
    found[process] = [name for name in sys.modules if name.startswith(("opentelemetry", "services.process.spans"))]
print(json.dumps(found))
"""
# a process without the package that is named, as in an installation without the extra
REFUSED = (
    "import sys, services.process.runner as runner\n"
    "sys.modules[sys.argv[1]] = None\n"
    "try:\n    runner.traces.start('api')\n"
    "except runner.StartError as refused:\n    print(refused)"
)


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as collector:
        yield collector


@pytest.fixture
def board(database: str, valkey: Valkey, tmp_path: Path, collector: Collector) -> Iterator[list[ApiProcess]]:
    """An API process, a limiter and a fan-out that send their spans."""
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "50"}
    limiter = LimiterProcess(valkey.url(), tmp_path, **settings)
    api = ApiProcess(database, tmp_path, LIMITER_URL=limiter.url, **settings)
    fanout = FanoutProcess(database, tmp_path / "fanout", **settings)
    with limiter, api, fanout:
        yield [api, limiter, fanout]


def test_a_collector_receives_the_spans_of_every_process(board: list[ApiProcess], collector: Collector) -> None:
    api, limiter, _ = board
    with Web(api.url) as web:
        alice = web.register("alice")
        answer = alice.post("/api/threads", THREAD, headers=TRACED)
        web.get("/api/stats", headers={"traceparent": TRACED["traceparent"][:-2] + "00"})
    assert answer.status == 201
    assert not {name for name in map(str.lower, answer.headers) if name.startswith("trace")}

    wait_until(lambda: any(TRACE in each.traces for each in collector.named("limiter", "check")))
    wait_until(lambda: bool(collector.named("api", "create_thread")))
    (request,) = collector.named("api", "create_thread")
    # one span for the request, in the trace of its caller
    assert (request.trace_id, request.span.parent_span_id.hex()) == (TRACE, SPAN)
    about = {each.key: each.value.string_value or each.value.int_value for each in request.span.attributes}
    assert about["http.response.status_code"] == 201
    assert about["agent_board.request_id"] == answer.headers["X-Request-Id"]
    # one for its batch, with a link to the request, and one at the limiter
    wait_until(lambda: any(TRACE in each.traces for each in collector.named("api", "commit")))
    for process, name in (("api", "commit"), ("limiter", "check")):
        (step,) = (each for each in collector.named(process, name) if TRACE in each.traces)
        assert [link.span_id for link in step.span.links] == [request.span.span_id]
    # steps of the fan-out have no links: the log holds no trace
    wait_until(lambda: any(each.process == "fanout" for each in collector.received))
    assert not any(each.traces for each in collector.received if each.process == "fanout")
    # a caller that does not sample its trace gets no span
    assert collector.named("api", "read_stats") == []
    # the latency of the request leads to its trace
    wait_until(lambda: f'# {{trace_id="{TRACE}"}}' in scraped(api))
    # a request without a trace gets one of its own, which its line names
    (registered,) = collector.named("api", "register_agent")
    named = {"register_agent": registered.trace_id, "create_thread": TRACE}
    wait_until(
        lambda: named.items() <= {line.get("operation"): line.get("trace_id") for line in api.log_lines()}.items()
    )
    decided = [line for line in limiter.log_lines() if line["event"] == "check_decided"]
    assert (decided[-1]["policy"], decided[-1]["trace_id"]) == ("posts", TRACE)


def test_without_a_collector_the_trace_reaches_the_limiter_all_the_same(
    database: str, valkey: Valkey, tmp_path: Path
) -> None:
    limiter = LimiterProcess(valkey.url(), tmp_path)
    with limiter, ApiProcess(database, tmp_path, LIMITER_URL=limiter.url) as api, Web(api.url) as web:
        alice = web.register("alice")
        alice.post("/api/threads", THREAD)
        alice.post("/api/threads", THREAD, headers=TRACED)
        wait_until(lambda: any(line["event"] == "check_decided" for line in limiter.log_lines()))
        assert "trace_id" not in scraped(api)
    # calls without a trace write nothing
    (line,) = (line for line in limiter.log_lines() if line["event"] == "check_decided")
    assert (line["policy"], line["allowed"], line["trace_id"]) == ("posts", True, TRACE)


def scraped(api: ApiProcess) -> str:
    request = urllib.request.Request(f"http://127.0.0.1:{api.operator_port}/metrics", headers=OPENMETRICS)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return str(answer.read().decode())


def test_a_process_without_the_setting_imports_nothing_of_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, "api", "fanout", "limiter"],
        cwd=CHECKOUT,
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = json.loads(done.stdout)
    # redis-py imports what its own metrics would need wherever it is installed, but nothing that makes or sends spans
    sending = [name for name in imported.pop("limiter") if name.startswith(SENDING)]
    assert (imported, sending) == ({"api": [], "fanout": []}, [])


@pytest.mark.parametrize("absent", ["opentelemetry", "opentelemetry.exporter.otlp"])
def test_without_the_extra_the_start_is_refused(absent: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REFUSED, absent],
        cwd=CHECKOUT,
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "agent-board[traces] is not installed" in done.stdout
    assert absent in done.stdout


def test_a_collector_that_is_away_does_not_hold_up_the_stop(database: str, tmp_path: Path) -> None:
    away = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    with ApiProcess(database, tmp_path, **away) as api, Web(api.url) as web:
        assert web.get("/api/stats").status == 200
        assert api.terminate() == 0
