"""Where alerts go: the committed routes and inhibitions, in a real Alertmanager that calls a real webhook."""

import json
import re
import time
import urllib.request
from pathlib import Path

import pytest
import yaml

from tests.observability.alerting import COMMITTED, alertmanager, configured, webhook
from tests.observability.expressions import alerts
from tests.observability.programs import needed, run

PATIENCE_SECONDS = 60


def matched(matchers: list[str]) -> set[str]:
    """Return the alerts whose names the matchers match."""
    (pattern,) = [match[1] for one in matchers if (match := re.fullmatch(r'alertname=~?"(.+)"', one))]
    names = {name for name in alerts() if re.fullmatch(pattern, name)}
    for part in re.sub(r"\([^)]*\)", "", pattern).split("|"):
        assert any(re.fullmatch(f".*{part}", name) for name in alerts()), part
    return names


def inhibitions() -> list[tuple[set[str], set[str]]]:
    rules = yaml.safe_load(COMMITTED.read_text())["inhibit_rules"]
    return [(matched(rule["source_matchers"]), matched(rule["target_matchers"])) for rule in rules]


def test_amtool_accepts_the_configuration(tmp_path: Path) -> None:
    done = run("amtool", "check-config", configured(tmp_path, "http://127.0.0.1:1/"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_severity_has_a_route() -> None:
    routes = yaml.safe_load(COMMITTED.read_text())["route"]["routes"]
    routed = {match for route in routes for match in route["matchers"]}
    assert routed == {f'severity="{rule["labels"]["severity"]}"' for rule in alerts().values()}


@pytest.mark.slow
def test_a_ticket_never_holds_back_a_page_and_nothing_holds_back_a_receipt_mismatch() -> None:
    severity = {name: rule["labels"]["severity"] for name, rule in alerts().items()}
    for sources, targets in inhibitions():
        assert sources, targets
        assert targets
        assert "ReceiptMismatch" not in targets
        assert not sources & targets
        if any(severity[source] == "ticket" for source in sources):
            assert {severity[target] for target in targets} == {"ticket"}


def test_the_page_on_a_cause_comes_in_time_to_hold_back_those_on_its_effects() -> None:
    """An effect's page waits for 30 seconds in its group; its cause must not need longer than that."""
    routes = yaml.safe_load(COMMITTED.read_text())["route"]["routes"]
    assert routes[0]["group_wait"] == "30s"
    seconds = {name: duration(rule.get("for", "0s")) for name, rule in alerts().items()}
    pages = {name for name, rule in alerts().items() if rule["labels"]["severity"] == "page"}
    late = [
        (source, target)
        for sources, targets in inhibitions()
        for source in sources & pages
        for target in targets & pages
        if seconds[source] > seconds[target]
    ]
    assert late == []


def duration(text: str) -> int:
    return sum(
        int(count) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit] for count, unit in re.findall(r"(\d+)(\w)", text)
    )


def test_each_severity_reaches_its_receiver_and_effects_of_a_cause_reach_none(tmp_path: Path) -> None:
    needed("prometheus-alertmanager")
    with webhook() as (url, received), alertmanager(tmp_path, url) as server:
        raise_alerts(
            server, "DatabaseAway", "ApiUnavailable", "FanoutBacklogOld", "ReceiptMismatch", "BoardUnreachable"
        )
        # the last one shows that all earlier ones have been processed
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not {"/alert DatabaseAway", "/alert ReceiptMismatch"} <= received and time.monotonic() < deadline:
            time.sleep(0.1)
        raise_alerts(server, "LogLinesLost", "Watchdog")
        raise_alerts(server, "HAProxyNoServer", "SearchIndexBehind", "HAProxyErrors")
        expected = {"/alert DatabaseAway", "/alert ReceiptMismatch", "/ticket LogLinesLost", "/watchdog Watchdog"}
        while not expected <= received and time.monotonic() < deadline:
            time.sleep(0.1)
        assert received == expected


def raise_alerts(server: str, *names: str) -> None:
    fired = [{"labels": {"alertname": name, **alerts()[name]["labels"]}} for name in names]
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{server}/api/v2/alerts", json.dumps(fired).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200
