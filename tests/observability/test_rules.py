"""The rules are valid, and promtool finds that each alert fires when it should and not otherwise."""

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.observability import targets
from services.contract.operations import OPERATIONS
from tests.observability.expressions import alerts, rules
from tests.observability.programs import run
from tests.observability.stage import PROMETHEUS
from tests.processes import CHECKOUT

READS = re.compile("(read|list|search|show)_.+")
ALL = "*.yaml"
# Files of rules whose tests, in the files of the same names, take less than a second.
QUICK = ("fanout.yaml", "limiter.yaml")
# Files of tests that let days or weeks pass, which takes most of a minute.
LONG = ("abuse.yaml", "fresh-start.yaml", "young-windows.yaml", "burn-rates.yaml", "host.yaml")
# In these nothing fires, for long: what they would catch is caught by others in less time.
QUIET = ("fresh-start.yaml", "young-windows.yaml")
ALWAYS = {"Watchdog"}
FOR_NOBODY = {"Watchdog": ("none",), "OutageKnown": ("quiet",)}
# One failure is enough to keep these: a success ends the first, and the second is tried again only after minutes.
KEPT_BY_ONE_EVENT = {"ArchivingFails", "AlertsUndelivered"}
some_files = pytest.mark.parametrize("files", [*QUICK, pytest.param(ALL, marks=pytest.mark.slow)])


def rule_tests(folder: Path, files: str = ALL, left_out: Sequence[str] = ()) -> str:
    """Return the output of promtool for the rule tests in a folder; empty lines mean success."""
    names = sorted(path.name for path in (folder / "tests").glob(files) if path.name not in left_out)
    assert names
    done = run("promtool", "test", "rules", *names, cwd=folder / "tests")
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
    output = "".join(rule_tests(PROMETHEUS, name) for name in names)
    assert "FAILED" not in output, output
    assert output.count("SUCCESS") == len(names) > 1


def changed(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Return a copy of the rules and their tests in which every alert was changed."""
    folder = tmp_path / "prometheus"
    shutil.copytree(PROMETHEUS, folder)
    for file in (folder / "rules").glob("*.yaml"):
        content = yaml.safe_load(file.read_text())
        for group in content["groups"]:
            for rule in group["rules"]:
                if "alert" in rule:
                    change(rule)
        file.write_text(yaml.safe_dump(content))
    return folder


def failures(output: str) -> list[tuple[set[str], set[str]]]:
    """Return, for each expectation that failed, the alerts that should have fired and those that did."""
    found = re.findall(r"exp:(.*?)got:(.*?)(?=expr:|Unit Testing|\Z)", output, re.S)
    return [
        (set(re.findall(r'alertname="(\w+)"', exp)), set(re.findall(r'alertname="(\w+)"', got))) for exp, got in found
    ]


@some_files
def test_every_alert_has_a_test_that_fails_when_it_fires_never_or_too_late(tmp_path: Path, files: str) -> None:
    """An alert that waits for longer than any test never fires in it: the tests of its wait are those of its firing."""

    def silence(rule: dict[str, Any]) -> None:
        if "for" in rule:
            rule["for"] = "100h"
        else:
            rule["expr"] = "vector(1) > 1"

    missed = [expected - fired for expected, fired in failures(rule_tests(changed(tmp_path, silence), files, QUIET))]
    assert set(alerts(files)) - set().union(*missed) == set()


@some_files
def test_every_alert_has_a_test_that_fails_when_it_fires_always_or_too_early(tmp_path: Path, files: str) -> None:
    """What fires without its wait where it should not would fire there always."""

    def sound(rule: dict[str, Any]) -> None:
        if "for" in rule:
            rule["for"] = "0s"
        else:
            rule["expr"] = "vector(1)"

    false = [fired - expected for expected, fired in failures(rule_tests(changed(tmp_path, sound), files, QUIET))]
    assert set(alerts(files)) - set().union(*false) - ALWAYS == set()


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
    """An alert that waits should look back for less time than it waits: what it sees must last or come again."""
    minutes = {"s": 1 / 60, "m": 1, "h": 60, "d": 1440}
    kept = set()
    for name, rule in alerts().items():
        waits = sum(int(count) * minutes[unit] for count, unit in re.findall(r"(\d+)([smhd])", rule.get("for", "")))
        looks = re.findall(r"\b(?:rate|increase)\([^()]*\[(\d+)([smhd])\]", rule["expr"])
        if waits and any(int(count) * minutes[unit] >= waits for count, unit in looks):
            kept.add(name)
    assert kept == KEPT_BY_ONE_EVENT


def test_reads_and_writes_are_divided_as_in_the_contract() -> None:
    recorded = " ".join(rule["expr"] for rule in rules() if rule.get("labels", {}).get("slo", "").endswith("latency"))
    assert recorded.count(f'=~"{READS.pattern}"') == 2, "reads are selected in a way that this test does not know"
    assert recorded.count(f'!~"{READS.pattern}|check_health|unknown"') == 2, "and writes"
    for operation in OPERATIONS:
        if operation.name != "check_health":
            assert (operation.method == "GET") == bool(READS.fullmatch(operation.name)), operation.name


def test_the_configuration_for_a_probe_on_another_host_is_valid(tmp_path: Path) -> None:
    page = (CHECKOUT / "deploy/observability/README.md").read_text()
    [text] = re.findall(r"```yaml\n(.+?)```", page.partition("## Probe from another host")[2], re.S)[:1]
    (tmp_path / "prometheus.yml").write_text(text)
    configuration = yaml.safe_load(text)
    for name in configuration["rule_files"]:
        shutil.copy(PROMETHEUS / "rules" / name, tmp_path)
    done = run("promtool", "check", "config", tmp_path / "prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    # it should be all that these rules select, and a module of the exporter that exists
    selected = {job for name in configuration["rule_files"] for rule in rules(name)
                for job in re.findall(r'job=~?"([^"]+)"', rule["expr"])}  # fmt: skip
    [job] = configuration["scrape_configs"]
    assert selected == {job["job_name"]}
    modules = yaml.safe_load((PROMETHEUS.parent / "blackbox/blackbox.yaml").read_text())["modules"]
    assert set(job["params"]["module"]) <= modules.keys()
