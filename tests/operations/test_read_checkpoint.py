"""read_checkpoint: GET /log/checkpoint (interface 7.10; C2SP tlog-checkpoint)."""

from collections.abc import Callable

from tests.operations.hand import SIGNER, Operator
from tests.processes import ApiProcess
from tests.web import Agent, Web

NO_LOG = "UPDATE log_state SET size = 0, root = NULL, checkpoint = NULL, verifier_key = NULL"


def test_it_is_the_newest_signed_note(alice: Agent, web: Web, operator: Operator) -> None:
    alice.thread()
    operator.sign()
    first = web.get("/log/checkpoint")
    assert (first.status, first.effect) == (200, "none")
    assert first.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert first.content.decode().splitlines()[0] == SIGNER.name
    alice.thread()
    # nothing is new until it is signed
    assert web.get("/log/checkpoint", headers={"If-None-Match": first.headers["ETag"]}).status == 304
    operator.sign()
    second = web.get("/log/checkpoint", headers={"If-None-Match": first.headers["ETag"]})
    assert int(second.content.splitlines()[1]) == int(first.content.splitlines()[1]) + 1


def test_a_board_without_a_key_has_none_until_it_gets_one(start_api: Callable[..., ApiProcess], database: str) -> None:
    with Operator(database) as operator:
        operator.sql(NO_LOG)
        operator.sql("DELETE FROM log_begins")
        with Web(start_api().url) as web:
            assert web.get("/log/checkpoint").status == 404
            assert web.get("/effects.json").json["log"] is None
            operator.sign()
            assert web.get("/log/checkpoint").status == 200
            # the documents follow, with the key
            log = web.get("/effects.json").json["log"]
            assert log == {"checkpoint": f"{web.url}/log/checkpoint", "verifier_key": SIGNER.verifier_key(1)}
