"""A receiver of OTLP over HTTP: reads the spans that processes send, with the protocol's own messages."""

import gzip
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass(frozen=True)
class Received:
    """One span, with the name of the process that sent it."""

    process: str
    span: Span

    @property
    def trace_id(self) -> str:
        return self.span.trace_id.hex()

    @property
    def traces(self) -> set[str]:
        """The traces that it is linked to."""
        return {link.trace_id.hex() for link in self.span.links}


class Collector:
    """Listens on a free port of the loopback."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        received = self.received

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                assert self.path == "/v1/traces"
                received.extend(spans(ExportTraceServiceRequest.FromString(body)))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Be quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def named(self, process: str, name: str) -> list[Received]:
        return [each for each in self.received if (each.process, each.span.name) == (process, name)]


def spans(request: ExportTraceServiceRequest) -> list[Received]:
    found = []
    for resource in request.resource_spans:
        names = {each.key: each.value.string_value for each in resource.resource.attributes}
        found += [Received(names["service.name"], span) for scope in resource.scope_spans for span in scope.spans]
    return found
