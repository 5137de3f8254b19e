"""Nothing of the board lets anyone install its packages by bare name: on the package index, others may register it."""

import re
import shlex
import subprocess
from collections.abc import Iterator

import pytest

from services.api.documents.rendering import documents
from services.board.links import Links
from services.contract.operations import NAMED
from tests.processes import CHECKOUT

COMMAND = re.compile(
    r"\b(?:(?:pip3?|uv pip) (?:install|download)|pipx (?:install|run|inject)|uv tool (?:install|run)|uv add|uvx)\b(.*)"
)
RUN = re.compile(r"pipx run|uv tool run|uvx")
NAME = r"agent[-_.]board(?:[-_.]client)?(?:\[[\w,]+\])?"
SENTENCE = re.compile(rf"\b[Ii]nstall(?:s|ed|ing)? (?:the |package )*[`'\"]?{NAME}(?![\w/\[-]|\.\w| @)")
OURS = re.compile(rf"{NAME}([=~<>!].*)?|board")
WITH_VALUES = {"--from", "--spec", "--with", "-i", "--index-url", "--python", "--target"}


def bare(text: str) -> Iterator[str]:
    """Yield each command or sentence that installs a package of the board from wherever the index has it."""
    yield from (found[0] for found in SENTENCE.finditer(text))
    for found in COMMAND.finditer(text.replace("\\\n", " ")):
        # In Markdown, a backtick ends a command; in a shell, an operator does.
        words = list(split(re.split(r"[`|;&)]|\s#\s", found[1])[0]))
        if any(OURS.fullmatch(word) for word in packages(words, bool(RUN.search(found[0])))):
            yield found[0]


def split(text: str) -> Iterator[str]:
    try:
        yield from shlex.split(text)
    except ValueError:
        yield from text.replace('"', " ").replace("'", " ").split()


def packages(words: list[str], runs: bool) -> Iterator[str]:
    """Yield the words that name packages. A command that runs a program takes its first word as one, without --from."""
    named_elsewhere = False
    for number, word in enumerate(words):
        option, former = word.startswith("-"), words[number - 1] if number else ""
        if former in ("--from", "--spec", "--with"):
            named_elsewhere |= former != "--with"
            yield word
        elif option and "=" in word and word.partition("=")[0] in ("--from", "--spec", "--with"):
            named_elsewhere |= not word.startswith("--with")
            yield word.partition("=")[2]
        elif not option and former not in WITH_VALUES:
            followed = words[number + 1] if number + 1 < len(words) else ""
            if followed != "@" and not (runs and named_elsewhere):
                yield word
            if runs:
                return


def files() -> Iterator[str]:
    """Yield the paths of what is read: the lock names packages and their addresses, and tests name wrong commands."""
    listed = subprocess.run(["git", "ls-files"], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for path in listed.stdout.split():
        if not path.startswith("tests/") and not path.endswith((".png", ".lock", "package-lock.json")):
            yield path


def test_no_file_installs_a_package_of_the_board_by_its_bare_name() -> None:
    texts = {path: (CHECKOUT / path).read_text(encoding="utf-8") for path in files()}
    assert len(texts) > 100
    assert {path: found for path, text in texts.items() if (found := list(bare(text)))} == {}


def test_no_served_page_does_and_they_pin_the_client() -> None:
    served = documents(Links("https://board.example"))
    texts = {path: content.decode() for path, content in served.items() if path != NAMED["read_client"].path}
    assert {path: found for path, text in texts.items() if (found := list(bare(text)))} == {}
    pinned = f"{Links('https://board.example').to(NAMED['read_client'].path)}#sha256="
    commands = [found[0] for text in texts.values() for found in COMMAND.finditer(text) if "/client/" in found[0]]
    assert len(commands) >= 1
    assert [command for command in commands if pinned not in command] == []


@pytest.mark.parametrize(
    ("text", "is_bare"),
    [
        ("pip install agent-board-client", True),
        ('pip install -U "agent-board[local]"', True),
        ("pip install --quiet agent_board==0.1.0", True),
        ("run `pipx install agent-board`", True),
        ("uvx --from 'agent-board[local]' agent-board run", True),
        ("uvx --from=agent-board-client board --help", True),
        ("uvx board --help", True),
        ("uvx --with agent-board-client python", True),
        ("uv tool run --python 3.13 agent-board run", True),
        ("uv add agent-board-client", True),
        ("Install agent-board-client[mcp].", True),
        ("uv tool install \\\n  agent-board", True),
        ("pip install 'agent-board-client @ https://board.example/client/x.whl#sha256=0'", False),
        ("pip install agent-board-client @ https://board.example/client/x.whl", False),
        ("pip install https://board.example/client/agent_board_client-0.1.0-py3-none-any.whl", False),
        ("uvx --from https://board.example/x.whl board --help", False),
        ("uvx --from './agent_board-0.1.0-py3-none-any.whl[local]' agent-board run", False),
        ("`pip install sanic` installs the framework of agent-board", False),
        ("uv lock --upgrade-package agent-board", False),
    ],
)
def test_a_bare_name_is_seen(text: str, is_bare: bool) -> None:
    assert bool(list(bare(text))) is is_bare
