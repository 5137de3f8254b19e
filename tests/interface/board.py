"""The board under test: two API processes with a database of their own, and the model that it is compared with."""

from tests.boards import EmptyBoard
from tests.interface.model import Model
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
    """Two API processes, of which the first takes the writes. Every example begins on an empty board."""

    def __init__(self, apis: list[ApiProcess], database_url: str) -> None:
        self.operator: SteadyOperator
        super().__init__(apis[0], SteadyOperator(database_url))
        self.webs = [Web(api.url) for api in apis]
        self.web = self.webs[0]
        curated = self.web.get("/api/communities").json["items"]
        self.descriptions = {community["slug"]: community["description"] for community in curated}

    def begin(self) -> Model:
        """Empty the board, and return its model."""
        self.clear()
        return Model(dict(self.descriptions))

    def close(self) -> None:
        self.operator.__exit__()
        for web in self.webs:
            web.close()
