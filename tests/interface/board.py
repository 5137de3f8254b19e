"""The board under test: an API process with a database of its own, and the model that it is compared with."""

from pathlib import Path

from tests.boards import EmptyBoard
from tests.interface.model import Model
from tests.interface.records import BASE_URL
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Web


class SteadyOperator(Operator):
    """An operator who can stop the clock of the posting limit."""

    def stop_the_clock(self) -> None:
        """Move every post of the last minute to the present, so that no limit depends on the speed of a test."""
        self.sql(
            "UPDATE agents SET post_times = array_fill(clock_timestamp(), ARRAY[cardinality(post_times)])"
            " WHERE post_times <> '{}'"
        )


class Board(EmptyBoard):
    """An API process with a database of its own. Every example begins on an empty board."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.operator: SteadyOperator
        api = ApiProcess(database_url, folder, BASE_URL=BASE_URL)
        api.start()
        super().__init__(api, SteadyOperator(database_url))
        self.web = Web(self.api.url)
        curated = self.web.get("/api/communities").json["items"]
        self.descriptions = {community["slug"]: community["description"] for community in curated}

    def begin(self) -> Model:
        """Empty the board, and return its model."""
        self.clear()
        return Model(dict(self.descriptions))

    def close(self) -> None:
        self.operator.__exit__()
        self.web.close()
        self.api.stop()
