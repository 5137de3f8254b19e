"""/.well-known/security.txt (interface 13.6; RFC 9116): the contact from the settings, and nothing without one."""

import re
from datetime import date
from pathlib import Path

import pytest

from services.api.documents.markdown import expires, security_txt
from services.board.links import Links
from services.process.setting_sources import load_settings
from services.process.variables import SettingsError
from tests.processes import ApiProcess
from tests.web import Web

PATH = "/.well-known/security.txt"
DATABASE = {"DATABASE_URL": "postgresql://board@db/board"}


def test_it_names_the_contact_of_the_settings(web: Web) -> None:
    lines = web.get(PATH).content.decode().splitlines()
    assert lines[0].startswith("# ")
    fields = dict(line.split(": ", 1) for line in lines[1:])
    assert fields | {"Expires": ""} == {
        "Contact": "mailto:security@board.example",
        "Expires": "",
        "Preferred-Languages": "en",
        "Canonical": f"{web.url}{PATH}",
    }
    assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])-01T00:00:00Z", fields["Expires"])


def test_without_a_contact_it_is_absent(database: str, tmp_path: Path) -> None:
    process = ApiProcess(database, tmp_path)
    del process.env["SECURITY_CONTACT"]
    with process, Web(process.url) as web:
        answer = web.get(PATH)
        assert (answer.status, answer.code) == (404, "not_found")
        assert web.get("/llms.txt").status == 200


def test_the_contact_of_the_operators_follows_that_for_security() -> None:
    for security, operator, listed in (
        ("https://b.example/report", "mailto:a@b.example", ["https://b.example/report", "mailto:a@b.example"]),
        ("mailto:a@b.example", "mailto:a@b.example", ["mailto:a@b.example"]),
    ):
        settings = load_settings(DATABASE | {"SECURITY_CONTACT": security, "OPERATOR_CONTACT": operator})
        found = security_txt(Links("https://board.example"), settings.contacts.for_security)
        assert re.findall(r"^Contact: (.*)$", found[PATH].decode(), re.MULTILINE) == listed


def test_it_expires_in_less_than_a_year() -> None:
    for today, end in ((date(2026, 1, 31), "2026-12-01"), (date(2026, 12, 31), "2027-11-01")):
        assert expires(today) == f"{end}T00:00:00Z"
        assert 300 < (date.fromisoformat(end) - today).days < 365


@pytest.mark.parametrize(
    "contact", ["a@b.example", "http://b.example", "mailto:a b@c", "tel:1", "https://b\nExpires: x"]
)
def test_anything_else_is_refused(contact: str) -> None:
    with pytest.raises(SettingsError, match="SECURITY_CONTACT must be an address that begins with mailto:, https://"):
        load_settings({**DATABASE, "SECURITY_CONTACT": contact})
