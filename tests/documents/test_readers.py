"""Documents are read by the libraries of their formats, and /openapi.json passes the linters of OpenAPI.

The readers need packages that contradict one another, so each runs in an environment of its own, of a pinned version.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from deploy.environment import uv_environment
from services.api.documents.rendering import documents
from services.board.links import Links
from tests.generated_clients.tools import KEPT, SECONDS, UV, Command, npm_packages, run
from tests.programs import missing
from tests.web import Web

LINTERS = Path(__file__).parent / "linters"
SKILLS = Path(__file__).parent / "skills"
AI_CATALOG = Path(__file__).parent / "ai_catalog"
CARD = "/.well-known/agent-card.json"
FORMER_CARD = """
from a2a.types import AgentCard
card = AgentCard.model_validate(document)
scheme = card.security_schemes["bearer"].root
found = [type(scheme).__name__, scheme.scheme, card.url, len(card.skills), card.additional_interfaces]
"""
CURRENT_CARD = """
from a2a.client.card_resolver import parse_agent_card
card = parse_agent_card(document)
scheme = card.security_schemes["bearer"]
bearer = scheme.http_auth_security_scheme.scheme
found = [scheme.WhichOneof("scheme"), bearer, card.documentation_url, len(card.skills), list(card.supported_interfaces)]
"""
LLMS = """
from llms_txt import parse_llms_file
index = parse_llms_file(text)
found = [index.title, index.summary, {name: len(links) for name, links in index.sections.items()}]
"""
SECURITY = """
from pysecuritytxt import PySecurityTXT
found = PySecurityTXT().parse(text)
"""


def read(package: str, path: str, script: str, web: Web) -> Any:
    """Return what a reader finds in a document. The script has its text and, if it is JSON, its value."""
    text = web.get(path).content.decode()
    start = "import json, sys\ntext = sys.stdin.read()\ndocument = json.loads(text) if text[0] == '{' else None\n"
    command: Command = [UV, "run", "--quiet", "--no-project", "--with", package, "python", "-c"]
    program = f"{start}{script}\nprint(json.dumps(found))"
    done = subprocess.run(
        [*command, program], env=uv_environment(), input=text, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode and "Traceback" not in done.stderr:
        missing(f"{package} cannot be installed: {done.stderr.strip().splitlines()[-1:]}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a2a_finds_the_scheme_and_no_interface_in_both_versions(web: Web) -> None:
    former = read("a2a-sdk==0.3.26", CARD, FORMER_CARD, web)
    assert former == ["HTTPAuthSecurityScheme", "Bearer", web.url, 5, []]
    now = read("a2a-sdk==1.3.0", CARD, CURRENT_CARD, web)
    assert now == ["http_auth_security_scheme", "Bearer", f"{web.url}/skill.md", 5, []]


@pytest.mark.slow
def test_a_reader_of_llms_txt_finds_the_whole_summary(web: Web) -> None:
    title, summary, sections = read("llms-txt==0.0.7", "/llms.txt", LLMS, web)
    assert title == "agent-board"
    assert summary.startswith("An open discussion")
    assert summary.endswith("by polling.")
    assert min(sections.values()) > 1


@pytest.mark.slow
def test_a_reader_of_security_txt_finds_the_contact(web: Web) -> None:
    found = read("pysecuritytxt==1.4.0", "/.well-known/security.txt", SECURITY, web)
    assert found["contact"] == "mailto:security@board.example"
    assert found["canonical"] == f"{web.url}/.well-known/security.txt"


@pytest.mark.slow
def test_an_installer_of_skills_installs_the_page_of_the_board(web: Web, tmp_path: Path) -> None:
    program = npm_packages(SKILLS) / "node_modules" / ".bin" / "skills"
    command: Command = ["node", program, "add", web.url, "--yes", "--copy", "--agent", "claude-code"]
    run(command, tmp_path, HOME=str(tmp_path), DISABLE_TELEMETRY="1")
    # it should have found the skill in the index, and its digest right
    (installed,) = tmp_path.glob(".claude/skills/*/SKILL.md")
    assert (installed.parent.name, installed.read_bytes()) == ("agent-board", web.get("/skill.md").content)


@pytest.mark.slow
def test_a_reader_of_ai_catalogs_finds_every_entry_and_no_error(web: Web) -> None:
    cargo = shutil.which("cargo")
    if cargo is None:
        # no package index brings it
        pytest.skip("cargo is missing")
    options: Command = ["--quiet", "--locked", "--manifest-path", AI_CATALOG / "Cargo.toml"]
    build: Command = [cargo, "build", *options, "--target-dir", KEPT / "ai_catalog"]
    built = subprocess.run(build, env=uv_environment(), capture_output=True, text=True, timeout=SECONDS, check=False)
    if built.returncode:
        pytest.skip(f"cargo cannot build the reader: {built.stderr.strip().splitlines()[-1:]}")
    reader = KEPT / "ai_catalog" / "debug" / "read-ai-catalog"
    catalog = documents(Links(web.url), mcp_served=True)["/.well-known/ai-catalog.json"]
    assert catalog.startswith(web.get("/.well-known/ai-catalog.json").content.rstrip()[:-2])
    found = json.loads(subprocess.run([reader], input=catalog, capture_output=True, check=True, timeout=60).stdout)
    assert found["errors"] == []
    # a catalog at a well-known address, with a host
    assert found["level"] == "Discoverable"
    assert [url for _, _, url in found["entries"]] == [
        f"{web.url}/skill.md", f"{web.url}/.well-known/agent-card.json", f"{web.url}/openapi.json", None,
    ]  # fmt: skip


@pytest.mark.slow
def test_spectral_and_redocly_have_no_finding(web: Web, tmp_path: Path) -> None:
    installed = npm_packages(LINTERS) / "node_modules" / ".bin"
    (tmp_path / "openapi.json").write_bytes(web.get("/openapi.json").content)
    (tmp_path / ".spectral.yaml").write_text('extends: ["spectral:oas"]\n')
    spectral: Command = ["node", installed / "spectral", "lint", "openapi.json", "--fail-severity", "hint"]
    assert "No results" in run(spectral, tmp_path)
    redocly: Command = ["node", installed / "redocly", "lint", "openapi.json", "--extends", "recommended"]
    found = json.loads(run([*redocly, "--format", "json"], tmp_path, REDOCLY_TELEMETRY="off"))
    # the address of this board is none that the public could reach
    assert [problem["ruleId"] for problem in found["problems"] if problem["ruleId"] != "no-server-example.com"] == []
