"""Nothing of the board lets anyone install its packages by bare name: on the package index, others may register it."""

import re
import subprocess
from collections.abc import Iterator

from services.api.documents.rendering import documents
from services.board.links import Links
from services.contract.operations import NAMED
from tests.processes import CHECKOUT

NAME = r"(?:agent[-_.]board(?:[-_.]client)?(?:\[[\w,]+\])?(?:[=~<>!]=?[\w.*]+)?|(?<=uvx )board)"
PROGRAM = r"(?:(?:pip3?|uv pip) (?:install|download)|pipx (?:install|run)|uv tool (?:install|run)|uv add|uvx)"
# In Markdown, a backtick ends a command; in a shell, an operator does. A bare name is a word that no address follows.
COMMAND = re.compile(rf"\b{PROGRAM}\b(?:[^`|;&)#\n]*?[\s=])['\"]?{NAME}(?=[\s'\"`;|&)]|$)(?! @)")
SENTENCE = re.compile(rf"\b[Ii]nstall(?:s|ed|ing)? (?:the |package )*[`'\"]?{NAME}(?![\w/\[-]|\.\w| @)")
RUN_BY_FILE = re.compile(r"--(?:from|spec)[ =]['\"]?(?:https?:|\.?/)")


def bare(text: str) -> Iterator[str]:
    """Yield each command or sentence that installs a package of the board from wherever the index has it."""
    yield from (found[0] for found in SENTENCE.finditer(text))
    for found in COMMAND.finditer(text.replace("\\\n", " ")):
        if not RUN_BY_FILE.search(found[0]):
            yield found[0]


def files() -> Iterator[str]:
    """Yield the paths of the files to read: the lock names packages and addresses, and tests name wrong commands."""
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
    commands = [line for text in texts.values() for line in re.findall(rf"{PROGRAM}.*", text) if "/client/" in line]
    assert len(commands) >= 1
    assert [command for command in commands if pinned not in command] == []
