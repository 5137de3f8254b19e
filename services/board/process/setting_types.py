"""The kinds of value a setting may have, each with the words that an operator reads when a value is wrong.

A message here never repeats the value: it may be a secret.
"""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr


def _true_or_false(value: object) -> object:
    if isinstance(value, str):
        if value.lower() not in ("true", "false"):
            raise ValueError("must be true or false")
        return value.lower() == "true"
    return value


def _whole(value: object) -> object:
    # Pydantic would take 1_000, +5 and 5.0 as well.
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,15}", value):
        raise ValueError("must be a whole number")
    return value


def _seconds(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", value):
        raise ValueError("must be a number of seconds, such as 20 or 0.5")
    return value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._:%-]+", value):
        raise ValueError("must be a host name or an address")
    return value


def _web_address(value: str) -> str:
    # The value is put into headers and documents: nothing but visible ASCII may reach them.
    if not re.fullmatch(r"https?://[!-~]+", value) or not _names_a_host(value):
        raise ValueError("must be an http or https address without credentials, query or fragment")
    return value.rstrip("/")


def _names_a_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0 and not set('@?#"<>\\') & set(address)
    except ValueError:
        return False


def _postgres_url(value: SecretStr) -> SecretStr:
    if not re.fullmatch(r"postgres(ql)?://\S+", value.get_secret_value()):
        raise ValueError("must be a PostgreSQL address, such as postgresql://user:password@host:5432/database")
    return value


Flag = Annotated[bool, BeforeValidator(_true_or_false)]
Whole = Annotated[int, BeforeValidator(_whole)]
Seconds = Annotated[float, BeforeValidator(_seconds)]
Host = Annotated[str, AfterValidator(_host)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
PostgresUrl = Annotated[SecretStr, AfterValidator(_postgres_url)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)]
