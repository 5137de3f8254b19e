"""The dashboards as Grafana imports them: by its documentation."""

import json
from typing import Any

import pytest
import yaml

from deploy.observability.dashboards import DASHBOARDS
from deploy.observability.generated_files import FOLDER
from deploy.observability.panels import Dashboard, rendered

UNITS = {"short", "s", "bytes", "percentunit", "reqps", "cps", "ops", "Bps"}
PROVISIONING = FOLDER / "grafana" / "provisioning"


def imported(dashboard: Dashboard) -> dict[str, Any]:
    return dict(json.loads(rendered(dashboard)))


def test_addresses_and_titles_are_unique() -> None:
    assert len({dashboard.uid for dashboard in DASHBOARDS}) == len(DASHBOARDS)
    assert len({dashboard.title for dashboard in DASHBOARDS}) == len(DASHBOARDS)
    # it should fit into Grafana's column
    assert all(len(dashboard.uid) <= 40 for dashboard in DASHBOARDS)


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda dashboard: dashboard.uid)
def test_every_panel_explains_itself(dashboard: Dashboard) -> None:
    page = imported(dashboard)
    assert page["description"]
    panels = page["panels"]
    assert len({panel["id"] for panel in panels}) == len({panel["title"] for panel in panels}) == len(panels)
    for panel in panels:
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["targets"], panel["title"]
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        for part in (panel, *panel["targets"]):
            assert part["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


def test_grafana_is_told_where_the_files_and_prometheus_are() -> None:
    (source,) = yaml.safe_load((PROVISIONING / "datasources/prometheus.yaml").read_text())["datasources"]
    scraped = yaml.safe_load((FOLDER / "prometheus/prometheus.yaml").read_text())
    assert (source["type"], source["url"], source["isDefault"]) == ("prometheus", "http://prometheus:9090", True)
    # it should have the scrape interval, because $__rate_interval is derived from it
    assert source["jsonData"]["timeInterval"] == scraped["global"]["scrape_interval"]
    (provider,) = yaml.safe_load((PROVISIONING / "dashboards/files.yaml").read_text())["providers"]
    assert (provider["type"], provider["options"]["path"]) == ("file", "/etc/grafana/dashboards")
