"""Each command of Compose in the documents concerns services that exist, whatever files COMPOSE_FILE names."""

import re
from pathlib import Path

import pytest
import yaml

from deploy.compose.configuration import DIRECTORY
from deploy.environment import CHECKOUT

DOCUMENTS = [*DIRECTORY.glob("*.md"), *CHECKOUT.glob("deploy/observability/**/*.md"), *CHECKOUT.glob("loadtests/*.md")]
COMMAND = re.compile(r"docker compose ((?:'[^']*'|[^`|)#\n'])+)")
FILES = re.compile(r"COMPOSE_FILE=([a-z.:-]+\.yaml)")
# These take one service, and then a command for its container.
IN_ONE = {"exec", "run"}
OTHERS = {"build", "images", "kill", "logs", "ps", "restart", "rm", "stop", "top", "up"}
WITH_VALUES = {"-e", "-s", "--build-arg", "--entrypoint", "--env", "--name", "--profile", "--since", "--tail"}
# They would take the place of COMPOSE_FILE and of the project's name.
REPLACING = {"-f", "--file", "-p", "--project-name", "--project-directory"}


def commands() -> list[tuple[Path, list[str]]]:
    """Return each command with the document that names it, without its first two words."""
    found = [(path, COMMAND.findall(path.read_text(encoding="utf-8"))) for path in DOCUMENTS]
    return [(path, text.split()) for path, texts in found for text in texts if text.strip(". ,")]


def services(files: str) -> set[str]:
    """Return the services of some files of Compose, those of all profiles."""
    return {
        name
        for file in files.split(":")
        for name in yaml.safe_load((DIRECTORY / file).read_text(encoding="utf-8"))["services"]
    }


def named(words: list[str]) -> set[str]:
    """Return the services that a command names. Raises AssertionError if it is not one that the documents use."""
    options = {number for number, word in enumerate(words) if word.startswith("-")}
    values = {number + 1 for number in options if words[number] in WITH_VALUES}
    subcommand, *rest = (word for number, word in enumerate(words) if number not in options | values)
    assert subcommand in IN_ONE | OTHERS, subcommand
    return set(rest[:1] if subcommand in IN_ONE else rest)


def stacks() -> list[str]:
    """Return the values of COMPOSE_FILE that the README gives, and the default."""
    text = (DIRECTORY / "README.md").read_text(encoding="utf-8")
    return ["compose.yaml", *sorted(set(FILES.findall(text)))]


@pytest.mark.parametrize("files", stacks())
def test_each_service_of_a_command_is_in_the_stack(files: str) -> None:
    there = services(files)
    unknown = [(path.name, words) for path, words in commands() if named(words) - there]
    assert unknown == []


def test_no_command_ignores_the_files_of_the_stack() -> None:
    found = commands()
    assert len(found) > 40
    assert [words for _, words in found if REPLACING & {word.partition("=")[0] for word in words}] == []
