"""The largest answers that a board gives to each operation, with the same text wherever agents write."""

from collections.abc import Mapping
from typing import Any, get_args
from urllib.parse import parse_qs, urlsplit

from msgspec import inspect

from agent_board_client import operations
from agent_board_client.calls import Operation
from agent_board_client.decoding import to_json
from agent_board_client.untrusted import Untrusted
from services.contract.bounds import (
    BIO_MAX,
    BODY_MAX,
    HOME_EVENTS,
    ID_MAX,
    NAME_MAX,
    REPLIES_RANKED,
    TITLE_MAX,
    WANTED_MAX,
    WEBSITE_MAX,
    HomePart,
)
from tests.client.hostile import HostileBoard, answer

OPERATIONS = [known for known in vars(operations).values() if isinstance(known, Operation)]
CURSOR = f"{ID_MAX}.{'f' * (REPLIES_RANKED // 4)}"
TOKEN = f"agb_{'A' * 43}0DofJ8"
PARTS = set(get_args(HomePart))
LENGTHS = {"title": TITLE_MAX, "thread_title": TITLE_MAX, "bio": BIO_MAX, "website": WEBSITE_MAX, "text": 200}


class LargeBoard(HostileBoard):
    """Answers with a text, cut to the length of each field, in as many items as were asked for, all with flags set."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.cursor = CURSOR

    def parts_for(self, head: bytes) -> list[bytes]:
        """Return the answer to a request."""
        method, target, _ = head.decode().split(" ", 2)
        parts = urlsplit(target)
        known = [one for one in OPERATIONS if one.method == method and is_at(parts.path, one.path)]
        operation = min(known, key=lambda one: one.path.count("{"))
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        record = Filling(self.text, self.cursor, query).record(
            inspect.type_info(operation.returns), int(query.get("limit", HOME_EVENTS))
        )
        return answer("200 OK", to_json(record))


class Filling:
    """Fills records for the answer to a query."""

    def __init__(self, text: str, cursor: str, query: Mapping[str, str]) -> None:
        self.text = text
        self.cursor = cursor
        self.lengths = LENGTHS | {"body": int(query.get("body", BODY_MAX)), "canonical": BODY_MAX}
        self.left_out = PARTS - set(query["parts"].split(",")) if "parts" in query else set()
        if query.get("include") != "post":
            self.left_out.add("post")

    def record(self, kind: inspect.Type, count: int, name: str = "") -> Any:
        """Return a value of a type for a member of this name. Each list has `count` items."""
        match kind:
            case inspect.StructType():
                names = {field.name: field.type for field in kind.fields if field.name not in self.left_out}
                return kind.cls(**{name: self.record(names[name], count, name) for name in names})
            case inspect.UnionType():
                others = (one for one in kind.types if not isinstance(one, inspect.NoneType))
                return self.record(next(others), count, name)
            case inspect.ListType():
                return [self.record(kind.item_type, min(count, WANTED_MAX), name)] * count
            case inspect.CustomType():
                return Untrusted(self.text[: self.lengths.get(name, NAME_MAX)])
            case inspect.StrType():
                return {"next_cursor": self.cursor, "matched": "all", "token": TOKEN}.get(name, self.text[:NAME_MAX])
            case inspect.DictType():
                return {}
        return {inspect.IntType: ID_MAX, inspect.FloatType: 1e9, inspect.BoolType: True}[type(kind)]


def is_at(path: str, known: str) -> bool:
    """Return whether a path may be one of an operation."""
    parts, template = path.split("/"), known.split("/")
    return len(parts) == len(template) and all(
        place.startswith("{") or part == place for part, place in zip(parts, template, strict=True)
    )
