"""TLS in front of a PostgreSQL that does not speak it: `python decrypting.py PORT STORE_PORT CERTIFICATE KEY`.

It listens on all addresses, decrypts and forwards to a port of this machine.
"""

import asyncio
import ssl
import struct
import sys

SSL_REQUEST = struct.pack("!II", 8, 80877103)


async def main(port: str, store_port: str, certificate: str, key: str) -> None:
    """Serve until the process is killed."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            assert await reader.readexactly(8) == SSL_REQUEST, "a client that does not encrypt"
            writer.write(b"S")
            await writer.start_tls(context)
            store, to_store = await asyncio.open_connection("127.0.0.1", int(store_port))
            await asyncio.gather(copy(reader, to_store), copy(store, writer))
        except (AssertionError, OSError, asyncio.IncompleteReadError) as reason:
            print(f"a connection has ended: {reason}", flush=True)
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "0.0.0.0", int(port)) as server:
        await server.serve_forever()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward until the end."""
    while part := await reader.read(65536):
        writer.write(part)
        await writer.drain()
    writer.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
