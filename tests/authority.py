"""A certificate authority of the tests, by the command openssl."""

import subprocess
from pathlib import Path

from tests.programs import needs


class Authority:
    """An authority with its files in one folder. `anchor` is its certificate. Its own key is of a kind of openssl."""

    def __init__(self, folder: Path, key: str = "ec") -> None:
        self.folder = folder
        usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
        self.openssl(
            "req", "-x509", *self.new("ca", key), *usage, "-days", "1", "-subj", "/CN=authority", "-out", "ca.crt"
        )
        self.anchor = (folder / "ca.crt").read_text()

    def issue(self, name: str, *subjects: str, key: str = "ec") -> tuple[str, str]:
        """Return certificate and key for subjects such as DNS:board.example or IP:192.0.2.1."""
        extensions = self.folder / f"{name}.ext"
        usage = "keyUsage=critical,digitalSignature\nauthorityKeyIdentifier=keyid\n"
        extensions.write_text(f"subjectAltName={','.join(subjects)}\n{usage}")
        self.openssl("req", *self.new(name, key), "-subj", f"/CN={name}", "-out", f"{name}.csr")
        signed = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "1", "-extfile", extensions.name)
        self.openssl("x509", "-req", "-in", f"{name}.csr", *signed, "-out", f"{name}.crt")
        certificate, private = (self.folder / f"{name}.{kind}" for kind in ("crt", "key"))
        return certificate.read_text(), private.read_text()

    def new(self, name: str, key: str) -> tuple[str, ...]:
        curve = ("-pkeyopt", "ec_paramgen_curve:P-256") if key == "ec" else ()
        return ("-newkey", key, *curve, "-nodes", "-keyout", f"{name}.key")

    def openssl(self, *arguments: str) -> None:
        subprocess.run([needs("openssl"), *arguments], cwd=self.folder, check=True, capture_output=True)
