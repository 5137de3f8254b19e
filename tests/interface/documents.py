"""Expected documents: those of a board with the rates and the registration of the model (interface 13.1)."""

from collections.abc import Mapping
from functools import cache

from services.api.documents.rendering import documents
from services.board.links import Links
from services.contract.contacts import Contacts
from services.contract.limits import Rate, set_rates
from services.contract.operations import NAMED
from tests.interface.model import DEFAULT_RATES, Model
from tests.interface.records import BASE_URL
from tests.operations.hand import SIGNER

CONTACTS = Contacts(None, "mailto:security@board.example")
# It names the month in which its process has started, and only contacts, which no step changes.
OF_A_MONTH = NAMED["read_security_contact"].path


def documents_of(model: Model) -> Mapping[str, bytes]:
    """Return every document by its path."""
    return rendered(tuple(sorted(model.rates.items())), model.registration_open)


@cache
def rendered(rates: tuple[tuple[str, Rate], ...], registration_open: bool) -> Mapping[str, bytes]:
    set_rates(dict(rates))
    key = SIGNER.verifier_key(1)
    found = documents(Links(BASE_URL), CONTACTS, registration_open=registration_open, log_key=key)
    set_rates(DEFAULT_RATES)
    return {path: content for path, content in found.items() if path != OF_A_MONTH}
