"""A log line: one JSON object, whichever library wrote it, and no secret in it."""

import json
import logging
import re
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import structlog

from services.process.telemetry import configure_logging, redact

TOKEN = "agb_" + "A" * 43 + "0DofJ8"
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines() -> Iterator[Lines]:
    root, level = logging.getLogger(), logging.getLogger().level
    handlers, written = root.handlers[:], list[bytes]()
    configure_logging("api", "info", written.append)
    yield lambda: [json.loads(line) for line in written]
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


def test_an_event_is_one_json_line_with_time_level_event_process_and_its_fields() -> None:
    written: list[bytes] = []
    configure_logging("fanout", "info", written.append)
    structlog.stdlib.get_logger("here").info("Delivered.\nAll.", posts=3, inboxes=[1, 2])
    assert written[0].count(b"\n") == 1
    assert written[0].endswith(b"\n")
    line = json.loads(written[0])
    assert list(line)[:4] == ["timestamp", "level", "event", "process"]
    assert abs(datetime.now(UTC) - datetime.fromisoformat(line.pop("timestamp"))).total_seconds() < 5
    assert line == {
        "level": "info",
        "event": "Delivered.\nAll.",
        "process": "fanout",
        "posts": 3,
        "inboxes": [1, 2],
        "logger": "here",
    }


def test_no_field_can_pose_as_another_process(lines: Lines) -> None:
    structlog.stdlib.get_logger().info("x", process="other", level="debug", logger="other")
    assert (lines()[0]["process"], lines()[0]["level"]) == ("api", "info")


@pytest.mark.parametrize("name", ["sanic.root", "sanic.error", "tortoise", "asyncpg.pool", "aiohttp.server", "asyncio"])
def test_libraries_write_the_same_lines_even_through_handlers_of_their_own(lines: Lines, name: str) -> None:
    library = logging.getLogger(name)
    library.addHandler(logging.StreamHandler())
    library.propagate = False
    written: list[bytes] = []
    configure_logging("api", "info", written.append)
    library.warning("lost %d of %s", 2, "three")
    assert [json.loads(line)["event"] for line in written] == ["lost 2 of three"]
    assert library.handlers == []


def test_the_level_holds_for_our_events_and_for_libraries(lines: Lines) -> None:
    written: list[bytes] = []
    configure_logging("api", "warning", written.append)
    structlog.stdlib.get_logger("services.x").info("quiet")
    logging.getLogger("sanic.root").info("quiet")
    structlog.stdlib.get_logger("services.x").warning("loud")
    assert [json.loads(line)["event"] for line in written] == ["loud"]


def test_statements_with_their_values_are_never_logged_even_at_debug(lines: Lines) -> None:
    written: list[bytes] = []
    configure_logging("api", "debug", written.append)
    logging.getLogger("tortoise.db_client").debug("INSERT INTO posts ... %s", "a body")
    logging.getLogger("services.x").debug("ours")
    assert [json.loads(line)["event"] for line in written] == ["ours"]


def test_an_exception_is_a_structured_field_without_local_variables(lines: Lines) -> None:
    def fail(body: str) -> None:
        raise RuntimeError("no")

    for log in (structlog.stdlib.get_logger("services.x"), logging.getLogger("sanic.error")):
        try:
            fail("what an agent wrote")
        except RuntimeError:
            log.exception("It failed.")
    for line in lines():
        assert line["exception"][0]["exc_type"] == "RuntimeError"
        assert line["exception"][0]["frames"][-1]["name"] == "fail"
        assert "what an agent wrote" not in json.dumps(line)
    assert len(lines()) == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Bearer {TOKEN}.", "Bearer agb_[redacted]."),
        (f"x{TOKEN}{TOKEN}", "xagb_[redacted]agb_[redacted]"),
        ("postgresql://board:hunter2@db/board", "postgresql://board:[redacted]@db/board"),
        ("at postgres://board:hun@ter/2@db:5/board now", "at postgres://board:[redacted]@db:5/board now"),
        ("redis://:hunter2@cache:6379/0", "redis://:[redacted]@cache:6379/0"),
        ("REDISS://u:hunter2@cache", "REDISS://u:[redacted]@cache"),
        ("postgresql:///board?user=a&password=hunter2&x=1", "postgresql:///board?user=a&password=[redacted]&x=1"),
        ("Failing row.\nDETAIL:  contains (1, hunter2,\nhunter2).\nHINT: x", "Failing row.\nDETAIL: [redacted]"),
        ("postgresql://db:5432/board, no password", "postgresql://db:5432/board, no password"),
        ("agb_short and mail@example.org", "agb_short and mail@example.org"),
    ],
)
def test_tokens_and_passwords_are_redacted_and_nothing_else_is(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_secrets_are_redacted_wherever_they_stand(lines: Lines) -> None:
    log = structlog.stdlib.get_logger("services.x")
    log.info(f"event {TOKEN}", a={"b": [TOKEN, (TOKEN,)]}, **{TOKEN: 1}, raw=TOKEN.encode(), error=ValueError(TOKEN))
    logging.getLogger("sanic.error").error("GET /api?token=%s", TOKEN)
    try:
        raise ValueError(f"bad {TOKEN}")
    except ValueError:
        log.exception("failed")
    assert len(lines()) == 3
    assert "AAAAAAAA" not in json.dumps(lines())


def test_odd_values_cost_neither_the_line_nor_the_caller(lines: Lines) -> None:
    endless: dict[str, Any] = {}
    endless["self"] = endless
    log = structlog.stdlib.get_logger("services.x")
    log.info("odd", a="lone \ud800", b=2**80, c=float("nan"), d=object, e=endless, f={1: 2}, g={3})
    assert lines()[0]["event"] == "odd"
    assert (lines()[0]["a"], lines()[0]["b"], lines()[0]["f"], lines()[0]["g"]) == (
        "lone \\ud800",
        2**80,
        {"1": 2},
        [3],
    )


def test_a_line_that_cannot_be_rendered_is_replaced_by_one_that_says_so(lines: Lines) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no repr")

    written: list[bytes] = []
    configure_logging("api", "info", written.append)  # here, because pytest's own handler refuses such lines
    structlog.stdlib.get_logger("services.x").info("x", broken=Broken())
    logging.getLogger("sanic.root").warning("%d", "not a number")
    assert [(line["event"], line["error"]) for line in map(json.loads, written)] == [
        ("log_line_unrenderable", "RuntimeError"),
        ("log_line_unrenderable", "TypeError"),
    ]


def test_warnings_are_log_lines(lines: Lines) -> None:
    logging.captureWarnings(False)  # pytest's own capture hides the one that the fixture started
    written: list[bytes] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        configure_logging("api", "info", written.append)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        logging.captureWarnings(False)
    assert re.search("DeprecationWarning: old", json.loads(written[0])["event"])


def test_the_time_of_redaction_grows_with_the_text_alone() -> None:
    def seconds(beginnings: int) -> float:
        text = "postgres://a:" * beginnings
        began = time.process_time()
        redact(text)
        return time.process_time() - began

    # 16 times the text takes 16 times as long, or 256 times if each beginning searches for the end of the word
    assert min(seconds(16_000) for _ in range(3)) < 48 * min(seconds(1_000) for _ in range(3))
