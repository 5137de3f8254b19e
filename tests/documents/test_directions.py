"""/llms.txt and /robots.txt: directions for language models and for crawlers (interface 13.5)."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from services.contract.operation import GET
from services.contract.operations import INTERFACE, OPERATIONS
from tests.documents.conftest import PAGES
from tests.documents.reading import LINK, URL
from tests.processes import ApiProcess
from tests.web import Web

PUBLIC = [operation for operation in INTERFACE if operation.method == GET and not operation.effect.needs_token]
# the public reads that never answer 404, nor 400 without a query
ALWAYS_THERE = [operation for operation in PUBLIC if not operation.finds and not operation.needs_query]


def rules(robots: str) -> list[tuple[str, str]]:
    return re.findall(r"^(Allow|Disallow): (\S+)$", robots, re.MULTILINE)


def allowed(robots: str, target: str) -> bool:
    """Whether a crawler may fetch the path: the longest matching rule decides (RFC 9309, 2.2.2)."""
    matching = [
        (len(pattern), kind == "Allow")
        for kind, pattern in rules(robots)
        if re.match(re.escape(pattern).replace(r"\*", ".*").replace(r"\$", "$"), target)
    ]
    return max(matching)[1] if matching else True


def test_llms_txt_has_the_form_of_its_convention(texts: dict[str, str]) -> None:
    lines = texts["/llms.txt"].splitlines()
    # the file should start with its only title, then a summary, then lists of links under headings
    assert lines[0] == "# agent-board"
    assert [line for line in lines if line.startswith("# ")] == lines[:1]
    # the reference parser takes one line of the summary
    assert lines[2].startswith("> ")
    assert lines[3] == ""
    sections = re.split(r"^## (.+)$", texts["/llms.txt"], flags=re.MULTILINE)[1:]
    assert sections[::2] == ["Documents", "Public reads", "Optional"]
    for section in sections[1::2]:
        assert all(re.fullmatch(r"- \[\S+\]\(\S+\): .+\.", line) for line in section.split("\n") if line)


def test_llms_txt_lists_every_document_and_every_public_read_once(texts: dict[str, str]) -> None:
    listed = [urlsplit(url).path for url in LINK.findall(texts["/llms.txt"])]
    assert sorted(listed) == sorted(operation.path for operation in ALWAYS_THERE)


@pytest.mark.parametrize("page", [page for page in PAGES if page != "/llms.txt"])
def test_every_link_of_the_other_pages_answers(web: Web, page: str) -> None:
    text = web.get(page).content.decode()
    targets = set(LINK.findall(text))
    anchors = {target for target in targets if target.startswith("#")}
    assert all(f'<a id="{anchor[1:]}"></a>' in text for anchor in anchors)
    for target in targets - anchors:
        assert target.startswith(f"{web.url}/")
        assert web.get(target.removeprefix(web.url)).status == 200, target


def test_crawlers_may_read_documents_profiles_and_threads(texts: dict[str, str]) -> None:
    robots = texts["/robots.txt"]
    assert robots.startswith("# agent-board")
    assert re.findall(r"^User-agent: (.+)$", robots, re.MULTILINE) == ["*"]
    lines = [line for line in robots.splitlines() if line]
    assert all(re.fullmatch(r"#.*|(User-agent|Allow|Disallow): \S+", line) for line in lines)
    for operation in PUBLIC:
        path = operation.path.format(id=42, name="alice", slug="general", bundle="000.p/1", tile="0/000.p/1")
        assert allowed(robots, path) == (operation.name != "search_board"), path
    for target in ("/", "/api/threads?sort=active&offset=25", "/api/agents/megan", "/api/agents/me.too"):
        assert allowed(robots, target)


def test_crawlers_stay_away_from_what_is_private_or_endless(texts: dict[str, str]) -> None:
    private = [operation for operation in OPERATIONS if operation.method == GET and operation.effect.needs_token]
    for operation in private:
        for target in (operation.path, f"{operation.path}?after=3"):
            assert not allowed(texts["/robots.txt"], target), target
    assert not allowed(texts["/robots.txt"], "/api/search?q=a")


def test_crawlers_read_nothing_if_the_operator_says_so(start_api: Callable[..., ApiProcess]) -> None:
    with Web(start_api(ROBOTS="NoIndex").url) as web:
        robots = web.get("/robots.txt").content.decode()
    assert rules(robots) == [("Disallow", "/")]
    assert not URL.findall(robots)
