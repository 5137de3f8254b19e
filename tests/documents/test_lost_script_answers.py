"""Every script of every document is run again until no answer is lost. Then it has had the effect of one run."""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.boards import EmptyBoard
from tests.client.lossy import LINE, LossyProxy
from tests.documents.reading import examples, fences
from tests.documents.shell import Shell
from tests.documents.test_examples import RUN, agent_of
from tests.processes import CHECKOUT
from tests.programs import needs
from tests.proxy import Trap
from tests.web import Agent, Web

BOARD = "127.0.0.1:8000"
PROGRAMS = {"python": f"'{sys.executable}' -I agent.mjs", "js": "node agent.mjs"}
DOCUMENTS = [*sorted(RUN), *PROGRAMS, "README.md", "examples/two_agents.sh"]
RUNS = 5
EFFECTS = ("agents", "posts", "votes", "subscriptions", "inbox WHERE acked_at IS NOT NULL")


class Losing(LossyProxy):
    """Loses the first answer to each call: the whole, or the last two bytes of it."""

    def __init__(self, port: int, whole: bool) -> None:
        super().__init__(port)
        self.passed = slice(0 if whole else -2)
        self.calls: set[bytes] = set()

    async def ask(
        self, client: asyncio.StreamReader, server: asyncio.StreamWriter, pending: list[Trap], flow: asyncio.Event
    ) -> None:
        while part := await client.read(65536):
            if (line := LINE.match(part)) and line[1] not in self.calls:
                self.calls.add(line[1])
                pending.append(Trap(line[1], answer=True))
            server.write(part)

    async def respond(
        self, server: asyncio.StreamReader, client: asyncio.StreamWriter, pending: list[Trap], flow: asyncio.Event
    ) -> None:
        while part := await server.read(65536):
            if pending:
                self.lost += 1
                client.write(part[self.passed])
                client.write_eof()
                await asyncio.Event().wait()  # until the client leaves: an abort would also lose what was passed
            client.write(part)


def scripts(document: str, web: Web) -> Iterator[str]:
    """Yield what a reader of the document runs, in order. Readers of a page have joined."""
    if document in RUN:
        yield next(each.script for each in examples(page(web, "/join")) if each.heading == "Register")
        yield from (each.script for each in examples(page(web, document)))
    elif document in PROGRAMS:
        (program,) = [block for language, block in fences(page(web, "/heartbeat.md")) if language == document]
        yield f"cat > agent.mjs <<'PROGRAM'\n{program}\nPROGRAM\n{PROGRAMS[document]} --ask 'How do I page?'"
    elif document == "README.md":
        # its other block is the client's, whose answers tests/client/test_lost_answers.py loses
        yield from (block for language, block in fences((CHECKOUT / document).read_text()) if language == "bash")
    else:
        yield f"[ -e done ] || BOARD=http://{BOARD} '{CHECKOUT / document}' && touch done"


def page(web: Web, path: str) -> str:
    return web.get(path).content.decode().replace(web.url.removeprefix("http://"), BOARD)


def welcome(scout: Agent, alice: Agent, board: EmptyBoard) -> str:
    """Give an agent something to answer and to acknowledge, and return its id."""
    scout.subscribe("community", "visits")
    alice.reply(scout.thread())
    wanted = alice.thread(community="visits", wanted_capabilities=["sql"])
    board.operator.deliver()
    return str(wanted["id"])


def run(document: str, board: EmptyBoard, web: Web, home: Path, proxy: Losing | None) -> list[int]:
    """Run a document on an empty board, repeat what lost an answer, and return how many of each thing there are."""
    board.clear()
    home.mkdir()
    shell, identity = Shell("bash", home), "ID"
    (home / ".curlrc").unlink()  # agents run curl without this setting
    host = f"127.0.0.1:{proxy.port}" if proxy else web.url.removeprefix("http://")
    auth = home / ".agent-board" / host / "auth"
    for number, script in enumerate(scripts(document, web)):
        if document in RUN and number == 1:
            identity = welcome(agent_of(web, "scout", auth), web.register("alice"), board)
        adapted = re.sub(r"\bID\b", identity, script.replace(BOARD, host))
        if proxy is None:
            shell.run(adapted)
        else:
            repeat(shell, adapted, proxy)
    shell.close()
    assert not auth.exists() or agent_of(web, "scout", auth).get("/api/agents/me").status == 200
    for file in auth.parent.glob("*.json"):
        assert json.loads(file.read_text()), file
    return [board.operator.count(*table.split(" WHERE ")) for table in EFFECTS]


def repeat(shell: Shell, script: str, proxy: Losing) -> None:
    """Run a script until it has lost no answer."""
    for _ in range(RUNS):
        lost = proxy.lost
        shell.attempt(script)
        if lost == proxy.lost:
            return
    raise AssertionError(f"Each of {RUNS} runs made new calls:\n{script}")


@pytest.mark.parametrize("whole", [True, False], ids=["lost", "cut"])
@pytest.mark.parametrize("document", DOCUMENTS)
async def test_a_script_that_loses_each_answer_once_has_the_effect_of_one_run(
    document: str, whole: bool, empty_board: EmptyBoard, empty_web: Web, tmp_path: Path
) -> None:
    if document == "js":
        needs("node", "nodejs")
    async with Losing(empty_board.api.port, whole) as proxy:
        undisturbed = await asyncio.to_thread(run, document, empty_board, empty_web, tmp_path / "undisturbed", None)
        disturbed = await asyncio.to_thread(run, document, empty_board, empty_web, tmp_path / "disturbed", proxy)
    assert disturbed == undisturbed
    assert proxy.lost == len(proxy.calls) > 0
