"""The rules are valid, and promtool finds that each alert fires when it should and not otherwise."""

import re
from pathlib import Path

import pytest
import yaml

from deploy.observability import targets
from services.contract.operations import OPERATIONS
from tests.observability.expressions import PROMETHEUS, alerts, rules
from tests.observability.programs import run

READS = re.compile("(read|list|search|show)_.+")
ALL = "*.yaml"
# Files of tests that let days or weeks pass, which takes most of a minute.
LONG = ("abuse.yaml", "fresh-start.yaml", "host.yaml")
ALWAYS = {"Watchdog"}
FOR_NOBODY = {"Watchdog": ("none",)}
# One failure is enough to keep these: a success ends the first, and the second is tried again only after minutes.
KEPT_BY_ONE_EVENT = {"ArchivingFails", "AlertsUndelivered"}


def rule_tests(name: str) -> str:
    """Return the output of promtool for a file of rule tests."""
    done = run("promtool", "test", "rules", name, cwd=PROMETHEUS / "tests")
    return done.stdout + done.stderr


def test_promtool_accepts_the_configuration_and_the_rules(tmp_path: Path) -> None:
    done = run("promtool", "check", "config", PROMETHEUS / "prometheus.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    # it should have checked every file of rules
    for file in (PROMETHEUS / "rules").glob("*.yaml"):
        assert f"rules/{file.name}" in done.stdout


def test_every_replica_is_a_target_of_its_own() -> None:
    """Every service's replicas should be looked up, and every job of a rule should be configured."""
    scraped = yaml.safe_load((PROMETHEUS / "prometheus.yaml").read_text())["scrape_configs"]
    jobs = {job["job_name"]: job for job in scraped}
    for name in ("api", "limiter", "fanout"):
        (lookup,) = jobs[name]["http_sd_configs"]
        assert lookup["url"] == f"http://targets:{targets.PORT}/{name}"
    named_jobs = "|".join(job for rule in rules() for job in re.findall(r'job=~?"([^"]+)"', rule["expr"])).split("|")
    assert set(named_jobs) <= set(jobs)


@pytest.mark.parametrize("is_long", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["short", "long"])
def test_the_rule_tests_pass(is_long: bool) -> None:
    names = [path.name for path in (PROMETHEUS / "tests").glob(ALL) if (path.name in LONG) == is_long]
    output = "".join(map(rule_tests, names))
    assert "FAILED" not in output, output
    assert output.count("SUCCESS") == len(names) > 1


def test_every_alert_is_silent_and_then_fires_in_a_test() -> None:
    proven = {
        name
        for path in (PROMETHEUS / "tests").glob(ALL)
        for case in yaml.safe_load(path.read_text())["tests"]
        if any("exp_samples" not in each for each in case["promql_expr_test"])
        for name in re.findall(
            r'alertname="(\w+)"', str([each.get("exp_samples") for each in case["promql_expr_test"]])
        )
    }
    assert alerts().keys() - proven == ALWAYS


def test_every_alert_has_a_summary_a_description_and_a_runbook() -> None:
    names = [rule["alert"] for rule in rules() if "alert" in rule]
    assert len(names) == len(set(names))
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in FOR_NOBODY.get(name, ("page", "ticket")), name
        annotations = rule["annotations"]
        assert set(annotations) == {"summary", "description", "runbook_url"}, name
        assert annotations["summary"].endswith("."), name
        assert re.fullmatch(r"\{\{ \$externalLabels\.runbook_base_url \}\}/\w+\.md", annotations["runbook_url"]), name


def test_an_event_that_is_over_does_not_keep_an_alert_until_it_fires() -> None:
    """An alert that waits should look back for less time than it waits: its condition must last or come again."""
    minutes = {"s": 1 / 60, "m": 1, "h": 60, "d": 1440}
    kept = set()
    for name, rule in alerts().items():
        waits = sum(int(count) * minutes[unit] for count, unit in re.findall(r"(\d+)([smhd])", rule.get("for", "")))
        looks = re.findall(r"\b(?:rate|increase)\([^()]*\[(\d+)([smhd])\]", rule["expr"])
        if waits and any(int(count) * minutes[unit] >= waits for count, unit in looks):
            kept.add(name)
    assert kept == KEPT_BY_ONE_EVENT


def test_every_page_outlasts_the_waits_of_its_group() -> None:
    pages = {name: rule for name, rule in alerts().items() if rule["labels"]["severity"] == "page"}
    # longer than a group waits at first, and between two messages
    assert {name for name, rule in pages.items() if rule.get("keep_firing_for") != "2m"} == set()


def test_reads_and_writes_are_divided_as_in_the_contract() -> None:
    recorded = " ".join(alerts()[name]["expr"] for name in ("ReadsSlow", "WritesSlow"))
    assert recorded.count(f'=~"{READS.pattern}"') == 2, "reads are selected in a way that this test does not know"
    assert recorded.count(f'!~"{READS.pattern}|check_health|unknown"') == 2, "and writes"
    for operation in OPERATIONS:
        if operation.name != "check_health":
            assert (operation.method == "GET") == bool(READS.fullmatch(operation.name)), operation.name
