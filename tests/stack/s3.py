"""A real object store for tests: Versity's gateway in front of a folder, with TLS from an authority of its own."""

import os
import secrets
import time
import urllib.request
from pathlib import Path

from services.local.ports import free_port
from tests.authority import Authority
from tests.go import go
from tests.processes import CHECKOUT
from tests.programs import find, spawn

PACKAGE = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
BUILT = CHECKOUT / ".local" / "versitygw"
NAME = "s3.example.com"
BUCKET = "backups"
START_SECONDS = 60


class ObjectStore:
    """Listens on one address of this machine. The folder `objects` holds each bucket's objects as files."""

    def __init__(self, folder: Path, address: str) -> None:
        self.objects = folder / "objects"
        self.address, self.port = address, free_port()
        self.key, self.secret = secrets.token_hex(10), secrets.token_hex(20)
        self.folder = folder
        (self.objects / BUCKET).mkdir(parents=True)
        Authority(folder).issue("store", f"DNS:{NAME}")
        self.authority = folder / "ca.crt"
        self.authority.chmod(0o644)
        self.command_line = [
            *(program(), "--port", f"{address}:{self.port}", "--quiet", "--cert", str(folder / "store.crt")),
            *("--key", str(folder / "store.key"), "posix", str(self.objects)),
        ]

    def start(self) -> None:
        """Start the server and wait until it answers."""
        credentials = {"ROOT_ACCESS_KEY": self.key, "ROOT_SECRET_KEY": self.secret}
        with (self.folder / "s3.log").open("ab") as log:
            self.server = spawn(self.command_line, env={**os.environ, **credentials}, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            assert self.server.poll() is None, (self.folder / "s3.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop the server; the objects stay."""
        self.server.terminate()
        self.server.wait(30)

    def settings(self) -> str:
        """Return the lines for the secret backup_repository."""
        lines = {
            "type": "s3", "path": "/agent-board", "s3-endpoint": NAME, "s3-region": "us-east-1", "s3-bucket": BUCKET,
            "s3-uri-style": "path", "s3-key": self.key, "s3-key-secret": self.secret, "storage-port": self.port,
            "storage-ca-file": "/run/secrets/object_store_ca",
        }  # fmt: skip
        return "".join(f"repo1-{name}={value}\n" for name, value in lines.items())

    def files(self) -> list[Path]:
        """Return every object."""
        return [path for path in (self.objects / BUCKET).rglob("*") if path.is_file()]

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(f"http://{self.address}:{self.port}", timeout=5).close()
        except urllib.error.HTTPError:
            return True
        except OSError as error:
            # It speaks TLS, so that it hangs up on plain HTTP.
            return not isinstance(getattr(error, "reason", error), ConnectionRefusedError)
        return True


def program() -> str:
    """Return the path of the gateway, which is built once of a stated version unless the machine has it."""
    if found := find("versitygw"):
        return found
    if not (BUILT / "versitygw").exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        go("install", PACKAGE, folder=BUILT, GOBIN=str(BUILT))
    return str(BUILT / "versitygw")
