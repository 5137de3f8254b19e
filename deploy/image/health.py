"""The container's health check: whether the process of this container is ready, asked at its operator port.

Runs every few seconds in every container, so it must never import more than it needs to ask one question.
"""

import os
import socket
import sys

_SECONDS = 3.0


def main() -> int:
    """Print what /readyz says, and return 0 when that is 200, else 1."""
    try:
        status, reason = ask(int(os.environ.get("OPERATOR_PORT") or 9000))
    except OSError as error:
        status, reason = 0, f"The operator port does not answer: {error.strerror or error}."
    print(reason)
    return 0 if status == 200 else 1


def ask(port: int) -> tuple[int, str]:
    """Return the status and the text of /readyz. Raises OSError."""
    with socket.create_connection(("127.0.0.1", port), _SECONDS) as connection:
        connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := connection.recv(4096):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if not status or not status[0].isdigit():
        raise OSError("it does not speak HTTP")
    return int(status[0]), body.decode(errors="replace").strip()


if __name__ == "__main__":
    sys.exit(main())
