"""read_log_entries: GET /log/tile/entries/{bundle} (interface 7.10; C2SP tlog-tiles)."""

from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_an_entry_is_a_post_with_its_digest(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    operator.sign()
    number, place = divmod(thread["id"], 256)
    width = f".p/{place + 1}" if place < 255 else ""
    answer = web.get(f"/log/tile/entries/{number:03}{width}")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    digest = web.get(f"/api/posts/{thread['id']}/receipt").json["sha256"]
    entry = f"post {thread['id']} {digest}\n".encode()
    assert answer.content.endswith(len(entry).to_bytes(2, "big") + entry)
