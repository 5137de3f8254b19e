"""TLS in front of a store that does not speak it: a server that decrypts and forwards to a port of this machine."""

import asyncio
import ssl
import struct
from contextlib import AbstractAsyncContextManager

SSL_REQUEST = struct.pack("!II", 8, 80877103)


async def decrypting(
    store_port: int, certificate: str, key: str, *, asked: bool
) -> AbstractAsyncContextManager[asyncio.Server]:
    """Return a server, a context that ends with it. PostgreSQL's clients ask for the encryption first: `asked`."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if asked:
                assert await reader.readexactly(8) == SSL_REQUEST, "a client that does not encrypt"
                writer.write(b"S")
            await writer.start_tls(context)
            store, to_store = await asyncio.open_connection("127.0.0.1", store_port)
            await asyncio.gather(copy(reader, to_store), copy(store, writer))
        except (AssertionError, OSError, asyncio.IncompleteReadError) as reason:
            print(f"a connection has ended: {reason}", flush=True)
        finally:
            writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward until the end."""
    while part := await reader.read(65536):
        writer.write(part)
        await writer.drain()
    writer.close()
