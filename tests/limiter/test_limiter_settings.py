"""The limiter's settings: rates in one form, addresses checked, and no need for the database's password."""

import subprocess
import sys

import pytest

from services.contract.limits import LIMITS, Rate
from services.limiter.__main__ import main
from services.local.ports import free_port
from services.process.setting_sources import load_settings
from services.process.settings import SettingsWithoutDatabase
from services.process.variables import SettingsError
from tests.cases import for_each
from tests.processes import CHECKOUT

DATABASE = {"DATABASE_URL": "postgresql://h/db"}


def test_the_rates_are_the_contracts_but_for_those_of_settings() -> None:
    assert load_settings(DATABASE).rates == {limit.name: limit.rate for limit in LIMITS}
    changed = load_settings({**DATABASE, "LIMIT_REGISTRATIONS": "5/7", "LIMIT_POSTS": "10000/86400"}).rates
    assert (changed["registrations"], changed["posts"]) == (Rate(5, 7), Rate(10_000, 86_400))


@for_each(
    "value, sentence",
    [
        ("10", "LIMIT_REGISTRATIONS must be calls/seconds, such as 10/60."),
        ("10/60/1", "LIMIT_REGISTRATIONS must be calls/seconds, such as 10/60."),
        ("-1/60", "LIMIT_REGISTRATIONS must be calls/seconds, such as 10/60."),
        ("10 / 60", "LIMIT_REGISTRATIONS must be calls/seconds, such as 10/60."),
        ("1.5/60", "LIMIT_REGISTRATIONS must be calls/seconds, such as 10/60."),
        ("0/60", "LIMIT_REGISTRATIONS must be 1 to 10000 calls in 1 to 86400 seconds."),
        ("10/0", "LIMIT_REGISTRATIONS must be 1 to 10000 calls in 1 to 86400 seconds."),
        ("10001/60", "LIMIT_REGISTRATIONS must be 1 to 10000 calls in 1 to 86400 seconds."),
        ("10/86401", "LIMIT_REGISTRATIONS must be 1 to 10000 calls in 1 to 86400 seconds."),
    ],
)
def test_a_wrong_rate_is_one_sentence(value: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({**DATABASE, "LIMIT_REGISTRATIONS": value})
    assert str(caught.value) == sentence


def test_addresses_are_checked_and_not_repeated() -> None:
    for name, value in (("REDIS_URL", "http://u:hunter2@h"), ("LIMITER_URL", "redis://u:hunter2@h")):
        with pytest.raises(SettingsError, match=name) as caught:
            load_settings({**DATABASE, name: value})
        assert "hunter2" not in str(caught.value)
    assert load_settings(DATABASE).limiter_url is None
    assert "hunter2" not in repr(load_settings({**DATABASE, "REDIS_URL": "redis://u:hunter2@h"}))


def test_the_limiter_needs_no_database() -> None:
    assert load_settings({}, kind=SettingsWithoutDatabase).limiter_port == 8100
    with pytest.raises(SettingsError, match="LIMITER_PORT"):
        load_settings({"LIMITER_PORT": "x"}, kind=SettingsWithoutDatabase)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("LIMIT_POSTS", "many", "LIMIT_POSTS must be calls/seconds, such as 10/60."),
        (
            "REDIS_URL",
            "redis://u:hunter2@h:port/0",
            "REDIS_URL is not an address that the Redis client understands.",
        ),
    ],
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(
    name: str, value: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, value)
    assert main() == 2
    assert capsys.readouterr() == ("", f"{sentence}\n")


def test_an_address_that_is_not_this_machines_stops_the_start_with_a_sentence() -> None:
    address = {"LIMITER_HOST": "203.0.113.1", "LIMITER_PORT": str(free_port()), "OPERATOR_PORT": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "services.limiter"],
        env={"PATH": "", "REDIS_URL": "redis://u:hunter2@127.0.0.1", **address},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Cannot listen on 203.0.113.1:" in done.stdout + done.stderr
    assert "hunter2" not in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
