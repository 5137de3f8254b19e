"""Runs in a container: prints the process, the name and each trace of every span that it receives (OTLP over HTTP)."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Receiver(BaseHTTPRequestHandler):
    """Takes the spans of one call."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            about = {each.key: each.value.string_value for each in resource.resource.attributes}
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                for trace in [span.trace_id, *(link.trace_id for link in span.links)]:
                    print(json.dumps([about["service.name"], span.name, trace.hex()]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Be quiet."""


if __name__ == "__main__":
    HTTPServer(("", 4318), Receiver).serve_forever()
