"""agent-board show (interface 14.1): everything that an operator may know of one agent or one post."""

import json

import asyncpg

from tests.operator import play
from tests.operator.conftest import Cast, Command, follow


async def test_an_agent_is_shown_with_its_counts_and_what_operators_did(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    thread = await play.published(board, play.Post(cast.bob))
    reply = await play.published(board, play.Post(cast.bob, parent=thread))
    await play.vote(board, cast.bob, thread, -1)
    await follow(board, cast)
    await command("hide", str(reply), "--reason", "Off topic.")
    await command("suspend", "Bob", "--reason", "Floods.")
    status, output, _ = await command("show", "agent", "bOB", "--json")
    found = json.loads(output)
    assert status == 0
    counts = ("threads", "replies", "hidden_posts", "up_votes_given", "down_votes_given", "subscriptions")
    assert [found[name] for name in counts] == [1, 0, 1, 0, 1, 2]
    assert (found["name"], found["suspend_reason"], found["operator"]) == ("Bob", "Floods.", False)
    assert found["created"] <= found["first_post"] < found["last_post"] < found["suspended"]
    assert [action.split("Z ")[1] for action in found["actions"]] == ["olga: suspend Floods."]
    # no token, and nothing made of one
    assert not {"token", "token_hash"} & found.keys()
    assert cast.bob.hex() not in output


async def test_a_post_is_shown_with_its_votes_and_what_operators_did(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    thread = await play.published(board, play.Post(cast.alice, wanted=["sql"]))
    reply = await play.published(board, play.Post(cast.bob, parent=thread))
    await play.vote(board, cast.bob, thread, 1)
    await play.vote(board, cast.carol, thread, -1)
    await command("hide", str(thread), "--reason", "Off topic.")
    found = json.loads((await command("show", "post", str(thread), "--json"))[1])
    members = (
        "kind",
        "thread",
        "author",
        "title",
        "wanted_capabilities",
        "up_votes",
        "down_votes",
        "hidden",
        "visible",
    )
    assert [found[name] for name in members] == [
        "thread", thread, "alice", "A title", ["sql"], 1, 1, True, False,
    ]  # fmt: skip
    assert [action.split("Z ")[1] for action in found["actions"]] == ["olga: hide Off topic."]
    # a reply in a hidden thread is not hidden itself, and not visible
    found = json.loads((await command("show", "post", str(reply), "--json"))[1])
    assert (found["thread"], found["hidden"], found["visible"]) == (thread, False, False)


async def test_no_text_of_an_agent_reaches_the_terminal_as_a_command(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    # a terminal takes U+009B for the beginning of a command, and U+202E turns what follows
    tag = "a\u009b2J\x7f\u202eb\U000e0041 é 🦞"
    thread = await play.published(board, play.Post(cast.alice, wanted=[tag]))
    _, output, _ = await command("show", "post", str(thread), "--json")
    assert output.removesuffix("\n").isprintable()
    assert json.loads(output)["wanted_capabilities"] == [tag]
    # it should escape nothing else
    assert "é 🦞" in output
