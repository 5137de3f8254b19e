"""The headers of one call of each operation, and of its other forms (interface 2.5, 2.6, 5.1)."""

from collections.abc import Callable
from typing import Any

from services.contract.effects import NONE
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import call, each_of, each_path, path_of
from tests.web import SECURITY, Agent, Answer, Web

Objects = Callable[[Operation], dict[str, Any]]
READS = [operation for operation in OPERATIONS if operation.method == GET]
OTHER_SITE = {"Origin": "https://example.com"}
ALLOWED = "Access-Control-Allow-Origin"
EXPOSED = "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Agent-Effect, Ignored-Parameters, X-Request-Id"
# Those of a 304; those that describe a body are left out along with it.
KEPT = {"ETag", "Vary", "Cache-Control", "Agent-Effect", ALLOWED, "Access-Control-Expose-Headers", *SECURITY}
ITS_OWN = {"Date", "X-Request-Id", "Connection"}


def headers_of(answer: Answer, *without: str) -> dict[str, str]:
    left_out = ITS_OWN | set(without)
    return {name: value for name, value in answer.headers.items() if name not in left_out}


@each_of(OPERATIONS)
def test_what_works_has_the_headers_of_its_operation(
    operation: Operation, alice: Agent, caller: Callable[[Operation], Agent], objects: Objects
) -> None:
    answer = call(caller(operation), operation, alice, objects(operation))
    assert (answer.status, answer.effect) == (operation.status, operation.effect.header(True))
    assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == (operation.media_type, operation.cache)
    # only reads have a tag, and only what is created an address
    assert ("ETag" in answer.headers, "Location" in answer.headers) == (
        operation.method == GET,
        operation.status == 201,
    )


@each_of(READS)
def test_head_an_unchanged_read_and_a_range_have_the_headers_of_the_read(
    operation: Operation, alice: Agent, objects: Objects
) -> None:
    path = path_of(operation, alice, objects(operation))
    full, headed = alice.get(path), alice.call("HEAD", path)
    tag = full.headers["ETag"]
    assert full.headers["Vary"] == "Authorization, Accept-Encoding" + (", Accept" if operation.otherwise else "")
    # the tag should be weak, except that of a receipt, which never changes
    assert tag.startswith('"' if operation.name == "read_receipt" else 'W/"')
    # the headers of HEAD should describe the content that it leaves out
    varying = () if operation.untagged is None else ("Content-Length", "Link")
    assert (headed.status, headed.content) == (200, b"")
    assert headers_of(headed, *varying) == headers_of(full, *varying)
    unchanged = alice.get(path, headers={"If-None-Match": tag})
    assert (unchanged.status, unchanged.content) == (304, b"")
    assert headers_of(unchanged) == {name: value for name, value in full.headers.items() if name in KEPT}
    part = alice.get(path, headers={"Range": "bytes=0-1", "If-Range": tag})
    assert (part.status, part.headers["Content-Range"]) == (200, None)
    assert len(part.content) == int(part.headers["Content-Length"]) > 2


@each_of(OPERATIONS)
def test_only_what_has_no_effect_may_be_read_by_other_sites(
    operation: Operation, alice: Agent, web: Web, caller: Callable[[Operation], Agent], objects: Objects
) -> None:
    post = objects(operation)
    for asking in (caller(operation), web):
        answer = call(asking, operation, alice, post, headers=OTHER_SITE)
        assert answer.headers[ALLOWED] == ("*" if operation.effect is NONE else None)
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert answer.headers["Access-Control-Expose-Headers"] == (EXPOSED if operation.effect is NONE else None)


@each_path
def test_options_lists_the_methods_of_the_path_and_lets_other_sites_read_what_is_public(
    alice: Agent, web: Web, operations: list[Operation], objects: Objects
) -> None:
    declared = {operation.method for operation in operations}
    allowed = sorted(declared | {"OPTIONS"} | ({"HEAD"} if GET in declared else set()))
    target = path_of(operations[0], alice, objects(operations[0]))
    ask = {**OTHER_SITE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    answer = web.call("OPTIONS", target, headers=ask)
    assert (answer.status, answer.content, answer.effect) == (200, b"", "none")
    assert (answer.headers["Allow"], answer.headers["Cache-Control"]) == (", ".join(allowed), "no-store")
    # whatever a page asks for, it may only read, with a condition or a token
    told = [answer.headers[f"Access-Control-{name}"] for name in ("Allow-Methods", "Allow-Headers", "Max-Age")]
    public = any(operation.effect is NONE for operation in operations)
    assert told == (["GET, HEAD", "Authorization, If-None-Match", "86400"] if public else [None] * 3)
    assert not public or answer.headers[ALLOWED] == "*"
    # a 405 should list the same methods
    for method in ("DELETE", "PUT", "TRACE", "POST", "PATCH", "HEAD", "GET"):
        if method not in allowed:
            refused = web.call(method, target)
            assert (refused.status, refused.headers["Allow"]) == (405, ", ".join(allowed))
