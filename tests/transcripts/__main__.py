"""`make contract` writes what the commands print now into the transcripts."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from services.board.database.migrations import migrate
from services.local.postgresql import PostgreSQL
from tests.boards import EmptyBoard
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.transcripts.stage import Stage, transcripts


def main() -> None:
    with TemporaryDirectory() as name, PostgreSQL(Path(name) / "postgresql", throwaway=True) as server:
        asyncio.run(migrate(server.url(), lambda _: None, server.reading_url()))
        with Operator(server.url()) as operator, ApiProcess(server.url(), Path(name)) as api:
            board = EmptyBoard(api, operator)
            for path in transcripts():
                with TemporaryDirectory() as folder:
                    path.write_text(Stage(board, Path(folder)).produce(path.read_text()))


if __name__ == "__main__":
    main()
