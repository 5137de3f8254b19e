"""The addresses at which people reach the operators of a board, from its settings."""

from typing import Final, NamedTuple


class Contacts(NamedTuple):
    """The address for everything (`operator`), and that for vulnerabilities; None if the setting is blank."""

    operator: str | None = None
    security: str | None = None

    @property
    def for_security(self) -> list[str]:
        """The addresses for vulnerabilities, the preferred one first (RFC 9116, 2.5.3)."""
        return list(dict.fromkeys(contact for contact in (self.security, self.operator) if contact))


NO_CONTACTS: Final = Contacts()
