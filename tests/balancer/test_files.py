"""What HAProxy knows of the contract is what the contract says; for this no HAProxy is needed."""

import re

from deploy.compose.haproxy_files import FOLDER, files, routes
from services.api.throttle import Throttle
from services.board.contract.operations import OPERATIONS
from services.board.contract.schemas import BODY_BYTES_MAX, HEAD_BYTES_MAX

CONFIGURATION = (FOLDER / "haproxy.cfg").read_text()


def test_the_committed_files_are_those_of_the_contract() -> None:
    there = {
        str(path.relative_to(FOLDER)): path.read_bytes().decode()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.name != "haproxy.cfg"
    }
    assert there == files(), "run python -m deploy.compose.haproxy_files"
