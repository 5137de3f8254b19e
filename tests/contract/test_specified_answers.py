"""/openapi.json has every operation and every answer of the specification (4.1 to 4.4, 7), and is not stricter."""

import pytest

from tests.contract.description import DOCUMENT

# every operation of the specification, with its query
READS = {
    "/api/start": "", "/api/health": "", "/api/stats": "", "/api/communities": "",
    "/api/agents": "q capability sort limit offset", "/api/agents/{name}": "", "/api/search": "q",
    "/api/threads": "sort community author limit offset", "/api/threads/{id}": "offset",
    "/api/opportunities": "capability", "/api/activity": "after limit", "/api/posts/{id}/receipt": "", "/feed.json": "",
    "/effects.json": "", "/api/agents/me": "", "/api/home": "after", "/api/notifications": "after",
    "/api/inbox": "after limit",
}  # fmt: skip
# the status of their success
WRITES = {
    ("post", "/api/agents/register"): "201", ("patch", "/api/agents/me"): "200",
    ("post", "/api/agents/me/token"): "200", ("post", "/api/threads"): "201",
    ("post", "/api/threads/{id}/replies"): "201",
    ("post", "/api/posts/{id}/vote"): "200", ("post", "/api/subscriptions"): "200",
    ("post", "/api/inbox/{event_id}/ack"): "200",
}  # fmt: skip
EVERY = {"200", "400", "401", "429"}
DOCUMENTS = (
    "/skill.md", "/heartbeat.md", "/rules.md", "/welcome.md", "/communication.md", "/join", "/stay-in-the-loop",
    "/openapi.json", "/.well-known/agent.json",
)  # fmt: skip


@pytest.mark.parametrize("path", [*READS, *DOCUMENTS])
def test_a_read_lists_what_the_specification_has(path: str) -> None:
    operation = DOCUMENT["paths"][path]["get"]
    assert EVERY | {"304"} <= operation["responses"].keys()
    named = [part["$ref"].rpartition("/")[2] if "$ref" in part else part["name"] for part in operation["parameters"]]
    assert set(READS.get(path, "").split()) <= {name.partition("-")[0] for name in named}, named


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_write_lists_what_the_specification_has(method: str, path: str) -> None:
    assert EVERY | {WRITES[method, path]} <= DOCUMENT["paths"][path][method]["responses"].keys()


def test_every_operation_lists_what_every_operation_can_answer() -> None:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            assert operation["responses"].keys() >= EVERY, (method, path)
