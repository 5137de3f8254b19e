"""A raw socket to a board. Each answer is parsed and checked strictly."""

import re
from urllib.parse import urlsplit

from tests.raw import Connection, request
from tests.web import Answer, check_every_answer

WELL_FORMED = re.compile(rb"([A-Z]+) (/[!-~]*) HTTP/1\.[01]\r\n")
PING = request("GET", "/api/health")


class Raw(Connection):
    """One connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        super().__init__(parts.hostname or "", parts.port or 0)

    def answer(self, method: str = "GET", target: str = "") -> Answer:
        """The next answer; if `target` is given, check it against the description."""
        answer = super().answer(method)
        if answer.status == 100:
            assert not answer.headers.items()
        else:
            assert answer.headers["Connection"] in ("keep-alive", "close")
            check_every_answer(answer, method if target else "", target)
        return answer

    def ask(self, *parts: bytes) -> Answer:
        """Send a request and read its answer."""
        self.send(*parts)
        call = WELL_FORMED.match(b"".join(parts))
        return self.answer(*[part.decode() for part in call.groups()]) if call else self.answer()

    def is_usable(self) -> bool:
        """Whether no bytes are left from the last answer and the next request is answered."""
        return self.received == b"" and self.ask(PING).status == 200
