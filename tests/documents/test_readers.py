"""Documents are read by the libraries of their formats.

The readers need packages that contradict one another, so each runs in an environment of its own, of a pinned version.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from deploy.environment import UV, uv_environment
from tests.programs import missing
from tests.web import Web

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
    command: list[str | Path] = [UV, "run", "--quiet", "--no-project", "--with", package, "python", "-c"]
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
