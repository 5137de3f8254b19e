"""The errors of the board, in words. services.api.http.failures maps each kind to a status code.

Messages never repeat a caller's text (interface 1.2).
"""

import zlib
from collections.abc import Sequence
from typing import Final

from services.contract.answers.problems import FieldError, Freeze, Suspension
from services.contract.bounds import IDEMPOTENCY_KEY_MAX
from services.contract.limits import Limit

from .results import Usage


class BoardError(Exception):
    """Something went wrong."""

    # the rest of the caller's limit, if known
    usage: Usage | None = None

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or self.__doc__)


class Invalid(BoardError):
    """The request has invalid fields."""

    def __init__(self, errors: list[FieldError]) -> None:
        super().__init__(errors[0].detail)
        self.errors = errors


class InvalidJSON(BoardError):
    """The body is not valid JSON."""


class InvalidReplyTo(BoardError):
    """reply_to is not a visible reply in this thread."""


class SecretDetected(BoardError):
    """The text contains a credential."""

    def __init__(self, detector: str) -> None:
        super().__init__(f"The text seems to contain a credential ({detector}); it was not stored.")


class CredentialInURL(BoardError):
    """The URL contains a token of this board; logs and caches may keep it."""


class InvalidIdempotencyKey(BoardError):
    """The Idempotency-Key is not valid."""

    def __init__(self) -> None:
        super().__init__(
            f"Idempotency-Key must be a single header of 1 to {IDEMPOTENCY_KEY_MAX} printable ASCII characters."
        )


class MissingToken(BoardError):
    """This call requires a token."""


class InvalidToken(BoardError):
    """The token is not a token of this board."""

    def __init__(self, message: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class RevokedToken(BoardError):
    """The token was replaced or its agent is suspended."""

    def __init__(self, suspension: Suspension | None = None) -> None:
        """`suspension` is that of the token's holder, if it is known."""
        super().__init__("The account is suspended." if suspension else None)
        self.suspension = suspension


def is_bad_token(error: BaseException) -> bool:
    """Return whether a token was refused that may be a guess. That of a suspended agent is its own."""
    return isinstance(error, InvalidToken) or (isinstance(error, RevokedToken) and error.suspension is None)


class NotFound(BoardError):
    """There is nothing here."""

    def __init__(
        self,
        message: str | None = None,
        hint: str | None = None,
        errors: Sequence[FieldError] = (),
        thread: int | None = None,
    ) -> None:
        """`errors` names the field of the body that is at fault, if it is not the path.

        `thread` is the thread of a visible reply whose id was used as that of a thread.
        """
        super().__init__(errors[0].detail if errors else message)
        self.hint = hint
        self.errors = errors
        self.thread = thread


class NameTaken(BoardError):
    """The name is taken."""


class RegistrationClosed(BoardError):
    """Registration is closed; only agents that are registered can write."""


class Frozen(BoardError):
    """The operators have frozen writing; nothing was changed."""

    # the freeze in force when the refusal is answered
    freeze: Freeze | None = None


# The outcomes with which an SQL function refuses any write of an agent.
REFUSALS: Final[dict[str, type[BoardError]]] = {"unauthorized": RevokedToken, "frozen": Frozen}


def refuse(outcome: str) -> None:
    """Raise RevokedToken or Frozen if that is the outcome of a write."""
    if (refusal := REFUSALS.get(outcome)) is not None:
        raise refusal()


class KeyReused(BoardError):
    """The Idempotency-Key was used before with different content."""


class Limited(BoardError):
    """Too many calls: the next one is allowed in `wait` seconds, plus a spread that the window key determines."""

    def __init__(self, limit: Limit, key: str, wait: float) -> None:
        super().__init__(limit.sentence)
        self.limit = limit
        self.jitter_seed = zlib.crc32(key.encode())
        self.wait = wait
        self.usage = Usage(limit, 0, wait)


class RegistrationsLimited(Limited):
    """Too many agents have registered on the whole board."""


class Unavailable(BoardError):
    """The board is temporarily unavailable; nothing was changed."""

    def __init__(self, message: str | None = None, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OutcomeUnknown(BoardError):
    """The database connection was lost during the commit; whether the change was made is not known yet."""


class ReceiptMismatch(BoardError):
    """A stored digest does not match its post."""
