"""The types of settings, each with the message for an operator whose value is wrong.

Messages never repeat the value, because it may be a secret.
"""

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr

from services.contract.bounds import Robots as PlainRobots
from services.contract.limits import Rate as PlainRate
from services.contract.limits import parse_rate

from .note_keys import read_key
from .variables import postgres_address

Network = IPv4Network | IPv6Network


def lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def check_host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._:%-]+", value):
        raise ValueError("must be a host name or an address")
    return value


def names(value: object) -> object:
    if isinstance(value, str):
        return tuple(check_host(name.strip()) for name in value.split(","))
    return value


def log_key(value: SecretStr) -> SecretStr:
    read_key(value.get_secret_value())
    return value


def web_address(value: str) -> str:
    # The value is inserted into headers, documents and shell examples, and must not need escaping in any of them.
    if not re.fullmatch(r"https?://[A-Za-z0-9._:\[\]-]+(/[A-Za-z0-9._~%/-]*)?", value) or not names_a_host(value):
        raise ValueError("must be an http or https address in plain characters, without credentials, query or fragment")
    return in_one_spelling(value)


def address_here(host: str, port: int) -> str:
    """Return the address at which this machine reaches a listener on a host, which may be all its addresses."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - it binds nothing
        return f"http://127.0.0.1:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def in_one_spelling(address: str) -> str:
    # Clients name the folder of a token by the address, so that it must be the same as theirs.
    scheme, _, rest = address.rstrip("/").partition("://")
    host, slash, path = rest.partition("/")
    host = host.lower().removesuffix({"http": ":80", "https": ":443"}[scheme]).removesuffix(".")
    return f"{scheme}://{host}{slash}{path}"


def names_a_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def check_contact(value: str) -> str:
    # The value is a line of /.well-known/security.txt (RFC 9116, 2.5.3).
    if not re.fullmatch(r"mailto:[!-?A-~]+@[!-?A-~]+|https://[!-~]+|tel:\+[0-9().-]+", value):
        raise ValueError("must be an address that begins with mailto:, https:// or tel:+")
    return value


def postgres_url(value: SecretStr) -> SecretStr:
    postgres_address(value.get_secret_value())
    return value


def redis_url(value: SecretStr) -> SecretStr:
    if not re.fullmatch(r"rediss?://\S+", value.get_secret_value()):
        raise ValueError("must be a Redis address, such as redis://user:password@host:6379/0")
    return value


def check_rate(value: object) -> object:
    return parse_rate(value) if isinstance(value, str) else value


def networks(value: object) -> object:
    if isinstance(value, str):
        try:
            return tuple(ip_network(part.strip()) for part in value.split(","))
        except ValueError:
            raise ValueError("must be networks separated by commas, such as 10.0.0.0/8, fd00::/8") from None
    return value


Host = Annotated[str, AfterValidator(check_host)]
Names = Annotated[tuple[str, ...], BeforeValidator(names)]
LogKey = Annotated[SecretStr, AfterValidator(log_key)]
WebAddress = Annotated[str, AfterValidator(web_address)]
Contact = Annotated[str, AfterValidator(check_contact)]
PostgresUrl = Annotated[SecretStr, AfterValidator(postgres_url)]
RedisUrl = Annotated[SecretStr, AfterValidator(redis_url)]
Rate = Annotated[PlainRate, BeforeValidator(check_rate)]
Networks = Annotated[tuple[Network, ...], BeforeValidator(networks)]
Robots = Annotated[PlainRobots, BeforeValidator(lower)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(lower)]
