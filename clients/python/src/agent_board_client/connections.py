"""How requests reach a board: directly or through a proxy, over which TLS, and why they failed, in our own words.

A message of the HTTP library can repeat what a hostile board or proxy has sent, so none is passed on.
"""

import os
import re
import socket
import ssl
from collections.abc import Iterator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from .addresses import check_server
from .conversation import Lost
from .errors import BoardError

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
REASONS: tuple[tuple[type[Exception], str], ...] = (
    (httpx2.ConnectTimeout, f"no connection within {CONNECT_SECONDS:.0f} seconds"),
    (httpx2.PoolTimeout, "too many calls at the same time"),
    (httpx2.TimeoutException, f"nothing arrived for {READ_SECONDS:.0f} seconds"),
    (TimeoutError, "the answer took too long"),
    (httpx2.ProxyError, "it refused to connect to the board"),
    (httpx2.RemoteProtocolError, "the connection ended early, or the answer is not HTTP"),
    (httpx2.ConnectError, "no connection"),
    (httpx2.NetworkError, "the connection was cut"),
)


def proxy_for(address: str) -> httpx2.Proxy | None:
    """Return the proxy that the environment names for a board, or None. Raises BoardError if it cannot be one.

    A board without TLS is reached directly: a proxy would read the token.
    """
    parts, known = urlsplit(address), getproxies()
    named = known.get("https") or known.get("all")
    if parts.scheme != "https" or not named or proxy_bypass(parts.netloc, known):
        return None
    try:
        url = httpx2.URL(named if "://" in named else f"http://{named}")
        check_server(url)
        return httpx2.Proxy(url, ssl_context=trusted_certificates() if url.scheme == "https" else None)
    except (ValueError, httpx2.InvalidURL):
        variable = "HTTPS_PROXY" if known.get("https") else "ALL_PROXY"
        hint = "Name one such as http://proxy.example:3128, or add the board to NO_PROXY."
        raise BoardError(f"{variable} does not name a proxy over HTTP.", hint) from None


def trusted_certificates() -> ssl.SSLContext:
    """Return the certificates that this machine, or the environment, trusts. Raises BoardError."""
    for name in CERTIFICATES:
        # OpenSSL would look for a folder of this name, and silently trust no certificates in it.
        if os.environ.get(name, "").startswith("~"):
            raise BoardError(f"{name} begins with ~, which only a shell expands.", "Give the whole path.")
    try:
        return httpx2.create_ssl_context()
    except OSError:
        variable = next((name for name in CERTIFICATES if os.environ.get(name)), None)
        where = f"that {variable} names" if variable else "of this machine"
        raise BoardError(f"Cannot read the certificates {where}.", "Correct or unset the variable.") from None


def http_options(address: str, proxy: httpx2.Proxy | None) -> dict[str, Any]:
    """The options of the HTTP client for one board.

    Redirects are never followed, and cookies never kept: the board uses neither. The environment is read above only.
    """
    return {
        "follow_redirects": False,
        "timeout": httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        "trust_env": False,
        "proxy": proxy,
        # A board without TLS needs no certificates.
        "verify": trusted_certificates() if address.startswith("https:") else False,
    }


def lost(error: Exception, proxy: httpx2.Proxy | None) -> Lost:
    """Return why there is no answer. `proxy` is the one that the request went through."""
    reason = reason_of(error)
    if proxy is None:
        return Lost(reason)
    name = f"the proxy at {proxy.url}"
    causes = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
    if isinstance(error, causes) and not any(isinstance(cause, ssl.SSLError) for cause in chain(error)):
        return Lost(reason, peer=name)
    return Lost(reason, through=name)


def reason_of(error: Exception) -> str:
    for cause in chain(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted ({cause.verify_message})"
        if isinstance(cause, ssl.SSLError):
            return "TLS is not possible with it"
        if isinstance(cause, socket.gaierror):
            return "there is no address for its name"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno)
    if isinstance(error, httpx2.ProxyError) and (status := re.match(r"\d{3}\b", str(error))):
        return f"it refused to connect to the board, with status {status[0]}"
    return next((words for kind, words in REASONS if isinstance(error, kind)), "the call failed")


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, of which the innermost is the operating system's."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        if isinstance(seen, BaseExceptionGroup):
            yield from seen.exceptions
        seen = seen.__cause__ or seen.__context__
