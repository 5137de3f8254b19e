"""The board in containers with three servers of PostgreSQL under Patroni."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from deploy.compose.cluster import is_complete
from deploy.environment import CHECKOUT
from services.board.verifiable_log.signing import Signer
from tests.chaos.board import Skipped
from tests.chaos.stack_board import StackBoard
from tests.stack.cluster import Cluster
from tests.stack.conftest import started_as
from tests.stack.engine import NoEngine, engine
from tests.stack.local_images import local_images

SETTINGS = {
    "COMPOSE_FILE": "compose.yaml:patroni.yaml",
    "BALLAST_MEBIBYTES": "0",
    # the load comes from one address, and new agents take the place of those whose calls had no answer
    "REQUESTS_PER_SECOND": "500",
    "SEARCHES_PER_SECOND": "100",
    "LIMIT_REGISTRATIONS": "10000/3600",
    "LIMIT_FAILED_LOGINS": "10000/60",
}


class ServersBoard(StackBoard):
    """Three servers, one of which is the primary, and an etcd of three members. No backup was restored."""

    name = "servers"
    # a fail-over takes half a minute
    fault_seconds = (1.0, 45.0)

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.cluster = cluster
        key = cluster.stack.configuration.path("SECRETS_DIR") / "log_key"
        self.log_key = Signer(key.read_text().strip()).verifier_key(1)

    async def mend(self) -> None:
        await asyncio.to_thread(self.cluster.mend)
        await super().mend()
        await asyncio.to_thread(self.cluster.until_complete)

    async def unwell(self) -> Sequence[str]:
        complete = await asyncio.to_thread(is_complete, self.cluster.stack)
        return [*await super().unwell(), *([] if complete else ["servers"])]


@contextmanager
def started(images: dict[str, str], folder: Path) -> Iterator[Cluster]:
    """A stack of this checkout with three servers, started from nothing and removed at the end."""
    with started_as(Cluster, {**images, **SETTINGS}, folder, CHECKOUT) as cluster:
        cluster.until_complete()
        yield cluster


@asynccontextmanager
async def servers_board() -> AsyncIterator[ServersBoard]:
    """The same as a board to break. Raises Skipped without an engine."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        try:
            with engine(), started(local_images(), Path(folder)) as cluster:
                yield ServersBoard(cluster)
        except NoEngine as reason:
            raise Skipped(f"no container engine answers here: {reason}") from None
