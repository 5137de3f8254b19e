"""The container's health check: asks the operator port whether the process is ready.

It runs every few seconds in every container, so it must import only what one request needs.
"""

import os
import socket
import sys

SECONDS = 3.0


def main() -> int:
    """Print the response of /readyz; return 0 if its status is 200, else 1."""
    try:
        status, reason = ask(int(os.environ.get("OPERATOR_PORT") or 9000))
    except OSError as error:
        status, reason = 0, f"The operator port does not answer: {error.strerror or error}."
    print(reason)
    return 0 if status == 200 else 1


def ask(port: int) -> tuple[int, str]:
    """Return the status and the text of /readyz. Raises OSError."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := connection.recv(4096):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if not status or not status[0].isdigit():
        raise OSError("its response is not HTTP")
    return int(status[0]), body.decode(errors="replace").strip()


if __name__ == "__main__":
    sys.exit(main())
