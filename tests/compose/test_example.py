""".env.example explains every setting of an operator: exactly the variables that compose.yaml reads."""

import re
from fnmatch import fnmatch

import pytest
import yaml

from deploy.compose.configuration import DIRECTORY, EXAMPLE, defaults
from services.process.settings import Settings

COMPOSE = (DIRECTORY / "compose.yaml").read_text()
PAGE = (DIRECTORY / "README.md").read_text()
# `$${...}` is not a variable, and variables in comments are not read.
VARIABLE = re.compile(r"(?<!\$)\$\{([A-Z_0-9]+)(?::([-?+])([^}]*))?\}")
CODE = re.sub(r"^\s*#.*$", "", COMPOSE, flags=re.MULTILINE)
# Compose passes a variable without a value on from .env, and leaves it out if .env does not have it.
PASSED_ON = set(re.findall(r"^\s+([A-Z][A-Z_]+):$", CODE, re.MULTILINE))
USES = [*VARIABLE.findall(CODE), *((name, "-", "") for name in PASSED_ON)]
COMMANDS = "".join(path.read_text() for path in DIRECTORY.glob("*.py"))
# Compose itself reads these.
OF_COMPOSE = {"COMPOSE_PROFILES", "COMPOSE_FILE", "COMPOSE_PROJECT_NAME"}
# Read by the commands only.
OF_THE_COMMANDS = {
    "COMPOSE_PROFILES", "COMPOSE_FILE", "COMPOSE_PROJECT_NAME", "LOGS_DIR",
}  # fmt: skip
# The services of these files belong to some boards only.
OVERLAYS = "".join(
    path.read_text() for path in DIRECTORY.glob("*.yaml") if path.name not in ("compose.yaml", "compose.one.yaml")
)
OF_OVERLAYS = {name for name, _, _ in VARIABLE.findall(OVERLAYS)} - {name for name, _, _ in USES}


def test_every_variable_that_compose_reads_is_explained_and_nothing_else() -> None:
    assert {name for name, _, _ in USES} | OF_OVERLAYS | OF_THE_COMMANDS == set(defaults())
    assert all(f'["{name}"]' in COMMANDS or f'"{name}"' in COMMANDS for name in OF_THE_COMMANDS - OF_COMPOSE)


def test_every_key_has_an_explanation_of_its_own_or_shares_a_paragraph() -> None:
    for paragraph in EXAMPLE.read_text().strip().split("\n\n")[1:]:
        lines = paragraph.splitlines()
        keys = [line for line in lines if re.match(r"(# )?[A-Z_0-9]+=", line)]
        assert keys, paragraph
        assert lines[0].startswith("# "), paragraph
        assert lines[-len(keys) :] == keys, paragraph


def test_the_defaults_are_those_of_compose() -> None:
    shown = defaults()
    switches = {name for name, how, _ in USES if how == "+"}
    given = {name: default for name, how, default in USES if how == "-" and default and name not in switches}
    assert {name: shown[name] for name in given} == given


def test_what_must_be_given_says_why_and_is_not_commented_out() -> None:
    required = {name: why for name, how, why in USES if how == "?"}
    assert all(len(why.split()) > 3 for why in required.values())
    assert set(re.findall(r"^([A-Z_]+)=", EXAMPLE.read_text(), re.MULTILINE)) == set(required)


def test_a_default_that_compose_leaves_to_the_process_is_shown_as_the_process_has_it() -> None:
    shown = defaults()
    silent = {name for name, how, default in USES if how == "-" and not default}
    for name in silent & {name.upper() for name in Settings.model_fields}:
        default = Settings.model_fields[name.lower()].default
        default = "" if default is None else default
        assert shown[name] == str(default).lower().removesuffix(".0"), name


@pytest.mark.parametrize("service", ["haproxy", "postgresql"])
def test_the_page_names_the_settings_that_cost_service(service: str) -> None:
    (names,) = re.findall(rf"^- `{service}` \((.+?)\):", PAGE, re.MULTILINE | re.DOTALL)
    described = yaml.safe_load(COMPOSE)["services"][service]
    kept = {name: value for name, value in described.items() if name not in ("build", "user", "tmpfs")}
    text = yaml.safe_dump(kept) + " ".join(f"${{{name}}}" for name in described["environment"])
    read = {name for name in re.findall(r"\$\{([A-Z_]+)", text) if name in defaults()}
    assert [name for name in read if not any(fnmatch(name, each) for each in re.findall("`(.+?)`", names))] == []
