"""The limiter as a process shows no secret."""

from pathlib import Path
from urllib.parse import urlsplit

from services.local.valkey import Valkey
from tests.limiter.processes import LimiterProcess

CHECK = {"policy": "votes", "key": "alice", "id": "a", "quota": 120, "window": 60}


def test_the_password_of_redis_is_in_no_log_and_no_answer(valkey: Valkey, tmp_path: Path) -> None:
    wrong = urlsplit(valkey.url())._replace(netloc=f":hunter2@127.0.0.1:{valkey.port}").geturl()
    limiter = LimiterProcess(wrong, tmp_path)
    try:
        limiter.launch()
        while limiter.operator("/readyz") == (0, ""):
            assert limiter.running.poll() is None
        status, problem = limiter.post("/check", [CHECK])
        assert status == 503
        # the answer may come before Redis has refused the password
        while "AuthenticationError" not in limiter.log.read_text():
            limiter.post("/check", [CHECK])
    finally:
        limiter.stop()
    assert "hunter2" not in limiter.log.read_text() + str(problem)
