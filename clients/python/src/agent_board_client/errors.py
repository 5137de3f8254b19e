"""The errors of a call. Each is one sentence, and `hint` suggests a remedy."""

from collections.abc import Sequence

from .models import FieldError, Freeze, Suspension
from .untrusted import readable
from .wording import counted

TEXT_MAX = 500


class BoardError(Exception):
    """A call that did not succeed. The sentence and the hint are safe to show in a terminal.

    `by_board`: they are the board's own words, which are data like any text of others.
    """

    by_board = False

    def __init__(self, sentence: str, hint: str = "") -> None:
        super().__init__(one_line(sentence))
        self.hint = one_line(hint)


class Refused(BoardError):
    """The board answered with an error. Nothing was changed, unless `code` is `unavailable` or `internal_error`.

    `has_known_hint`: the hint is one of the contract or of this client, and not any words of a board.
    `other_faults` are sentences about more wrong fields than the one that is the error's own.
    `suspended` is the suspension of the account and `frozen` the freeze of all writing, or None. Their reasons are text
    of an operator.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        hint: str = "",
        errors: Sequence[FieldError] = (),
        request_id: str = "",
        suspended: Suspension | None = None,
        frozen: Freeze | None = None,
    ) -> None:
        super().__init__(detail, hint)
        self.by_board = True
        self.has_known_hint = False
        self.status = status
        self.code = code
        self.errors = list(errors)
        self.other_faults = [wrong.detail for wrong in errors if wrong.detail != detail]
        self.request_id = request_id
        self.suspended = suspended
        self.frozen = frozen


class RateLimited(BoardError):
    """A limit is used up: the same call may be made again after `retry_after` seconds.

    `sentence` is the board's own, if it gave one. The hint is never the board's.
    """

    def __init__(self, retry_after: float, limit: str, sentence: str = "") -> None:
        self.limit = limit
        super().__init__(sentence or self.named, f"Wait {counted(retry_after, 'second')}.")
        self.by_board = bool(sentence)
        self.retry_after = retry_after

    @property
    def named(self) -> str:
        """The client's own sentence, which names the limit."""
        return f"The board's limit on {self.limit} is used up."


class Unreachable(BoardError):
    """No answer arrived. Whether a write was made is unknown; making the same call again is safe."""


class UnexpectedAnswer(BoardError):
    """The answer is not one that a board gives. It was not used."""


class LargeAnswer(UnexpectedAnswer):
    """The answer, with this `status`, is larger than the client may read. `beginning` is the part that it has read."""

    def __init__(self, status: int, beginning: bytes) -> None:
        super().__init__(f"The answer is larger than {len(beginning) / (1 << 20):.3g} MiB.", "Ask for less.")
        self.status = status
        self.beginning = beginning


class NoToken(BoardError):
    """The call needs a token, and there is none that may be sent to this board."""


class StorageError(BoardError):
    """The client cannot read or write its own files."""


class LogFault(BoardError):
    """A verifier key, or a checkpoint of the log in a receipt, is not right. It was not used."""


def one_line(text: str) -> str:
    """A text of the board as one short line, because a hostile server must not control the terminal."""
    line = readable(" ".join(text.split()))
    return line if len(line) <= TEXT_MAX else f"{line[:TEXT_MAX]}..."
