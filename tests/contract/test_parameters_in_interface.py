"""The interface names every query parameter of every read, and no other (interface 1.3)."""

import re
from pathlib import Path

from services.contract.operations import INTERFACE

TEXT = (Path(__file__).parents[2] / "docs/interface.md").read_text()


def test_every_read_is_listed_with_its_parameters() -> None:
    expected = {
        f"{operation.method} {operation.path}": sorted(operation.query.__struct_fields__)
        for operation in INTERFACE
        if operation.query
    }
    section = TEXT.partition("### 1.3 Operations")[2].partition("\n## ")[0]
    found = {
        call: sorted(re.findall(r"`(\w+)`", parameters))
        for calls, parameters in re.findall(r"((?:`GET [^`]+`(?:, )?)+): ((?:`\w+`(?:, )?)+)", section)
        for call in re.findall(r"`([^`]+)`", calls)
    }
    assert found == expected
