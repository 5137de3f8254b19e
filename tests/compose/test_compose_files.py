"""Every command refuses names in COMPOSE_FILE that Compose could not read, before it writes or asks anything."""

from pathlib import Path

import pytest

from deploy.compose.__main__ import COMMANDS, main
from deploy.compose.compose_files import check
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError


def settings(folder: Path, **values: str) -> Configuration:
    file = folder / ".env"
    file.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    return Configuration({"ENV_FILE": str(file)})


def refusal(folder: Path, **values: str) -> str:
    with pytest.raises(StackError) as refused:
        check(settings(folder, **values))
    return str(refused.value)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("file", ["patroni.yaml", "mcp.yml"])
def test_every_command_refuses_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, file: str
) -> None:
    docker = tmp_path / "docker"
    docker.write_text(f"#!/bin/sh\necho called >{tmp_path}/called\n")
    docker.chmod(0o755)
    configuration = settings(tmp_path, COMPOSE_FILE=f"compose.yaml:{file}", SECRETS_DIR=str(tmp_path / "secrets"))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ENV_FILE", str(configuration.file))
    assert main([name]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"make {name}: COMPOSE_FILE ")
    assert file in said.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("files", ["compose.yaml", "compose.yaml:mcp.yaml:external.yaml", "./compose.yaml"])
def test_files_that_are_there_are_taken(tmp_path: Path, files: str) -> None:
    own = tmp_path / "own.yaml"
    own.touch()
    for each in (files, f"{files}:{own}"):
        check(settings(tmp_path, COMPOSE_FILE=each))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ("compose.yaml:mcp.yml", "names mcp.yml, and there is no such file in"),
        ("compose.yaml:mcp.yml", "did you mean mcp.yaml?"),
        ("compose.yaml,mcp.yaml", "Colons separate the names; "),
        ("compose.yaml;mcp.yaml", "Colons separate the names; "),
        ("compose.yaml:", "names an empty name"),
        (":compose.yaml", "names an empty name"),
        ("compose.yaml:/nowhere/own.yaml", "there are compose.yaml, external.yaml, mcp.yaml, object-store.yaml"),
        ("compose.yaml:haproxy", "there is no such file"),
        ("compose.yaml: mcp.yaml", "did you mean mcp.yaml?"),
        ("mcp.yaml", "COMPOSE_FILE must begin with compose.yaml"),
        ("mcp.yaml:compose.yaml", "COMPOSE_FILE must begin with compose.yaml"),
        ("compose.yaml:compose.one.yaml", "which is a board of its own"),
    ],
)
def test_others_are_refused_in_a_sentence(tmp_path: Path, files: str, said: str) -> None:
    assert said in refusal(tmp_path, COMPOSE_FILE=files)
