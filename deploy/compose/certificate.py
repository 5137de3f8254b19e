"""The certificate that the load balancer serves: compared with the one in TLS_CERTIFICATE, its last day and its key."""

import re
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.running import local_url

DAYS_LEFT = 14
FIRST = re.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
RSA = bytes.fromhex("06092a864886f70d010101")
"""The DER of rsaEncryption (RFC 8017, A.1), which a certificate contains only as the kind of its key."""
RENEW = 'Renew it and reload it as deploy/compose/README.md describes under "TLS".'
COSTLY = (
    "The certificate in TLS_CERTIFICATE has an RSA key: each new connection costs the load balancer 0.2 ms more CPU "
    "than with an ECDSA P-256 key. Let the authority issue the next certificate for such a key."
)


class Served(NamedTuple):
    """The certificate that the port serves: when it expires, in Unix seconds, and its DER."""

    expiry: float
    der: bytes


def check(configuration: Configuration, now: float) -> Iterator[str]:
    """Yield a sentence if the certificate in TLS_CERTIFICATE expires soon, and one if its key is costly.

    Raises StackError if it is not served.
    """
    if configuration["TLS_CERTIFICATE"]:
        served = read_served(configuration)
        if served.expiry - now < DAYS_LEFT * 86400:
            last_day = f"{datetime.fromtimestamp(served.expiry, UTC):%Y-%m-%d}"
            yield f"The certificate in TLS_CERTIFICATE expires on {last_day}. {RENEW}"
        if RSA in served.der:
            yield COSTLY


def read_served(configuration: Configuration) -> Served:
    """Return the certificate that the port serves. Raises StackError."""
    address = urlsplit(local_url(configuration))
    context = trusting(configuration)
    try:
        with (
            socket.create_connection((address.hostname, address.port), timeout=5) as connection,
            context.wrap_socket(connection) as secure,
        ):
            served, der = secure.getpeercert() or {}, secure.getpeercert(binary_form=True) or b""
    except ssl.SSLCertVerificationError as error:
        raise StackError(
            f"The port does not serve the certificate in TLS_CERTIFICATE, or it is not valid: {error.verify_message}. "
            f"{RENEW}"
        ) from None
    except OSError as error:
        raise StackError(f"The certificate cannot be checked: {error}.") from None
    return Served(ssl.cert_time_to_seconds(str(served["notAfter"])), der)


def trusting(configuration: Configuration) -> ssl.SSLContext:
    """Return a context that accepts only the first certificate of TLS_CERTIFICATE, whatever authority issued it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        first = FIRST.search(configuration.path("TLS_CERTIFICATE").read_text(encoding="utf-8"))
    except OSError as error:
        raise StackError(f"TLS_CERTIFICATE cannot be read: {error.strerror}.") from None
    if first is None:
        raise StackError("The file in TLS_CERTIFICATE contains no certificate.")
    context.load_verify_locations(cadata=first[0])
    return context
