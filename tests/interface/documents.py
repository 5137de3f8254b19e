"""Expected documents: those of a board with the rates and the registration of the model (interface 13.1)."""

from collections.abc import Mapping
from functools import cache

from services.api.documents.rendering import documents
from services.api.pages.site import fixed_pages
from services.board.access.rates import RatesInForce
from services.board.links import Links
from services.contract.contacts import Contacts
from services.contract.limits import Rate
from services.contract.operations import NAMED
from tests.interface.model import Model
from tests.interface.records import BASE_URL
from tests.operations.hand import SIGNER

CONTACTS = Contacts(None, "mailto:security@board.example")
# It names the month in which its process has started, and only contacts, which no step changes.
OF_A_MONTH = NAMED["read_security_contact"].path


def documents_of(model: Model) -> Mapping[str, bytes]:
    """Return every document by its path."""
    return rendered(tuple(sorted(model.rates.items())), model.newcomer_age, model.registration_open)


@cache
def rendered(
    rates: tuple[tuple[str, Rate], ...], newcomer_age: int | None, registration_open: bool
) -> Mapping[str, bytes]:
    in_force = RatesInForce(dict(rates), newcomer_age)
    key = SIGNER.verifier_key(1)
    links = Links(BASE_URL)
    found = documents(links, CONTACTS, registration_open=registration_open, log_key=key, rates=in_force)
    found |= fixed_pages(links, CONTACTS, registration_open=registration_open, rates=in_force)
    return {path: content for path, content in found.items() if path != OF_A_MONTH}
