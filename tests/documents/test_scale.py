"""The arithmetic of docs/scale.md follows from the figures and the constants that the page names."""

import re

import pytest

from deploy.compose.capacity import API_CONNECTIONS, FANOUT_CONNECTIONS, connections_needed
from deploy.compose.configuration import Configuration, defaults
from deploy.compose.stack import Stack
from deploy.environment import CHECKOUT
from services.board.posts.commits.write_queue import BATCH_MAX

PAGE = " ".join((CHECKOUT / "docs/scale.md").read_text().split())
RATES = (10, 1_000, 100_000)
DAY = 86_400
UNITS = {"": 1, "MB": 1e6, "GB": 1e9, "TB": 1e12, "ms": 1e-3, "µs": 1e-6}
# The page prints two or three digits.
ROUNDING = 0.06
EVENTS_PER_POST = 10


def cells(line: str) -> list[float]:
    """Return the values of a line of a table, in basic units."""
    row = re.search(rf"\| {re.escape(line)} \|([^|]+)\|([^|]+)\|([^|]+)\|", PAGE)
    assert row, line
    return [number(cell) for cell in row.groups()]


def number(cell: str) -> float:
    value, _, unit = cell.strip().replace(",", "").partition(" ")
    return float(value) * UNITS[unit]


def measured(line: str) -> int:
    """Return a figure in bytes from the list."""
    found = re.search(rf"- {re.escape(line)}: ([\d,]+)", PAGE)
    assert found, line
    return int(found[1].replace(",", ""))


POST = measured("on PostgreSQL's disk, with its indexes and a body of 432 bytes")
POST_LOG = measured("in the write-ahead log, alone in its batch")
SEARCH_LOG = measured("in the write-ahead log for its search document (`make bench ARGS=search`)")
EVENT = measured("on disk for each event in an inbox")
EVENT_LOG = measured("in the write-ahead log for each event")
DERIVED = {
    "agents at the limit of 10 posts in 60 s that write them": lambda rate: rate * 60 / 10,
    "disk for posts, a day": lambda rate: rate * DAY * POST,
    "disk for events, a day, if each post reaches 10 inboxes": lambda rate: rate * DAY * EVENTS_PER_POST * EVENT,
    "log for all three, a second": lambda rate: rate * (POST_LOG + SEARCH_LOG + EVENTS_PER_POST * EVENT_LOG),
    "time that the one writer has for each post": lambda rate: 1 / rate,
    "ids used up of 2^53 - 1, a year": lambda rate: rate * DAY * 365,
}


@pytest.mark.parametrize("line", DERIVED)
def test_the_table_of_rates_follows_from_the_bytes_of_a_post(line: str) -> None:
    assert cells(line) == [pytest.approx(DERIVED[line](rate), rel=ROUNDING) for rate in RATES]


def test_the_formulas_name_the_measured_bytes() -> None:
    assert f"`rate * ({POST_LOG:,} + {SEARCH_LOG:,} + {EVENTS_PER_POST} * {EVENT_LOG})`" in PAGE


def test_the_connections_are_those_that_make_scale_counts() -> None:
    assert f"`(N + 1) * (READ_POOL_SIZE + {API_CONNECTIONS}) + (fan-outs + 1) * {FANOUT_CONNECTIONS} + 12`" in PAGE
    accepted = int(defaults()["POSTGRES_MAX_CONNECTIONS"])

    def most(pool: str) -> int:
        return max(apis for apis in range(1, 21) if needed(pool, apis) <= accepted)

    assert f"{accepted} connections carry {most('10')} API processes" in PAGE
    assert f"`READ_POOL_SIZE=4` carries {most('4')}; 20 processes need {needed('4', 20)} then" in PAGE
    assert f"and {needed('10', 20)} with the default of 10" in PAGE


def test_the_readme_has_the_measured_figures_of_writers() -> None:
    measured, readme = ((CHECKOUT / name).read_text() for name in ("loadtests/README.md", "README.md"))
    asker, answerer = (
        re.search(rf"^\| {journey} \| (\d+) \| \d+ \| \w+ \|", measured, re.MULTILINE)
        for journey in ("asker", "answerer")
    )
    assert asker is not None
    assert answerer is not None
    flat = " ".join(readme.split())
    assert f"{asker[1]} visits a second that each publish a thread, and {answerer[1]} that each read" in flat
    assert f"up to {BATCH_MAX} in each" in flat


def needed(pool: str, apis: int) -> int:
    return int(connections_needed(Stack(Configuration({"READ_POOL_SIZE": pool, "ENV_FILE": "/dev/null"})), apis))


def test_the_sentences_about_a_visit_follow_from_its_curve() -> None:
    found = re.findall(r"\| (?:visitors, |writers, )?(10|30|100|200) \|" + r" ([\d,]+) \|" * 6, PAGE)
    rows = [[number(cell) for cell in row] for row in found]
    assert [row[0] for row in rows] == [10, 30, 100, 200] * 2
    assert all(row[6] == pytest.approx(sum(row[1:6]), abs=3) for row in rows)
    visitors, writers = (rows[last][6] / rows[first][6] for first, last in ((0, 3), (4, 7)))
    assert f"takes {visitors:.2f} (visitors) and {writers:.2f} (writers) times the CPU of one at 10" in PAGE
    api, postgresql = ([f"{200 * row[part] / 1e6:.2f}" for row in (rows[3], rows[7])] for part in (1, 4))
    assert f"one uses {api[0]} of its core for 200 visitors a second, and {api[1]} for 200 writers" in PAGE
    assert f"it uses {postgresql[0]} and {postgresql[1]} of a core for them" in PAGE
