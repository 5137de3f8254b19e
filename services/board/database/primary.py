"""Connects to the primary among the hosts of a database's address, and to nothing else.

A standby may lack what was committed, and the changes cannot be read there. A connection pooler drops the settings of a
session and gives one backend to many clients, so that ending a lost backend could end that of another client.
"""

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit
from weakref import WeakKeyDictionary

import asyncpg

# The statement needs no other message of the protocol, so poolers in every mode answer it.
OWN_BACKEND: Final = "SELECT WHERE pg_backend_pid() = {}"
# Poolers refuse the settings of a session, and mix up the prepared statements of their clients.
POOLER_ERRORS: Final = (
    asyncpg.ProtocolViolationError,
    asyncpg.DuplicatePreparedStatementError,
    asyncpg.InvalidSQLStatementNameError,
)
Pending = dict[str, "asyncio.Future[Any]"]
PENDING: WeakKeyDictionary[asyncio.AbstractEventLoop, Pending] = WeakKeyDictionary()


class Pooled(asyncpg.InterfaceError):  # type: ignore[misc] # the driver is untyped
    """The address leads to a connection pooler instead of PostgreSQL itself."""

    def __init__(self) -> None:
        super().__init__("The address leads to a connection pooler.")


async def connect(url: str, **options: Any) -> asyncpg.Connection:
    """Return a connection to the primary; `options` are those of the driver, a `timeout` among them.

    All hosts are tried at once, because the driver would wait for a silent one as long as for all together. Raises
    Pooled, TargetServerAttributeNotMatched if all hosts that answer are standbys, and what else the driver raises.
    """
    attempts = [asyncio.create_task(connect_to(host, options)) for host in single_hosts(url)]
    chosen: asyncpg.Connection | None = None
    failures: list[Exception] = []
    try:
        for attempt in asyncio.as_completed(attempts):
            try:
                chosen = await attempt
                return chosen
            except Exception as error:  # noqa: BLE001 - raised below if no host is the primary
                failures.append(error)
        # A host that answers says more than one that does not.
        raise next((error for error in failures if not isinstance(error, OSError)), failures[0])
    finally:
        abandon(attempts, chosen)


def single_hosts(url: str) -> list[str]:
    """Return the address of each host in an address such as postgresql://user@host1:5432,host2:5432/name."""
    parts = urlsplit(url)
    credentials, at, hosts = parts.netloc.rpartition("@")
    return [urlunsplit(parts._replace(netloc=credentials + at + host)) for host in hosts.split(",")]


async def connect_to(url: str, options: dict[str, Any]) -> asyncpg.Connection:
    await until_host_found(url, options["timeout"])
    try:
        connection = await asyncpg.connect(url, target_session_attrs="primary", **options)
    except POOLER_ERRORS as error:
        raise Pooled() from error
    try:
        # A pooler invents the pid, because it has to announce one before it chooses a backend.
        own_backend = OWN_BACKEND.format(connection.get_server_pid())
        if await connection.execute(own_backend, timeout=options["timeout"]) != "SELECT 1":
            raise Pooled()
    except BaseException:
        connection.terminate()
        raise
    return connection


async def until_host_found(url: str, seconds: float) -> None:
    """Wait until a host's name is found to have an address, so that a missing one holds up no other host.

    The look-up of a missing one can outlast the connection, which then has no waiter. Raises ValueError, OSError.
    """
    parts = urlsplit(url)
    if parts.hostname and parts.port != 0:  # Raises ValueError if a password has cut the address short.
        await until_name_found(parts.hostname, seconds)


async def until_name_found(name: str, seconds: float) -> None:
    """Wait until a name is found to have an address; callers that wait for the same name share one look-up.

    The name of a host that is gone, such as a container that has ended, can take ten seconds to be found missing.
    Look-ups run in a few threads. Those of one missing name would take all threads, and hold up the look-ups of hosts
    that exist. Raises OSError if it has none, TimeoutError if that is not known after some seconds.
    """
    loop = asyncio.get_running_loop()
    pending = PENDING.setdefault(loop, {})
    if name not in pending:
        pending[name] = loop.create_task(loop.getaddrinfo(name, None))
        pending[name].add_done_callback(partial(forget, pending, name))
    async with asyncio.timeout(seconds):
        # one caller that gives up ends only its own wait
        await asyncio.shield(pending[name])


def forget(pending: Pending, name: str, ended: "asyncio.Future[Any]") -> None:
    """Let the next caller look the name up again; the waiters may all have left."""
    del pending[name]
    if not ended.cancelled():
        ended.exception()


def abandon(attempts: Iterable["asyncio.Task[asyncpg.Connection]"], chosen: asyncpg.Connection | None) -> None:
    """Cancel the attempts that are left; one that has succeeded at the same time is closed."""
    for attempt in attempts:
        if attempt.cancel() or attempt.cancelled() or attempt.exception() is not None:
            continue
        if attempt.result() is not chosen:
            attempt.result().terminate()
