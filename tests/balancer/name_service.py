"""A name server that knows one name and returns the addresses of the replicas, as a container engine's does."""

import socket
import struct
import threading
from ipaddress import IPv4Address
from typing import Final, Self

HEAD_BYTES: Final = 12
ADDRESS_RECORD: Final = 1
ANSWERED: Final = 0x8180
# a pointer to the name in the question, type A, class IN, one second, four bytes
RECORD_HEAD: Final = struct.pack("!HHHIH", 0xC00C, ADDRESS_RECORD, 1, 1, 4)


class NameService:
    """Answers every question with `addresses`, which a test may change at any time. None: it does not answer."""

    def __init__(self) -> None:
        self.addresses: list[str] | None = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # an empty datagram ends the thread; closing the socket would not wake it up
        self.socket.sendto(b"", ("127.0.0.1", self.port))
        self.thread.join()
        self.socket.close()

    def serve(self) -> None:
        while True:
            question, asker = self.socket.recvfrom(4096)
            if not question:
                return
            if self.addresses is not None:
                self.socket.sendto(answer(question, self.addresses), asker)


def answer(question: bytes, addresses: list[str]) -> bytes:
    """Return the answer to a query for one name; it is empty unless the query asks for addresses."""
    end = question.index(b"\0", HEAD_BYTES) + 5
    asked = question[HEAD_BYTES:end]
    (kind,) = struct.unpack("!H", asked[-4:-2])
    records = [RECORD_HEAD + IPv4Address(address).packed for address in addresses if kind == ADDRESS_RECORD]
    head = question[:2] + struct.pack("!HHHHH", ANSWERED, 1, len(records), 0, 0)
    return head + asked + b"".join(records)
