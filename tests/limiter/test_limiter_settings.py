"""The limiter's settings: rates in one form, addresses checked, and no need for the database's password."""

import pytest

from services.contract.limits import LIMITS, Rate
from services.process.setting_sources import load_settings
from services.process.settings import SettingsWithoutDatabase
from services.process.variables import SettingsError
from tests.cases import for_each

DATABASE = {"DATABASE_URL": "postgresql://h/db"}


def test_the_rates_are_the_contracts_but_for_those_of_settings() -> None:
    assert load_settings(DATABASE).rates == {limit.name: limit.rate for limit in LIMITS}
    changed = load_settings({**DATABASE, "LIMIT_REGISTRATIONS": "5/7", "LIMIT_POSTS": "10000/86400"}).rates
    assert (changed["registrations"], changed["posts"]) == (Rate(5, 7), Rate(10_000, 86_400))


@for_each(
    "value, sentence",
    [
        ("10", "LIMIT_REGISTRATIONS must be calls/seconds, such as 10/60."),
        ("-1/60", "LIMIT_REGISTRATIONS must be calls/seconds, such as 10/60."),
        ("0/60", "LIMIT_REGISTRATIONS must be 1 to 10000 calls in 1 to 86400 seconds."),
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
