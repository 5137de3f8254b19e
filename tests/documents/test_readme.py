"""The README and the documents that it links to are true: scripts run, answers and commands exist."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from services.contract.operations import NAMED
from tests.documents.reading import fences, prose
from tests.processes import ApiProcess
from tests.web import Web

CHECKOUT = Path(__file__).parents[2]
DEFAULT_ADDRESS = "http://127.0.0.1:8000"
DOCUMENTS = {
    name: (CHECKOUT / name).read_text()
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/operating.md", "docs/style.md")
}
README = DOCUMENTS["README.md"]
EVERYTHING = "".join(DOCUMENTS.values())
# members that differ from board to board
OF_THE_BOARD = {"id", "author", "created", "reply_endpoint"}


def run(api: ApiProcess, *command: str) -> str:
    done = subprocess.run(
        command, env={"PATH": os.environ["PATH"], "BOARD": api.url}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def values(printed: str) -> list[Any]:
    """Every JSON value in the output, with or without space between them."""
    found = []
    while printed := printed.strip():
        value, end = json.JSONDecoder().raw_decode(printed)
        found.append(value)
        printed = printed[end:]
    return found


def test_the_three_calls_of_the_readme_are_answered_as_it_shows(api: ApiProcess) -> None:
    (script,) = [block for language, block in fences(README) if language == "bash"]
    (shown,) = [json.loads(block) for language, block in fences(README) if language == "json"]
    assert len(re.findall(rf"curl -fsS '?{DEFAULT_ADDRESS}/", script)) == script.count("curl") == 3
    thread, found = values(run(api, "bash", "-euo", "pipefail", "-c", script.replace(DEFAULT_ADDRESS, api.url)))

    # the shown fields should match those of the second call's answer
    assert {name: type(thread[name]) for name in shown} == {name: type(value) for name, value in shown.items()}
    assert {name for name, value in shown.items() if value != thread[name]} <= OF_THE_BOARD
    assert shown["reply_endpoint"] == f"{DEFAULT_ADDRESS}/api/threads/{shown['id']}/replies"
    assert thread["reply_endpoint"] == f"{api.url}/api/threads/{thread['id']}/replies"
    # the third call should find that thread
    assert found["items"][0] == thread


def test_the_command_of_the_readme_comes_from_the_board_and_joins_and_asks(
    api: ApiProcess, web: Web, tmp_path: Path
) -> None:
    (script,) = [block for language, block in fences(README) if "board ask" in block]
    install, *commands = script.replace(DEFAULT_ADDRESS, api.url).splitlines()
    # tests/client/test_wheel.py installs it
    assert install == f"pip install {api.url}{NAMED['read_client'].path}"
    assert web.get(NAMED["read_client"].path).status == 200

    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(commands)],
        env={"PATH": path, "HOME": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    asked = re.search(r"Published the thread (\d+)\.", done.stdout)
    assert asked is not None
    assert re.search(rf"^{asked[1]} .*How do I page without gaps\?", done.stdout, re.MULTILINE)


def test_the_example_registers_two_agents_who_talk_and_prove_it(api: ApiProcess) -> None:
    printed = run(api, str(CHECKOUT / "examples" / "two_agents.sh"))

    opportunities, search, _, _, vote, home, activity, thread, *_ = printed.split("\n")
    # the search should find the open thread by the wanted capability and by its words
    found = json.loads(opportunities)["items"][0]["id"]
    assert found in [item["id"] for item in json.loads(search)["threads"]]
    # alice should see bob's answer, and every client the published posts
    assert json.loads(vote)["changed"] is True
    answers = [reply["body"] for reply in json.loads(thread)["replies"]]
    assert [reply["body"] for reply in json.loads(home)["activity"]] == answers
    assert [item["kind"] for item in json.loads(activity)["items"]] == ["thread", "reply"]
    # the output should end with the stated digest and the same one, computed from the canonical string
    stated, computed = printed.split()[-2:]
    assert re.fullmatch(r"[0-9a-f]{64}", stated)
    assert stated == computed


def test_every_make_command_exists() -> None:
    named = set(re.findall(r"(?:`|^)make ([a-z][a-z0-9-]*)", EVERYTHING, re.MULTILINE))
    assert len(named) > 5
    assert named <= set(re.findall(r"^([a-z0-9-]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))


def test_every_operator_command_exists() -> None:
    call = [str(Path(sys.executable).with_name("agent-board")), "--help"]
    shown = subprocess.run(call, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    named = set(re.findall(r"`agent-board ([a-z]+)", EVERYTHING))
    assert len(named) > 5
    assert named <= set(re.findall(r"[a-z]+", shown))


def test_every_named_path_exists() -> None:
    named = set(re.findall(r"`((?:services|deploy|tests|examples|docs)/[\w/.-]+)`", EVERYTHING))
    assert len(named) > 5
    assert [path for path in named if not (CHECKOUT / path).exists()] == []


def test_every_file_of_the_table_of_promises_exists() -> None:
    named = re.findall(r"`(\w+/\w+\.py)`", (CHECKOUT / "tests/README.md").read_text())
    assert len(named) > 20
    assert [path for path in named if not (CHECKOUT / "tests" / path.removeprefix("tests/")).exists()] == []


def test_every_setting_in_a_document_exists() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout
    pattern = r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b"
    shown = {name for path in listed.split() for name in re.findall(pattern, prose((CHECKOUT / path).read_text()))}
    search = ["git", "grep", "-hoE", pattern.replace("?:", ""), "--", ":!*.md"]
    known = subprocess.run(search, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout.split()
    assert len(shown) > 50
    assert shown - set(known) == set()
