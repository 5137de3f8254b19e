"""Conditional requests (interface 2.6): which tags match, and which checks come before them.

tests/contract/test_headers.py makes a conditional read of every operation.
"""

from typing import Any

import pytest

from services.api.http.etags import matches
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import each_of, path_of
from tests.web import Agent, Web

READS = [operation for operation in OPERATIONS if operation.method == GET]
MISSING = {
    "id": 9007199254740991,
    "name": "nobody-has-this-name",
    "slug": "nowhere-at-all",
    "bundle": "x001/000",
    "tile": "5/000",
}
# @ is the opaque part of a tag with its quotes, and ~ without them.
LISTED = ["@", "W/@", '"a", @,"b"', 'W/"a",@', '"a,b", W/"c,", @, "",",,"', '"\xe9", @, "!#[]^"', 'W/"a"\t , W/@\t,',
          "  @", ',"x" ,@ ,', "*"]  # fmt: skip
OTHERS = ['"a"', 'W/"a"', "~", "w/@", '"~', '"x~"', '"W/~"', "", '"*"', "é"]
NO_LISTS = ['"a,@,b"', '"a, @, b"', "@ @", "@;q=1", "a, @", "@, a", "@, *", "*, @", "*, *", "W/*", "W/", "W/ @",
            "W/W/@", "'@'", '"@"', '"~', '~"', ",", '"', '" "', '@, "', "," * 4000, '"' * 4001,
            '"",' * 1300 + "x"]  # fmt: skip


def sent(form: str) -> str:
    return form.replace("@", '"0af"').replace("~", "0af")


@pytest.mark.parametrize("tag", ['"0af"', 'W/"0af"'])
def test_a_tag_matches_in_all_its_forms_and_no_other_one_does(tag: str) -> None:
    assert [form for form in LISTED if not matches([sent(form)], tag)] == []
    assert [form for form in (*OTHERS, *NO_LISTS) if matches([sent(form)], tag)] == []
    # several headers are one list
    assert matches(['"a"', tag], tag)


@each_of(READS)
def test_what_is_refused_comes_before_the_precondition(
    operation: Operation, alice: Agent, web: Web, thread: Any
) -> None:
    path = path_of(operation, alice, thread)
    for match in (alice.get(path).headers["ETag"], "*"):
        condition = {"If-None-Match": match}
        refusals = {401: web.get(path, token="agb_nonsense", headers=dict(condition))}
        if operation.query is not None:
            refusals[400] = alice.get(f"{path}{'&' if '?' in path else '?'}%FF", headers=dict(condition))
        if operation.finds and "{" in operation.path:
            refusals[404] = alice.get(operation.path.format(**MISSING), headers=dict(condition))
        for status, answer in refusals.items():
            assert (answer.status, answer.headers["ETag"], answer.headers["Vary"]) == (status, None, None)
            assert (answer.headers["Cache-Control"], bool(answer.content)) == ("no-store", True)


@pytest.fixture
def thread(alice: Agent) -> dict[str, Any]:
    return alice.thread()
