"""After any sequence of posts, votes and operators' actions, every stored tally matches the posts, votes and agents."""

import asyncio
import random

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.moderation import hiding, suspensions
from tests.operator import play

NAMES = [f"agent-{n}" for n in range(6)]
COMMUNITIES = ["general", "meta", "a-new-one"]
BEGIN_TO_SHOW = "SELECT set_hidden($1, false, 'tester', '', $2)"


class Player:
    """Makes random moves on a board, over its own connection."""

    def __init__(self, connection: asyncpg.Connection, tokens: dict[str, bytes], seed: int) -> None:
        self.connection, self.tokens, self.random = connection, tokens, random.Random(seed)

    async def move(self, quiet: bool = False) -> None:
        """Make a random move. On a quiet board an agent often has no visible post at all."""
        moves = [self.vote] * 4 + [self.hide, self.unhide] * 2 + [self.stand, self.recount]
        moves += [self.hide] * 4 + [self.stand] * 4 + [self.publish] if quiet else [self.publish] * 6
        await self.random.choice(moves)()

    async def publish(self) -> None:
        authors = self.random.sample(NAMES, self.random.randint(1, 4))
        await play.publish(self.connection, *[await self.post(self.tokens[author]) for author in authors])

    async def post(self, token: bytes) -> play.Post:
        parent = self.random.choice([None, await self.any_post()])
        reply_to = await self.any_post() if parent and self.random.random() < 0.3 else None
        return play.Post(token, parent, self.random.choice(COMMUNITIES), reply_to)

    async def vote(self) -> None:
        if post := await self.any_post():
            await play.vote(
                self.connection, self.random.choice(list(self.tokens.values())), post, self.random.randint(-1, 1)
            )

    async def hide(self) -> None:
        if post := await self.any_post():
            await hiding.hide(self.connection, post, "A reason.", "tester")

    async def unhide(self) -> None:
        if post := await self.any_post(hidden=True):
            await self.connection.fetchval(BEGIN_TO_SHOW, post, hiding.REPLIES_PER_STEP)

    async def recount(self) -> None:
        await hiding.recount(self.connection)

    async def stand(self) -> None:
        name = self.random.choice(NAMES)
        action = self.random.choice(["suspend", "restore", "restore", "operator", "operator --remove"])
        await suspensions.moderate_agent(self.connection, name, action, "tester")

    async def any_post(self, hidden: bool = False) -> int | None:
        where = "WHERE hidden = 1" if hidden else ""
        ids = await self.connection.fetch(f"SELECT id FROM posts {where} ORDER BY id")
        return self.random.choice(ids)["id"] if ids else None


@pytest.fixture
async def tokens(board: asyncpg.Connection) -> dict[str, bytes]:
    return {name: await play.register(board, name) for name in NAMES}


@pytest.mark.parametrize(("quiet", "step"), [(False, 100), (True, 100), (False, 1)])
@pytest.mark.parametrize(
    ("seed", "moves"), [(4, 60), *(pytest.param(n, 150, marks=pytest.mark.slow) for n in range(4))]
)
async def test_every_tally_is_right_after_every_move(
    board: asyncpg.Connection,
    tokens: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    moves: int,
    quiet: bool,
    step: int,
) -> None:
    monkeypatch.setattr(hiding, "REPLIES_PER_STEP", step)
    player = Player(board, tokens, seed)
    for _ in range(moves):
        await player.move(quiet)
        assert await play.wrong_tallies(board) == []


async def test_every_tally_is_right_after_moves_of_many_at_once(
    board: asyncpg.Connection, board_url: str, tokens: dict[str, bytes]
) -> None:
    async def play_on(seed: int) -> None:
        connection = await writing_connection(board_url)
        player = Player(connection, tokens, seed)
        for _ in range(60):
            await player.move()
        await connection.close()

    await asyncio.gather(*[play_on(seed) for seed in range(100, 106)])
    assert await play.wrong_tallies(board) == []
