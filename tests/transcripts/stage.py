"""Runs a transcript: each line that begins with `$ ` is a command, and its output follows.

A command is one of PROGRAMS, or `psql -c STATEMENT` for what no command does. `LEFT | PROGRAM` gives it standard input,
NAME=VALUE before it sets a variable, and `> FILE` keeps its output. It runs in this process, because hundreds of
processes would take minutes.
"""

import contextlib
import re
import shlex
import subprocess
from pathlib import Path

from agent_board_client import cli
from agent_board_client.account import Account
from agent_board_client.addresses import folder_of
from services.contract.examples import RECORDED_URL
from services.operator.program import app
from tests.boards import EmptyBoard
from tests.invoking import invoke
from tests.web import Agent, Web

TRANSCRIPTS = Path(__file__).parent
PROGRAMS = {"agent-board": app, "board": cli.app}
ERROR = "2> "
# Texts that differ between two runs. In a command, `<BATCH>` means the newest text that it replaced.
CHANGING = {
    "<TOKEN>": re.compile(r"agb_[\w-]+"),
    "<KEY>": re.compile(r"(?:PRIVATE\+KEY\+)?board\.example/log\+[0-9a-f]{8}\+[\w+/=]+"),
    "<DIGEST>": re.compile(r"\b[0-9a-f]{64}\b"),
    "<UUID>": re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
    "<REVISION>": re.compile(r"\b\d+_\d{14}_\w+, functions [0-9a-f]{12}\b"),
    "<TIME>": re.compile(
        r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\dZ)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?|\b1[6-9]\d{8}(?:\.\d+)?\b"
    ),
    "<BATCH>": re.compile(r"\b[0-9a-f]{8}\b"),
    "<SECONDS>": re.compile(r"\d+\.\d+(?= seconds old)|(?<=try again in )\d+|(?<=\"age\":)\d+\.\d+"),
}
# Every wrong usage begins with these two lines, and every command names its board: one test of each is enough.
REPEATED = re.compile(r"Usage: .*\n(?:Try .*\n)?\n|Board: .*\n")


def transcripts() -> list[Path]:
    return sorted(TRANSCRIPTS.glob("*/*.txt"))


class Stage:
    """A new board on which the commands of one transcript run, in an empty folder.

    Alice asked the question 1, Bob answered it in 2 and asked 3; Carol follows the community meta, where 3 is.
    """

    def __init__(self, board: EmptyBoard, folder: Path) -> None:
        board.clear()
        self.operator, self.url, self.folder = board.operator, board.api.url, folder
        self.found: dict[str, str] = {}
        with Web(self.url) as web:
            self.play(web)

    def play(self, web: Web) -> None:
        alice, bob, carol = (self.registered(web, name) for name in ("alice", "Bob", "carol"))
        carol.subscribe("community", "meta")
        question = alice.thread("How do I page without gaps?", "The list moves while I read it.")
        bob.reply(question, "Ask for the posts after the last id.")
        bob.thread("Which index helps?", "A query is slow.", community="meta", wanted_capabilities=["sql"])
        self.operator.deliver()
        self.operator.index_log()
        self.operator.sign()

    def registered(self, web: Web, name: str) -> Agent:
        """Register an agent, whose files are in the folder of its name."""
        answer = web.post("/api/agents/register", {"name": name, "capabilities": ["sql"] if name == "Bob" else []})
        agent = Agent(self.url, answer.json["token"], name)
        web.registered.append(agent)
        Account(self.url, folder_of(self.url, self.folder / name)).keep(answer.json["token"])
        return agent

    def produce(self, text: str) -> str:
        """Run the commands of a transcript, and return it with what they print now."""
        shown: list[str] = []
        with contextlib.chdir(self.folder):
            for line in text.splitlines():
                if line.startswith("# "):
                    shown += [line] if not shown or shown[-1].startswith("# ") else ["", line]
                elif line.startswith("$ "):
                    shown += [line, *self.printed(line[2:]).splitlines()]
        return "\n".join(shown) + "\n"

    def printed(self, line: str) -> str:
        """Run a command, and return what it prints, without what differs between two runs."""
        for name, newest in self.found.items():
            line = line.replace(name, newest)
        text = self.run(line).replace(str(self.folder), "FOLDER").replace(self.url, RECORDED_URL)
        for name, form in CHANGING.items():
            self.found.update((name, newest) for newest in form.findall(text))
            text = form.sub(name, text)
        assert not re.search("^[$#] ", text, re.MULTILINE), text
        return text

    def run(self, line: str) -> str:
        """Run a line as a shell does, as far as transcripts need one."""
        words = words_of(line)
        given = b""
        if "|" in words:
            place = words.index("|")
            given = subprocess.run(words[:place], check=True, stdout=subprocess.PIPE).stdout
            words = words[place + 1 :]
        kept = words[-1] if words[-2:-1] == [">"] else None
        words = words[:-2] if kept else words
        variables: dict[str, str] = {}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        program, *arguments = words
        if program == "psql":
            return self.psql(arguments)
        result = invoke(PROGRAMS[program], arguments, given, self.environment() | variables)
        if kept:
            Path(kept).write_text(result.stdout)
        output = "" if kept else result.stdout
        error = "".join(f"{ERROR}{line}".rstrip() + "\n" for line in REPEATED.sub("", result.stderr).splitlines())
        return output + error + (f"exit status {result.exit_code}\n" if result.exit_code else "")

    def environment(self) -> dict[str, str]:
        """The environment of the operator olga and of ada, who has not joined the board."""
        return {
            "DATABASE_URL": self.operator.url, "AGENT_BOARD_OPERATOR": "olga", "COLUMNS": "100",
            "AGENT_BOARD_URL": self.url, "AGENT_BOARD_HOME": str(self.folder / "ada"),
        }  # fmt: skip

    def psql(self, arguments: list[str]) -> str:
        option, statement = arguments
        assert option == "-c"
        return "".join(f"{' | '.join(map(str, row))}\n" for row in self.operator.sql(statement))


def words_of(line: str) -> list[str]:
    """Split a line as a shell does; a pipe and a redirection are words."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split, lexer.commenters = True, ""
    return list(lexer)
