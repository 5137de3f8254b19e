"""The limiter's processes as tests start them, and the patient ones."""

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from redis import Redis

from services.contract.limits import LIMITS
from services.limiter.window import window_key
from services.local.ports import free_port
from tests.processes import ApiProcess


class LimiterProcess(ApiProcess):
    """`python -m services.limiter` on free ports, without a database."""

    module, imports = "services.limiter", "services.limiter.app"

    def __init__(self, redis_url: str, folder: Path, **settings: str) -> None:
        super().__init__("", folder)
        self.redis_url = redis_url
        self.log = folder / "limiter.log"
        self.port = int(settings.pop("LIMITER_PORT", 0)) or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {
            "PATH": os.environ["PATH"],
            "REDIS_URL": redis_url,
            "LIMITER_PORT": str(self.port),
            "OPERATOR_PORT": str(self.operator_port),
            **settings,
        }

    def post(
        self, path: str, body: Any = None, content: bytes | None = None, media_type: str = "application/json"
    ) -> tuple[int, Any]:
        """Return the status of an answer and its content."""
        data = json.dumps(body).encode() if content is None else content
        return call(f"{self.url}{path}", "POST", data, {"Content-Type": media_type})

    def check(self, *checks: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the verdicts on some checks."""
        status, verdicts = self.post("/check", list(checks))
        assert status == 200, verdicts
        return list(verdicts)

    def counted(self, policy: str, key: str) -> int:
        """Return how many calls the window of an agent or an address holds."""
        with Redis.from_url(self.redis_url) as redis:
            return int(redis.zcard(window_key(policy, key)))

    def forget(self, key: str, *policies: str) -> None:
        """Empty windows of an agent or an address; without `policies`, all of them."""
        names = policies or [limit.name for limit in LIMITS]
        with Redis.from_url(self.redis_url) as redis:
            redis.delete(*(window_key(name, key) for name in names))


class PatientLimiter(LimiterProcess):
    """A limiter that waits for Redis as long as it takes."""

    module = "tests.limiter.patient_limiter"


def call(url: str, method: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, Any]:
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()
