"""PostgreSQL and Redis elsewhere: the addresses that deploy/compose documents encrypt, and verify who answers."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from services.board.database.connections import direct_connection
from services.board.errors import Unavailable
from services.limiter.window import Windows
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey
from tests.decrypting import decrypting


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two authorities, of which the first has signed the certificate for localhost."""
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("ours", "another"):
        openssl(
            folder, f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem"
        )
    (folder / "names").write_text("subjectAltName=DNS:localhost")
    openssl(folder, "req -newkey rsa:2048 -nodes -subj /CN=stores -keyout stores.key -out stores.csr")
    openssl(folder, "x509 -req -in stores.csr -CA ours.pem -CAkey ours.key -days 2 -extfile names -out stores.pem")
    return folder


def openssl(folder: Path, command: str) -> None:
    subprocess.run(["openssl", *command.split()], cwd=folder, capture_output=True, check=True)


@asynccontextmanager
async def encrypted(store_port: int, certificates: Path, *, asked: bool) -> AsyncIterator[int]:
    """A port that decrypts and forwards to a store."""
    files = (str(certificates / "stores.pem"), str(certificates / "stores.key"))
    async with await decrypting(store_port, *files, asked=asked) as server:
        yield server.sockets[0].getsockname()[1]


async def test_a_certificate_that_is_refused_is_named(postgresql: PostgreSQL, certificates: Path) -> None:
    async with encrypted(postgresql.port, certificates, asked=True) as port:
        options = f"sslmode=verify-full&sslrootcert={certificates / 'another'}.pem"
        with pytest.raises(Unavailable, match=r"^The certificate of the database is refused: .*certificate.*\.$"):
            async with direct_connection(f"postgresql://postgres:hunter2@localhost:{port}/postgres?{options}"):
                pass


async def test_redis_is_verified(certificates: Path, tmp_path: Path) -> None:
    with Valkey(tmp_path) as valkey:
        password = urlsplit(valkey.url()).password
        async with encrypted(valkey.port, certificates, asked=False) as port:

            async def answers(host: str, authority: str, tries: int) -> bool:
                windows = Windows(f"rediss://:{password}@{host}:{port}/0?ssl_ca_certs={certificates / authority}.pem")
                # The limiter gives each try only 500 ms, which a busy machine may need for a handshake.
                found = [True for _ in range(tries) if await windows.answers()]
                await windows.close()
                return bool(found)

            assert await answers("localhost", "ours", 30)
            assert not await answers("127.0.0.1", "ours", 3)
            assert not await answers("localhost", "another", 3)
