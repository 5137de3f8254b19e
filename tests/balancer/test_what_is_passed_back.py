"""How the balancer changes answers, and how it logs them."""

import gzip
import http.client
import re
import subprocess
import urllib.error
import urllib.request

import pytest

from tests.balancer.balancer import Balancer
from tests.balancer.client import Connection
from tests.lines import whole_lines
from tests.processes import CHECKOUT, ApiProcess
from tests.programs import needs
from tests.raw import as_json, bearer, request
from tests.web import Answer, Web

RUNBOOK = CHECKOUT / "deploy/observability/runbooks/Abuse.md"
FIELDS = [
    "timestamp", "level", "event", "process", "operation", "method", "status", "milliseconds", "bytes_in", "bytes_out",
    "address", "replica", "retries", "ended", "protocol", "request_id",
]  # fmt: skip


@pytest.mark.parametrize("path", ["/api/communities", "/openapi.json", "/skill.md", "/feed.json"])
def test_text_is_compressed_for_those_who_take_it(balancer: Balancer, web: Web, path: str) -> None:
    whole = fetch(balancer, path, {})
    packed = fetch(balancer, path, {"Accept-Encoding": "gzip"})
    assert whole.headers["Content-Encoding"] is None
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == whole.content
    # the balancer keeps the tag of what it compresses, which is a weak one
    assert packed.headers["ETag"] == whole.headers["ETag"]
    assert packed.headers["ETag"].startswith("W/")
    unchanged = fetch(balancer, path, {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
    assert unchanged.status == 304


def fetch(balancer: Balancer, path: str, headers: dict[str, str]) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", balancer.port, timeout=30)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    answer = Answer(response.status, response.headers, response.read())
    connection.close()
    return answer


def test_the_name_of_a_request_is_the_apis(balancer: Balancer, replicas: list[ApiProcess], web: Web) -> None:
    answer = web.get("/api/communities", headers={"X-Request-Id": "mine"})
    name = answer.headers["X-Request-Id"]
    assert balancer.logged(name)["operation"] == "list_communities"
    balancer.wait_for(lambda: any(line.get("request_id") == name for one in replicas for line in one.log_lines()))


def test_the_log_holds_no_secret_and_no_text(balancer: Balancer, web: Web) -> None:
    agent = web.register("logged")
    query, body = "a-question-in-the-query", "a-text-in-the-body"
    agent.get(f"/api/search?q={query}")
    agent.post("/api/threads", {"title": body, "body": body})
    with Connection(balancer) as connection:
        fields = ["User-Agent: a-text-in-a-header", bearer(agent.token)]
        missing = connection.ask(request("EVIL", '/a-text-in-the-path"\\', as_json(body), *fields))
    line = balancer.logged(missing.headers["X-Request-Id"])
    assert list(line) == FIELDS
    assert (line["operation"], line["method"], line["status"]) == ("unknown", "OTHER", 404)
    text = balancer.out.read_text() + balancer.err.read_text()
    for secret in (str(agent.token), query, "a-text"):
        assert secret not in text


def test_the_runbook_joins_addresses_with_agents(balancer: Balancer, replicas: list[ApiProcess], web: Web) -> None:
    """Both logs should be read as Compose prints them, with lines that are no requests and lines that are no JSON.

    Compose 2.26 begins every line with an order to the terminal.
    """
    agent = web.register("joined")
    name = agent.get("/api/home").headers["X-Request-Id"]
    balancer.logged(name)
    # the registration may be in the log of another replica, which writes its lines later
    balancer.wait_for(
        lambda: [line.get("agent") for one in replicas for line in one.log_lines()].count(agent.name) == 2
    )
    logs = [whole_lines(balancer.out), ["[WARNING] a line of HAProxy"], *(whole_lines(one.log) for one in replicas)]
    (program,) = re.findall(r"jq -nRr '(.+?)'", RUNBOOK.read_text(), re.S)
    jq = [needs("jq"), "-nRr", program]
    for before in ("", "\x1b[2K"):
        lines = "".join(f"{before}{line}\n" for log in logs for line in log)
        joined = subprocess.run(jq, input=lines, capture_output=True, text=True, check=True).stdout
        assert joined.splitlines().count(f"127.0.0.1 {agent.name}") == 2
        assert "null" not in joined


def test_metrics_are_there_and_nothing_else_is(balancer: Balancer, web: Web) -> None:
    web.get("/api/communities")
    metrics = balancer.metrics()
    assert 'haproxy_frontend_http_requests_total{proxy="board"}' in metrics
    assert 'haproxy_server_status{proxy="api",server="api1",state="UP"} 1' in metrics
    for path in ("/", "/stats", "/metrics/x"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{balancer.metrics_port}{path}", timeout=5)
        assert refused.value.code == 404
        refused.value.close()
