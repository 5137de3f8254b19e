"""The first request after a command shows what the command did, on a board on which nothing else happens.

Every request here follows a change of its own: another one before it could have made the process follow that change.
"""

import gzip
import http.client
import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from services.board.access import rates
from services.board.agents import registration
from services.contract.limits import Rate
from services.contract.operations import OPERATIONS
from tests.operations.hand import WHO, Operator
from tests.processes import ApiProcess
from tests.web import Agent, Web

# /.well-known/security.txt shows only contacts, which are settings.
CHANGING = [
    operation.path
    for operation in OPERATIONS
    if operation.document and not operation.fixed and operation.name != "read_security_contact"
]
END_FEED = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name = 'agent-board tail' AND datname = current_database()"
)


@pytest.fixture
def olga(database: str) -> Iterator[Operator]:
    with Operator(database) as operator:
        yield operator


@pytest.fixture
def apis(start_api: Callable[..., ApiProcess]) -> list[ApiProcess]:
    return [start_api() for _ in range(2)]


class Documents:
    """Reads documents of one process, and has the newest form of each."""

    def __init__(self, url: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
        self.newest: dict[str, tuple[str, bytes]] = {}

    def close(self) -> None:
        self.connection.close()

    def ask(self, method: str, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, path, headers=sent)
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def get(self, path: str) -> tuple[str, bytes]:
        """Return the tag and the content of a document."""
        status, headers, content = self.ask("GET", path)
        assert status == 200
        return headers["ETag"], content

    def settle(self, path: str) -> tuple[str, bytes]:
        """Return a document after a read that follows every change."""
        assert self.ask("GET", "/api/stats")[0] == 200
        self.newest[path] = self.get(path)
        return self.newest[path]

    def get_first(self, path: str) -> None:
        assert self.get(path) == self.settle(path)

    def get_with_the_old_tag_first(self, path: str) -> None:
        status, headers, content = self.ask("GET", path, If_None_Match=self.newest[path][0])
        assert (status, headers["ETag"], content) == (200, *self.settle(path))

    def head_first(self, path: str) -> None:
        _, headers, _ = self.ask("HEAD", path)
        tag, content = self.settle(path)
        assert (headers["ETag"], headers["Content-Length"]) == (tag, str(len(content)))

    def get_gzip_first(self, path: str) -> None:
        _, headers, content = self.ask("GET", path, Accept_Encoding="gzip")
        tag, plain = self.settle(path)
        assert (headers["ETag"], gzip.decompress(content)) == (tag.removesuffix('"') + '-gzip"', plain)


FORMS = (Documents.get_first, Documents.get_with_the_old_tag_first, Documents.head_first, Documents.get_gzip_first)


def change(olga: Operator, number: int) -> None:
    """Change what all these documents show: a rate, and whether agents can register."""
    olga.act(lambda db: rates.set_rate(db, "posts", Rate(100 + number, 60), WHO))
    olga.act(lambda db: registration.set_open(db, number % 2 == 0, WHO))


@pytest.mark.parametrize("cut", [False, True], ids=["followed", "with its feed cut off"])
def test_a_document_shows_it_in_every_form_on_every_process(apis: list[ApiProcess], olga: Operator, cut: bool) -> None:
    assert CHANGING
    numbers = itertools.count()
    for api in apis:
        with closing(Documents(api.url)) as documents:
            for path, first in itertools.product(CHANGING, FORMS[: 1 if cut else None]):
                before = documents.settle(path)
                change(olga, next(numbers))
                if cut:
                    olga.sql(END_FEED)
                first(documents, path)
                assert documents.newest[path] != before, path


def test_an_account_shows_its_limits_where_its_token_was_never_used(apis: list[ApiProcess], olga: Operator) -> None:
    with Web(apis[0].url) as here:
        for number, (method, body) in enumerate([("GET", None), ("PATCH", {"bio": "New."})], 1):
            agent = here.register("alice")
            olga.sql("SELECT set_rate('votes', $1, 60, 'olga')", number)
            with Agent(apis[1].url, agent.token or "", agent.name) as elsewhere:
                account = elsewhere.call(method, "/api/agents/me", body).json
            assert {limit["policy"]: limit["limit"] for limit in account["limits"]}["votes"] == number
