"""The pages are rendered from the contract: their statements agree with it, and every name in them exists."""

import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from services.api.documents import markdown
from services.api.documents.rendering import documents
from services.board.links import Links
from services.contract import bounds, limits
from services.contract.operations import INTERFACE, OPERATIONS
from services.contract.problems import PROBLEMS
from tests.documents.conftest import BASE, CONTACTS, PAGES
from tests.documents.reading import ANCHOR, CALL, URL, fences, items, rows
from tests.web import Agent

CHECKOUT = Path(__file__).parents[2]
TEMPLATES = sorted(markdown.TEMPLATES.glob("*.*[dt]"))
OPEN = [operation for operation in INTERFACE if not operation.document]
over_pages = pytest.mark.parametrize("page", PAGES)


# /communication.md


def test_every_code_has_exactly_one_anchor(texts: dict[str, str]) -> None:
    assert sorted(ANCHOR.findall(texts["/communication.md"])) == sorted([*PROBLEMS, "changes"])
    # no heading should create the same anchor
    headings = re.findall(r"^#+ (.+)$", texts["/communication.md"], re.MULTILINE)
    slugs = {re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-")) for heading in headings}
    assert not slugs & {*PROBLEMS, "changes"}


def test_the_example_of_a_problem_is_a_real_one(texts: dict[str, str], alice: Agent) -> None:
    (example,) = (json.loads(block) for language, block in fences(texts["/communication.md"]) if language == "json")
    real = alice.post("/api/threads", {"title": "x" * (bounds.TITLE_MAX + 1), "body": "x"}).json
    own = ("instance", "request_id")
    moved = json.loads(json.dumps(real).replace(alice.url, BASE))
    assert {k: v for k, v in example.items() if k not in own} == {k: v for k, v in moved.items() if k not in own}
    assert list(example) == list(real)
    assert example["instance"] == f"urn:request:{example['request_id']}"


# /rules.md


def test_every_field_of_every_request_is_in_the_rules(texts: dict[str, str]) -> None:
    expected = [
        (f"`{operation.method} {operation.path}`", f"`{field}`")
        for operation in INTERFACE
        for schema in (operation.query, operation.body)
        if schema is not None
        for field in schema.__struct_fields__
    ]
    assert [tuple(row[:2]) for row in rows(texts["/rules.md"], "Request fields")] == expected


# The other pages


def test_load_tests_make_the_visit_of_the_page(texts: dict[str, str]) -> None:
    [query] = re.findall(r"/api/home\?(\S+)\$AFTER", texts["/heartbeat.md"])
    # an import would load Locust, which changes the sockets of its process
    assert f'VISIT = "{query}"' in (CHECKOUT / "loadtests/journeys/writing.py").read_text()


def test_one_page_lists_every_call(texts: dict[str, str]) -> None:
    for heading, needs_token in {"All calls without a token": False, "All calls with a token": True}.items():
        calls = [[f"`{o.method} {o.path}`", f"{o.says}\n"] for o in OPEN if o.effect.needs_token == needs_token]
        assert [[call, f"{says.rstrip()}\n"] for call, says in items(texts["/communication.md"], heading)] == calls


# Every name exists


@over_pages
def test_every_route_that_is_named_exists(texts: dict[str, str], page: str) -> None:
    patterns = {(o.method, re.sub(r"{\w+}", r"(?:{\\w+}|\\$\\w+)", o.path)) for o in OPERATIONS}
    for method, path in CALL.findall(texts[page]):
        assert any(m == method and re.fullmatch(pattern, path) for m, pattern in patterns), (method, path)
    for url in (url.rstrip(".:;*") for url in URL.findall(texts[page])):
        assert url == BASE or url.startswith(f"{BASE}/"), url
        path = re.split(r"[?#]", url.removeprefix(BASE))[0]
        assert not path or any(re.fullmatch(pattern, path) for _, pattern in patterns), url


@pytest.mark.parametrize("base", ["http://127.0.0.1:8000", "https://board.example/a/b", "http://[::1]:9000"])
def test_every_address_is_below_the_address_of_the_board(texts: dict[str, str], base: str) -> None:
    made = {path: content.decode() for path, content in documents(Links(base), CONTACTS).items() if path in PAGES}
    assert made.keys() == texts.keys()
    for path, text in made.items():
        assert text.count(base) == texts[path].count(BASE), path
        assert all(url.startswith(base) for url in URL.findall(text)), path


# A name in capitals with a whole number.
CONSTANT = re.compile(r"^([A-Z_]+) = ([\d* -]+)$", re.MULTILINE)
ELSEWHERE = {"DEPRECATION_DAYS": "/communication.md", "RESCUE_KEY_MIN": "/join"}


def test_every_bound_of_the_contract_is_on_a_page(texts: dict[str, str]) -> None:
    """A template has no number of its own: its names, and the bounds of requests and COUNTS, are the contract's."""
    contract = Path(bounds.__file__).parent
    files = [contract / "bounds.py", contract / "limits.py", *contract.glob("requests/*.py"), *TEMPLATES]
    words = Counter(word for file in files for word in re.findall(r"\w+", file.read_text()))
    named = {name: module for module in (bounds, limits) for name, _ in CONSTANT.findall(source_of(module))}
    assert {"TITLE_MAX", "BODY_BYTES_MAX", "ID_MAX", "REPLIES_PER_READ", "POLL_SECONDS"} <= named.keys()
    for name, module in named.items():
        page = ELSEWHERE.get(name, "/rules.md")
        assert words[name] > 1, f"{name} is in no request, in no template and not in bounds.COUNTS"
        assert re.search(rf"\b{getattr(module, name)}\b", texts[page]), f"{name} is not in {page}"


def source_of(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text()
