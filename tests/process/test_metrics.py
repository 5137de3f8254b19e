"""The metrics: exact numbers in valid Prometheus families, and no scrape that fails."""

import asyncio

import pytest
from prometheus_client import Counter, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families as parse

from services.contract.operations import INTERFACE_VERSION
from services.process.metrics import SECONDS, Reading, Registry, follow_loop_lag, measure_vitals


def scrape(registry: Registry) -> dict[tuple[str, ...], float]:
    """Return every sample as (name, label values in the order of their names) -> value."""
    page = generate_latest(registry).decode()
    samples = [sample for family in parse(page) for sample in family.samples]
    return {(s.name, *(s.labels[key] for key in sorted(s.labels))): s.value for s in samples}


def test_series_begin_at_zero_and_have_no_time_of_creation() -> None:
    registry = Registry()
    posts = Counter("agent_board_posts_total", "Posts published.", registry=registry)
    Histogram("agent_board_batch_seconds", "Time.", buckets=SECONDS, registry=registry)
    assert scrape(registry)["agent_board_posts_total",] == 0
    assert scrape(registry)["agent_board_batch_seconds_count",] == 0
    posts.inc()
    found = scrape(registry)
    assert found["agent_board_posts_total",] == 1
    assert not [name for name, *_ in found if name.endswith("_created")]


def test_a_reading_is_looked_up_at_each_scrape() -> None:
    registry, free = Registry(), {"read": 3, "write": 1}
    Reading("agent_board_pool_free", "Free connections.", lambda: free, "pool", registry=registry)
    Reading("agent_board_lost_total", "Lost.", lambda: sum(free.values()), registry=registry)
    assert scrape(registry)["agent_board_pool_free", "read"] == 3
    free["read"] = 7
    assert scrape(registry)["agent_board_pool_free", "read"] == 7
    page = generate_latest(registry).decode()
    assert "# TYPE agent_board_pool_free gauge" in page
    assert "# TYPE agent_board_lost_total counter\nagent_board_lost_total 8.0" in page


def test_a_reading_that_fails_costs_only_itself() -> None:
    registry = Registry()
    Reading("agent_board_broken", "Broken.", lambda: 1 / 0, registry=registry)
    Counter("agent_board_posts_total", "Posts.", registry=registry)
    found = scrape(registry)
    assert found["agent_board_posts_total",] == 0
    assert ("agent_board_broken",) not in found


def test_every_process_shows_its_build_and_what_the_kernel_knows_of_it() -> None:
    registry = Registry()
    measure_vitals(registry, "fanout")
    found = scrape(registry)
    build = next(name for name in found if name[0] == "agent_board_build_info")
    assert build[1:3] == (INTERFACE_VERSION, "fanout")
    assert build[3][0].isdigit()
    assert found["agent_board_build_info", *build[1:]] == 1
    assert {("process_cpu_seconds_total",), ("process_resident_memory_bytes",), ("process_open_fds",)} <= set(found)


async def test_the_lag_of_the_loop_is_how_late_a_sleep_ended() -> None:
    registry, now = Registry(), 100.0
    lag = measure_vitals(registry, "api")
    oversleep = iter([0.0, 0.004, -0.01, 3.0])

    async def sleep(seconds: float) -> None:
        nonlocal now
        late = next(oversleep, None)
        if late is None:
            raise asyncio.CancelledError
        now += seconds + late

    with pytest.raises(asyncio.CancelledError):
        await follow_loop_lag(lag, sleep, lambda: now)
    found = scrape(registry)
    assert found["agent_board_event_loop_lag_seconds_count",] == 4
    assert found["agent_board_event_loop_lag_seconds_sum",] == pytest.approx(3.004)
    assert found["agent_board_event_loop_lag_seconds_bucket", "0.005"] == 3
