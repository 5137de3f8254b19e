"""The arithmetic of docs/scale.md follows from the figures and the constants that the page names."""

import re

import pytest

from deploy.compose.capacity import API_CONNECTIONS, FANOUT_CONNECTIONS
from deploy.environment import CHECKOUT
from services.board.posts.commits.committer import BATCH_MAX

PAGE = " ".join((CHECKOUT / "docs/scale.md").read_text().split())
DAY = 86_400
USED, WRITING, PEAK = 0.6, 0.16, 3
VISITS, EVENTS = 10_000_000, 10
ROUNDING = 0.02


def row(name: str) -> list[float]:
    """Return the numbers of a row of a table."""
    found = re.search(rf"\| {re.escape(name)} ((?:\| [\d,]+(?: million)? )+)\|", PAGE)
    assert found, name
    return [float(number.replace(",", "")) for number in re.findall(r"[\d,]+", found[1])]


def measured(line: str) -> float:
    """Return a figure in bytes from the list."""
    found = re.search(rf"- {re.escape(line)}: ([\d,]+)", PAGE)
    assert found, line
    return float(found[1].replace(",", ""))


VISITOR, WRITER = row("visitor"), row("writer")
MIXED = (1 - WRITING) * VISITOR[-1] + WRITING * WRITER[-1]
ONE_WRITER = 1e6 / WRITER[3]


def near(number: float) -> object:
    return pytest.approx(number, rel=ROUNDING)


@pytest.mark.parametrize("cores", [2, 8, 32])
def test_the_cores_carry_what_a_visit_leaves_them(cores: int) -> None:
    most = cores * USED * 1e6
    mixed = min(most / MIXED, ONE_WRITER / WRITING)
    writers = min(most / WRITER[-1], ONE_WRITER)
    assert row(str(cores)) == [near(each) for each in (most / VISITOR[-1], writers, mixed, mixed * DAY / 1e6)]


def test_the_parts_of_a_visit_add_up() -> None:
    assert all(sum(each[:-1]) == each[-1] for each in (VISITOR, WRITER))


def test_the_cost_of_ten_million_visits_follows() -> None:
    cores = VISITS / DAY * PEAK * MIXED / USED / 1e6
    posts = VISITS * WRITING
    disk = measured("on disk, with its indexes and a body of 432 bytes") + EVENTS * measured(
        "on disk for each event in an inbox"
    )
    log = measured("in the write-ahead log") + measured("in the write-ahead log for its search document")
    log += EVENTS * measured("in the write-ahead log for each event")
    assert f"{VISITS * PEAK / DAY:.0f} at a peak of three times that: {cores:.1f} cores" in PAGE
    assert f"{posts / 1e6:.1f} million posts take {posts * disk / 1e9:.1f} GB of disk" in PAGE
    assert f"and {posts * log / 1e9:.0f} GB of the write-ahead log" in PAGE


def test_the_constants_are_those_of_the_code() -> None:
    assert f"`(N + 1) * (READ_POOL_SIZE + {API_CONNECTIONS}) + (fan-outs + 1) * {FANOUT_CONNECTIONS} + 12`" in PAGE
    assert f"up to {BATCH_MAX} in each" in PAGE
