"""Logging: one JSON object per line on standard output, for the board's own code and for libraries.

No line may contain a token, a password, the body of a request or the values of a statement.
"""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor, WrappedLogger

from .line_writer import STDOUT

TOKEN: Final = r"agb_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}"
SECRETS: Final = (
    (re.compile(TOKEN), "agb_[redacted]"),
    # Greedy up to the last @ of the word, so that no part of a password with a raw @ or / is shown. Bounded, because an
    # unbounded search over a long text without an @ takes quadratic time.
    (re.compile(r"((?:postgres(?:ql)?|rediss?|valkeys?)://[^\s:/@?]{0,200}):\S{0,2000}@", re.I), r"\1:[redacted]@"),
    (re.compile(r"(\bpassword=)[^\s&'\"]+", re.I), r"\1[redacted]"),
    # PostgreSQL quotes the failing row here, which may contain text of an agent.
    (re.compile(r"^DETAIL: .*", re.M | re.S), "DETAIL: [redacted]"),
)

# At level debug, these log statements with their values, or requests with their paths.
NEVER_BELOW_INFO: Final = ("tortoise", "aiohttp", "asyncpg", "aerich", "sanic")
DEEPEST: Final = 8


def configure_logging(process: str, level: str, write: Callable[[bytes], None] = STDOUT.write) -> None:
    """Send structlog and the standard library's logging to `write`, as JSON lines with the name of the process.

    `level` is debug, info, warning or error. Handlers installed by libraries are removed.
    """
    handler = LineHandler(write, process)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    take_over_libraries(root.level)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def redact(value: object, depth: int = 0) -> Any:
    """Return the value as JSON types, without the board's tokens and without passwords in database addresses."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth < DEEPEST and isinstance(value, Mapping):
        return {redact_text(str(key)): redact(item, depth + 1) for key, item in value.items()}
    if depth < DEEPEST and isinstance(value, list | tuple | set | frozenset):
        return [redact(item, depth + 1) for item in value]
    return redact_text(value if isinstance(value, str) else repr(value))


def redact_text(text: str) -> str:
    for pattern, replacement in SECRETS:
        text = pattern.sub(replacement, text)
    # A lone surrogate cannot be encoded, and must not lose the line.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def take_over_libraries(level: int) -> None:
    logging.captureWarnings(True)
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    for name in NEVER_BELOW_INFO:
        logging.getLogger(name).setLevel(max(level, logging.INFO))


class LineHandler(logging.Handler):
    """Never raises: a line that cannot be rendered is replaced by one that reports this."""

    def __init__(self, write: Callable[[bytes], None], process: str) -> None:
        super().__init__()
        self.write = write
        self.process = process
        self.setFormatter(structlog.stdlib.ProcessorFormatter(processors=chain(process)))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception as error:  # noqa: BLE001 - logging must never fail its caller
            line = self.substitute(record, error)
        self.write(line.encode("utf-8") + b"\n")

    def substitute(self, record: logging.LogRecord, error: Exception) -> str:
        facts = {"level": "error", "event": "log_line_unrenderable", "process": self.process}
        return encode_line(facts | {"logger": record.name, "line": record.lineno, "error": type(error).__name__})


def chain(process: str) -> list[Processor]:
    return [
        add_origin,
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Local variables would expose tokens and bodies in the log.
        structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False, max_frames=20)),
        shaping(process),
        lambda _logger, _method, fields: encode_line(fields),
    ]


def add_origin(_logger: WrappedLogger, _method: str, fields: EventDict) -> EventDict:
    record: logging.LogRecord = fields["_record"]
    fields["level"] = record.levelname.lower()
    fields["logger"] = record.name
    return fields


def shaping(process: str) -> Processor:
    def shape(_logger: WrappedLogger, _method: str, fields: EventDict) -> EventDict:
        first = {name: fields.pop(name, None) for name in ("timestamp", "level", "event")}
        fields.pop("process", None)
        shaped: EventDict = redact({**first, "process": process, **fields})
        return shaped

    return shape


def encode_line(fields: Mapping[str, object]) -> str:
    return msgspec.json.encode(fields).decode("utf-8")
