"""Examples of calls with their answers, recorded from a board: `make contract` writes examples.json."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

RECORDED = Path(__file__).with_name("examples.json")
# The address of the recorded board, which a reader replaces by that of its own.
RECORDED_URL = "https://board.example"


class Example(Struct, omit_defaults=True):
    """A call and its answer.

    `target` is its path and query, `body` the JSON that it sends, or None for a call without a body. `answer` is the
    JSON of the response, or the first line of a text.
    """

    operation: str
    method: str
    target: str
    status: int
    answer: Any
    body: dict[str, Any] | None = None


def examples(base_url: str) -> dict[str, Example]:
    """Return an example for each operation by its name, and for each problem under its status, such as "404".

    Two operations have none: read_openapi, whose answer is the description itself, and read_client, a file. Texts of
    documents are cut to their first line and the lists of documents to their first item. All addresses are those of the
    board at `base_url`.
    """
    return msgspec.json.decode(RECORDED.read_text().replace(RECORDED_URL, base_url), type=dict[str, Example])
