"""Documents are compressed once, for clients that take gzip (interface 2.6)."""

import gzip
import http.client
from urllib.parse import urlsplit

import pytest

from services.api.http.encodings import takes_gzip
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.web import Answer, Web

DOCUMENTS = [operation for operation in OPERATIONS if operation.document]
over_documents = pytest.mark.parametrize("operation", DOCUMENTS, ids=lambda operation: str(operation.path))


def fetch(web: Web, method: str, path: str, **headers: str) -> Answer:
    """An answer as it is on the wire."""
    connection = http.client.HTTPConnection(urlsplit(web.url).netloc, timeout=30)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    answer = Answer(response.status, response.headers, response.read())
    connection.close()
    return answer


@over_documents
def test_a_client_that_takes_gzip_gets_the_same_document(web: Web, operation: Operation) -> None:
    plain = web.get(operation.path)
    packed = fetch(web, "GET", operation.path, Accept_Encoding="gzip, br")
    assert gzip.decompress(packed.content) == plain.content
    assert int(packed.headers["Content-Length"]) == len(packed.content)
    assert (plain.headers["Content-Encoding"], packed.headers["Content-Encoding"]) == (None, "gzip")
    own = {"X-Request-Id", "Date", "Content-Length", "Content-Encoding", "ETag"}
    for name, value in plain.headers.items():
        assert name in own or packed.headers[name] == value, name
    # caches should keep the two apart
    assert packed.headers["Vary"] == "Authorization, Accept-Encoding"
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_each_form_is_revalidated_with_its_own_tag(web: Web, method: str) -> None:
    plain = fetch(web, method, "/openapi.json", Accept_Encoding="identity")
    packed = fetch(web, method, "/openapi.json", Accept_Encoding="gzip")
    for accepted, own, other in (("gzip", packed, plain), ("identity", plain, packed)):
        again = fetch(web, method, "/openapi.json", Accept_Encoding=accepted, If_None_Match=own.headers["ETag"])
        assert (again.status, again.content, again.headers["ETag"]) == (304, b"", own.headers["ETag"])
        assert again.headers["Content-Encoding"] is None
        changed = fetch(web, method, "/openapi.json", Accept_Encoding=accepted, If_None_Match=other.headers["ETag"])
        assert (changed.status, changed.headers["ETag"]) == (200, own.headers["ETag"])


@pytest.mark.parametrize(
    ("accepted", "taken"),
    [
        ([], False), ([""], False), (["identity"], False), (["br, deflate"], False), (["gzip;q=0"], False),
        (["gzip; Q=0.000, *"], False), (["*;q=0"], False), (["gzipped"], False), (["gzip"], True), (["GZip"], True),
        (["br;q=1.0, gzip;q=0.8, *;q=0.1"], True), (["br", "gzip"], True), (["*"], True), (["x-gzip"], True),
        (["identity;q=1, gzip ; q=0.001"], True), (["gzip;q=1"], True), (["*;q=0, gzip"], True),
    ],
)  # fmt: skip
def test_gzip_is_sent_to_those_who_take_it(accepted: list[str], taken: bool) -> None:
    assert takes_gzip(accepted) is taken
