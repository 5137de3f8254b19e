"""The image's own programs: the entry point and the health check. The tests of their output need no engine."""

import socket
import threading
from pathlib import Path

import pytest

from deploy.image import entrypoint, health

DOCKERFILE = (Path(__file__).parents[2] / "Dockerfile").read_text()


@pytest.mark.parametrize(
    ("words", "runs"),
    [
        (["api"], ["services.api"]),
        (["limiter"], ["services.limiter"]),
        (["fanout"], ["services.fanout"]),
        (["migrate"], ["services.operator", "migrate"]),
        (["all", "--state", "X"], ["services.operator", "run", "--state", "X"]),
        (["mcp", "--public-url", "X"], [*entrypoint.MCP, "--public-url", "X"]),
        (["agent-board", "hide", "7", "Spam"], ["services.operator", "hide", "7", "Spam"]),
    ],
)
def test_a_command_selects_its_process(words: list[str], runs: list[str]) -> None:
    assert entrypoint.command_line(words) == runs


@pytest.mark.parametrize("words", [[], ["sh"], ["api", "--debug"], ["migrate", "now"]])
def test_anything_else_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        entrypoint.command_line(words)
    assert refused.value.code == 1
    said = capsys.readouterr().err
    assert "one of api, limiter, fanout, migrate" in said
    assert said.count("\n") == 1


def answering(answer: bytes) -> int:
    """Answer one call on a port with these bytes; return the port."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server, server.accept()[0] as connection:
            connection.recv(1024)
            connection.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return int(server.getsockname()[1])


@pytest.mark.parametrize(
    ("answer", "code", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\nready", 0, "ready"),
        (b"HTTP/1.1 503 Service Unavailable\r\n\r\nRedis does not answer.", 1, "Redis does not answer."),
        (b"", 1, "The operator port does not answer: its response is not HTTP."),
    ],
)
def test_health_is_readiness(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: bytes, code: int, reason: str
) -> None:
    monkeypatch.setenv("OPERATOR_PORT", str(answering(answer)))
    assert health.main() == code
    assert capsys.readouterr().out.strip() == reason


def test_a_process_that_does_not_listen_is_not_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("OPERATOR_PORT", str(port))
    assert health.main() == 1


def test_the_image_needs_no_registry_but_that_of_its_base() -> None:
    assert "# syntax=" not in DOCKERFILE
    assert "--link" not in DOCKERFILE
    assert "<<" not in DOCKERFILE
    sources = [line.split()[1] for line in DOCKERFILE.splitlines() if line.startswith("FROM ")]
    assert sources == ["${BASE_IMAGE}", "${BASE_IMAGE}"]
