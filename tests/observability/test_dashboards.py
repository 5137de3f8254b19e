"""Grafana finds the dashboards and Prometheus."""

import yaml

from deploy.observability.generated_files import FOLDER

PROVISIONING = FOLDER / "grafana" / "provisioning"


def test_grafana_is_told_where_the_files_and_prometheus_are() -> None:
    (source,) = yaml.safe_load((PROVISIONING / "datasources/prometheus.yaml").read_text())["datasources"]
    scraped = yaml.safe_load((FOLDER / "prometheus/prometheus.yaml").read_text())
    assert (source["type"], source["url"], source["isDefault"]) == ("prometheus", "http://prometheus:9090", True)
    # it should have the scrape interval, because $__rate_interval is derived from it
    assert source["jsonData"]["timeInterval"] == scraped["global"]["scrape_interval"]
    (provider,) = yaml.safe_load((PROVISIONING / "dashboards/files.yaml").read_text())["providers"]
    assert (provider["type"], provider["options"]["path"]) == ("file", "/etc/grafana/dashboards")
