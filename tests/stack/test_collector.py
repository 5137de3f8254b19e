"""The containers send spans, as the monitoring's README describes: to a collector in the network that all share."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.stack.make import Board
from tests.waiting import wait_until
from tests.web import Web

TRACE = secrets.token_hex(16)
TRACED = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
RECEIVER = (Path(__file__).parent / "receiver.py").read_text()


def test_every_container_sends_its_spans_to_a_collector_in_their_network(board: Board) -> None:
    given = board.stack.configuration.environment
    given["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://collector:4318"
    try:
        board.make("up")
        with collector(board) as name, Web(board.url) as web:
            fields = {"name": f"traced-{secrets.token_hex(4)}"}
            assert web.call("POST", "/api/agents/register", fields, headers=TRACED).status == 201
            sent = {("api", "register_agent", TRACE), ("limiter", "check", TRACE)}
            wait_until(lambda: sent <= received(board, name))
            web.register("author").thread()
            wait_until(lambda: any(process == "fanout" for process, *_ in received(board, name)))
    finally:
        given["OTEL_EXPORTER_OTLP_ENDPOINT"] = ""
        board.make("up")


@contextmanager
def collector(board: Board) -> Iterator[str]:
    """A container that prints the spans that it receives; yields its name. The board's image has what it needs."""
    settings = board.stack.configuration
    name = f"{settings['COMPOSE_PROJECT_NAME']}-collector"
    network = f"{settings['COMPOSE_PROJECT_NAME']}_observability"
    board.stack.docker(
        "run", "--rm", "--detach", "--name", name, "--network", network, "--network-alias", "collector",
        "--entrypoint", "python", settings["BOARD_IMAGE"], "-u", "-c", RECEIVER,
    )  # fmt: skip
    try:
        yield name
    finally:
        board.stack.docker("rm", "--force", name)


def received(board: Board, name: str) -> set[tuple[str, str, str]]:
    """Return the process, the name and each trace of all spans that the collector has received."""
    return {tuple(json.loads(line)) for line in board.stack.docker("logs", name).splitlines()}
