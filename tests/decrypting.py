"""TLS in front of a store that does not speak it: a server that decrypts and forwards to a port of this machine.

`python decrypting.py PORT STORE_PORT CERTIFICATE KEY` does so for PostgreSQL, on all addresses. It needs nothing but
Python, so that it runs in any container.
"""

import asyncio
import ssl
import struct
import sys
from contextlib import AbstractAsyncContextManager

SSL_REQUEST = struct.pack("!II", 8, 80877103)


async def decrypting(
    store_port: int, certificate: str, key: str, *, asked: bool, host: str = "127.0.0.1", port: int = 0
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

    return await asyncio.start_server(serve, host, port)


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward until the end."""
    while part := await reader.read(65536):
        writer.write(part)
        await writer.drain()
    writer.close()


async def main(port: str, store_port: str, certificate: str, key: str) -> None:
    """Serve until the process is killed."""
    async with await decrypting(
        int(store_port), certificate, key, asked=True, host="0.0.0.0", port=int(port)
    ) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
