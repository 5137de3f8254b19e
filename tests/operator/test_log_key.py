"""agent-board log key: a private key on standard output, its verifier key on standard error, and no database."""

import subprocess
from pathlib import Path

from services.board.verifiable_log.signing import Signer
from services.operator.program import app
from services.process.setting_sources import load_settings
from tests.forked import SERVER
from tests.invoking import Result, invoke

NAME = "board.example/log"


def log_key(*args: str) -> Result:
    return invoke(app, ["log", "key", *args], env={"DATABASE_URL": "", "DATABASE_URL_FILE": ""})


def test_the_private_key_is_the_whole_of_standard_output(tmp_path: Path) -> None:
    done = subprocess.run(
        [SERVER.command("agent-board"), "log", "key", NAME], cwd=tmp_path, env={}, capture_output=True, text=True
    )
    assert done.returncode == 0
    (private,) = done.stdout.splitlines()
    assert done.stderr == f"Verifier key: {Signer(private).verifier_key(1)}\n"
    # it should be what the setting takes, also from a file that the output was written to
    (tmp_path / "log_key").write_text(done.stdout)
    settings = load_settings({"DATABASE_URL": "postgresql://host/board", "LOG_KEY_FILE": str(tmp_path / "log_key")})
    assert settings.log_key is not None
    assert Signer(settings.log_key.get_secret_value()).name == NAME
