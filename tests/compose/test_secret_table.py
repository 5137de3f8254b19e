"""The README's table of secrets names every file, and whatever reads it."""

from deploy.compose.secret_files import KEPT, NAMES
from tests.compose.secret_table import rows
from tests.compose.test_networks import SERVICES


def test_every_secret_is_in_one_row() -> None:
    assert sorted(file for row in rows() for file in row.files) == sorted(NAMES)


def test_the_readers_of_a_row_are_the_services_that_mount_its_files() -> None:
    for row in rows():
        mounting = {name for name, service in SERVICES.items() if {*row.files} & {*service.get("secrets", ())}}
        assert row.readers == mounting, row.files


def test_what_is_for_good_is_not_made_again() -> None:
    assert {file for row in rows() if row.is_kept for file in row.files} <= KEPT.keys()
