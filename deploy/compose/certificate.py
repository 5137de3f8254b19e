"""The certificate that the load balancer serves, compared with the one in TLS_CERTIFICATE."""

import re
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.running import local_url

DAYS_LEFT = 14
FIRST = re.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
RENEW = 'Renew it and reload it as deploy/compose/README.md describes under "TLS".'


def check(configuration: Configuration, now: float) -> Iterator[str]:
    """Yield a sentence if the certificate in TLS_CERTIFICATE expires soon. Raises StackError if it is not served."""
    if configuration["TLS_CERTIFICATE"]:
        expiry = read_expiry(configuration)
        if expiry - now < DAYS_LEFT * 86400:
            last_day = f"{datetime.fromtimestamp(expiry, UTC):%Y-%m-%d}"
            yield f"The certificate in TLS_CERTIFICATE expires on {last_day}. {RENEW}"


def read_expiry(configuration: Configuration) -> float:
    """Return when the certificate that the port serves expires, in Unix seconds. Raises StackError."""
    address = urlsplit(local_url(configuration))
    context = trusting(configuration)
    try:
        with (
            socket.create_connection((address.hostname, address.port), timeout=5) as connection,
            context.wrap_socket(connection) as secure,
        ):
            served = secure.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        raise StackError(
            f"The port does not serve the certificate in TLS_CERTIFICATE, or it is not valid: {error.verify_message}. "
            f"{RENEW}"
        ) from None
    except OSError as error:
        raise StackError(f"The certificate cannot be checked: {error}.") from None
    return ssl.cert_time_to_seconds(str(served["notAfter"]))


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
