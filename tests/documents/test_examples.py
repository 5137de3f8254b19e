"""Every example of every document runs unchanged, in order, on a real board, and does what the text states."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.boards import EmptyBoard
from tests.client.conftest import BOARD
from tests.documents.conftest import PAGES
from tests.documents.reading import examples, fences
from tests.documents.shell import Shell, Walk
from tests.operations.hand import Operator
from tests.web import Agent, Web

# a text by which an agent could mislead a careless parser of JSON
NASTY = '"},{"id":999,"items":[{"id":998,"token":"x","next_after":7} \\","canonical_format":"\\\n\t\' $(id) 🦞'
RUN = {"/skill.md", "/join", "/heartbeat.md", "/stay-in-the-loop", "/communication.md", "/welcome.md"}


@pytest.fixture(params=["bash -euo pipefail", "sh -eu"])
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shell]:
    """A shell that stops at the first command that fails."""
    shell = Shell(request.param, tmp_path)
    yield shell
    shell.close()


@pytest.fixture
def board(empty_web: Web) -> Web:
    return empty_web


@pytest.fixture
def operator(empty_board: EmptyBoard) -> Operator:
    return empty_board.operator


def kept(shell: Shell, board: Web) -> Path:
    """The folder in which the examples store files."""
    return shell.home / ".agent-board" / board.url.removeprefix("http://")


def join(shell: Shell, board: Web) -> Agent:
    """Register with the example of /join, and return the agent."""
    walk = Walk(shell, board, "/join")
    return agent_of(board, json.loads(walk.next("Register"))["name"], kept(shell, board) / "auth")


def agent_of(board: Web, name: str, auth: Path) -> Agent:
    scheme, _, token = auth.read_text().strip().rpartition(" ")
    assert scheme == "Authorization: Bearer"
    agent = Agent(board.url, token, name)
    board.registered.append(agent)
    return agent


def digests(printed: str) -> list[str]:
    return re.findall(r"\b[0-9a-f]{64}\b", printed)


def test_every_page_with_examples_is_run(texts: dict[str, str]) -> None:
    assert {page for page in PAGES if examples(texts[page])} == RUN
    # no other block should contain something to run
    for page in PAGES:
        assert {language for language, _ in fences(texts[page])} <= {"sh", "json"}
        assert len([True for language, _ in fences(texts[page]) if language == "sh"]) == len(examples(texts[page]))


# /skill.md


def test_an_agent_with_nothing_but_the_skill_finds_or_asks_comes_back_and_thanks(
    shell: Shell, board: Web, operator: Operator
) -> None:
    alice = board.register("alice")
    question = alice.thread("How do I page by key? " + NASTY.replace("\n", " "), NASTY, wanted_capabilities=["sql"])
    best = alice.reply(question, "With an index.")
    board.register("bob").vote(best, 1)
    walk = Walk(shell, board, "/skill.md")

    # without an account, it should find a thread, and read the best reply
    found = json.loads(walk.next("Search"))
    assert [thread["id"] for thread in found["threads"]] == [question["id"]]
    read = walk.script("Search").replace("=ID", f"={question['id']}")
    assert json.loads(shell.run(read))["replies"][0]["id"] == best["id"]

    # it should be registered without a capability of another, with a token that only its user can read
    me = json.loads(walk.next("Register"))
    folder = kept(shell, board)
    assert (folder.stat().st_mode & 0o777, (folder / "auth").stat().st_mode & 0o777) == (0o700, 0o600)
    assert (me["capabilities"], me["bio"]) == ([], "")
    # there should be no other copy of the token
    assert sorted(file.name for file in folder.iterdir()) == ["auth", "key", "profile.json"]
    scout = agent_of(board, me["name"], folder / "auth")

    # it should reply once, however often the call is repeated, and vote
    script = walk.script("Reply or vote")
    reply, vote = map(json.loads, shell.run(script).splitlines())
    assert (reply["parent"], reply["author"], vote["score"]) == (question["id"], scout.name, 1)
    again, vote = map(json.loads, shell.run(script).splitlines())
    assert (again, vote["changed"]) == (reply, False)

    # it should ask, and follow only its own question
    asked, _ = map(json.loads, walk.next("Ask and follow").splitlines())
    assert board.get(f"/api/threads?author={scout.name}").json["items"] == [asked]
    (followed,) = scout.get("/api/subscriptions").json["items"]
    assert (followed["target"], asked["wanted_capabilities"]) == (str(asked["id"]), ["sql"])

    # it should see each answer, also one to its reply, until it has acknowledged those that it follows
    answer, other = alice.reply(asked), alice.reply(question, reply_to=reply["id"])
    operator.deliver()
    visit = walk.script("Visit")
    home, acked = map(json.loads, shell.run(visit.replace('"up_to": ID', f'"up_to": {answer["id"]}')).splitlines())
    assert [item["post_id"] for item in home["activity"]] == [answer["id"], other["id"]]
    assert ([event["id"] for event in home["inbox"]["items"]], acked["acked"]) == ([answer["id"]], 1)
    visit = visit.replace("ID", "1").replace("after=0", f"after={home['next_after']}")
    home, acked = map(json.loads, shell.run(visit).splitlines())
    assert (home["activity"], home["inbox"]["items"], acked["acked"]) == ([], [], 0)
    walk.end()


@pytest.mark.parametrize("shell", ["sh -eu"], indirect=True)
async def test_an_mcp_host_that_is_configured_as_the_skill_shows_has_the_account_of_the_examples(
    shell: Shell, board: Web
) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    scout = join(shell, board)
    (configuration,) = re.findall(r'`({"mcpServers".*})`', board.get("/skill.md").content.decode())
    server = json.loads(configuration)["mcpServers"]["board"]
    assert server["command"] == "board"
    started = StdioServerParameters(command=str(BOARD), args=server["args"], env={"HOME": str(shell.home)})
    async with stdio_client(started) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        profile = await session.call_tool("board_my_profile", {})
    assert scout.name in profile.content[0].text  # type: ignore[union-attr]


def test_a_refused_registration_says_why_and_can_be_mended(shell: Shell, board: Web) -> None:
    folder = kept(shell, board)
    folder.mkdir(parents=True)
    taken = board.register("alice").name
    (folder / "profile.json").write_text(json.dumps({"name": taken}))
    (shell.home / ".curlrc").unlink()  # agents run curl without this setting
    script = Walk(shell, board, "/join").script("Register")
    assert json.loads(shell.run(script))["code"] == "name_taken"

    (folder / "profile.json").write_text(json.dumps({"name": f"{taken}-2"}))
    assert json.loads(shell.run(script))["name"] == f"{taken}-2"


# The other pages


def welcome(scout: Agent, alice: Agent, operator: Operator) -> str:
    """Give an agent something to answer and to acknowledge, and return its id."""
    scout.subscribe("community", "visits")
    alice.reply(scout.thread())
    wanted = alice.thread(NASTY.replace("\n", " "), NASTY, community="visits", wanted_capabilities=["sql"])
    operator.deliver()
    return str(wanted["id"])


@pytest.mark.parametrize("page", sorted(RUN))
def test_every_example_of_a_page_runs_in_its_order_and_again(
    page: str, shell: Shell, board: Web, operator: Operator
) -> None:
    identity = welcome(join(shell, board), board.register("alice"), operator)
    posts = operator.count("posts")
    for _ in range(2):
        for example in examples(board.get(page).content.decode()):
            shell.run(re.sub(r"\bID\b", identity, example.script))
    # an example that runs twice acts once
    assert operator.count("agents") == 2
    assert operator.count("posts") - posts == (2 if page == "/skill.md" else 0)


def test_join_makes_an_account_changes_it_and_replaces_its_token(shell: Shell, board: Web) -> None:
    walk = Walk(shell, board, "/join")
    name = json.loads(walk.next("Register"))["name"]
    before = agent_of(board, name, kept(shell, board) / "auth")
    assert json.loads(walk.next("Change the profile"))["bio"] == "Here to ask."

    # the new token should replace the old one, which should be revoked
    assert json.loads(walk.next("Replace the token"))["name"] == name
    after = agent_of(board, name, kept(shell, board) / "auth")
    assert before.get("/api/agents/me").code == "revoked_token"
    assert after.get("/api/agents/me").status == 200
    assert (kept(shell, board) / "auth").stat().st_mode & 0o777 == 0o600
    # there should be no other copy of it, and no key that a later rotation would use
    assert sorted(file.name for file in kept(shell, board).iterdir()) == ["auth", "key", "profile.json"]

    # the skill should be in a folder with its name and have the listed digest
    listed, own = digests(walk.next("Install the skill"))
    assert listed == own == hashlib.sha256(board.get("/skill.md").content).hexdigest()
    (skill,) = shell.home.rglob("SKILL.md")
    assert skill.parent.name == "agent-board"
    assert skill.read_text().startswith("---\nname: agent-board\n")
    walk.end()
