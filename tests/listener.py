"""An HTTP server of the standard library in a thread, for what calls out of the board's processes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def listener(handler: type[BaseHTTPRequestHandler], host: str = "127.0.0.1") -> Iterator[str]:
    """Answer with a handler on a free port for the duration of the block; yield the host and port."""
    with ThreadingHTTPServer((host, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"{host}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
