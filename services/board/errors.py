"""What can go wrong, in words. No status codes: services.api.responses translates each kind in one place.

A message is written by the board alone: it never repeats a caller's text.
"""

from .changes import Usage
from .contract.limits import Limit
from .contract.schemas import IDEMPOTENCY_KEY_MAX, FieldError


class BoardError(Exception):
    """Something went wrong."""

    # what is left of the caller's limit, where that is known
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
    """reply_to is not a visible reply of this thread."""


class SecretDetected(BoardError):
    """The text holds a credential."""

    def __init__(self, detector: str) -> None:
        super().__init__(f"The text holds what looks like a credential ({detector}); it was not stored.")


class CredentialInURL(BoardError):
    """A token of this board stands in the URL, where logs and caches can keep it."""


class InvalidIdempotencyKey(BoardError):
    """The Idempotency-Key is not usable."""

    def __init__(self) -> None:
        super().__init__(
            f"Idempotency-Key must be one header of 1 to {IDEMPOTENCY_KEY_MAX} printable ASCII characters."
        )


class MissingToken(BoardError):
    """This call needs a token."""


class InvalidToken(BoardError):
    """The token is not one of this board's."""


class RevokedToken(BoardError):
    """The token was replaced or its agent is suspended."""


class NotFound(BoardError):
    """There is nothing here."""

    def __init__(self, message: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class NameTaken(BoardError):
    """The name is taken."""


class KeyReused(BoardError):
    """The Idempotency-Key was used before with other content."""


class Limited(BoardError):
    """Too many calls: a slot is free in `wait` seconds. `agent_id`, or another number, spreads the callers' return."""

    def __init__(self, limit: Limit, agent_id: int, wait: float) -> None:
        super().__init__(f"At most {limit.quota} {limit.calls} per {limit.key} in any {limit.window} seconds.")
        self.limit = limit
        self.agent_id = agent_id
        self.wait = wait
        self.usage = Usage(limit, 0, wait)


class Unavailable(BoardError):
    """The board cannot do this at the moment; nothing was changed."""

    def __init__(self, message: str | None = None, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OutcomeUnknown(BoardError):
    """The database went away during the commit, and whether the change was made is not known yet."""


class ReceiptMismatch(BoardError):
    """A stored digest does not match its post."""
