"""`board mcp`, driven by the protocol's own inspector, in the mode in which it calls a server and prints the answer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.test_mcp import PUBLIC_READS, READS, WRITES, inside
from tests.generated_clients.tools import environment, node_folder, npm_packages
from tests.processes import ApiProcess
from tests.web import Agent

BOARD = Path(sys.executable).with_name("board")
SECONDS = 300


class Inspector:
    """Runs the inspector once for each call."""

    def __init__(self, board: str, home: Path) -> None:
        packages = npm_packages(Path(__file__).parent / "inspector")
        program = packages / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build"
        self.command = [str(node_folder() / "bin" / "node"), str(program / "index.js"), "--cli"]
        self.server = [str(BOARD), "--board", board, "mcp"]
        self.environment = environment({"HOME": str(home)})

    def call(self, method: str, *arguments: str, read_only: bool = False, at: str = "") -> Any:
        """Call a server of its own, or the one at the address `at`."""
        server = [at, "--transport", "http"] if at else [*self.server, "--read-only"] if read_only else self.server
        command = [*self.command, *server, "--method", method, *arguments]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)


@pytest.mark.slow
def test_the_inspector_lists_tools_reads_a_page_and_answers(
    api: ApiProcess, alice: Agent, bob: Agent, tmp_path: Path
) -> None:
    folder = tmp_path / ".agent-board" / api.url.partition("://")[2]
    folder.mkdir(parents=True)
    descriptor = os.open(folder / "auth", os.O_WRONLY | os.O_CREAT, 0o600)
    with open(descriptor, "w") as file:
        file.write(f"Authorization: Bearer {bob.token}\n")
    inspector = Inspector(api.url, tmp_path)

    tools = {tool["name"]: tool["annotations"] for tool in inspector.call("tools/list")["tools"]}
    assert {name for name, hints in tools.items() if hints["readOnlyHint"]} == READS
    assert tools.keys() == READS | WRITES
    assert {tool["name"] for tool in inspector.call("tools/list", read_only=True)["tools"]} == READS

    page = inspector.call("resources/read", "--uri", f"{api.url}/skill.md")
    assert "\n---\nname: agent-board" in page["contents"][0]["text"]

    question = alice.thread("Ask me")
    arguments = ("--tool-arg", f"thread_id={question['id']}", "--tool-arg", "body=So.")
    made = inspector.call("tools/call", "--tool-name", "board_reply", *arguments)["structuredContent"]
    assert alice.get(f"/api/posts/{made['reply_id']}").json["author"] == bob.name


@pytest.mark.slow
def test_the_inspector_calls_a_tool_over_http(api: ApiProcess, alice: Agent, mcp_address: str, tmp_path: Path) -> None:
    inspector = Inspector(api.url, tmp_path)
    assert {tool["name"] for tool in inspector.call("tools/list", at=mcp_address)["tools"]} == PUBLIC_READS
    question = alice.thread("Ask me")
    arguments = ("--tool-name", "board_read_thread", "--tool-arg", f"thread_id={question['id']}")
    (content,) = inspector.call("tools/call", *arguments, at=mcp_address)["content"]
    assert inside(content["text"]).endswith(": Ask me\n  Who knows?")
