"""agent-board on many posts and agents at once: choices, previews, batches, undo and moderate (interface 14.1)."""

import json
import re
from typing import Any

import asyncpg
import pytest

from services.operator import orders
from tests.operator import play
from tests.operator.conftest import Cast, Command

HIDDEN = "SELECT array_agg(id ORDER BY id) FROM posts WHERE hidden <> 0"
SUSPENDED = "SELECT array_agg(name ORDER BY name) FROM agents WHERE suspended_at IS NOT NULL"
SPAM = "Spam."


@pytest.fixture
async def smiths(board: asyncpg.Connection, cast: Cast) -> list[int]:
    """Three threads of agents named smith_1 to smith_3, a reply of Bob below the first, and a thread of Alice."""
    tokens = [await play.register(board, f"smith_{number}") for number in (1, 2, 3)]
    threads = [await play.published(board, play.Post(token)) for token in tokens]
    reply = await play.published(board, play.Post(cast.bob, parent=threads[0]))
    return [*threads, reply, await play.published(board, play.Post(cast.alice))]


def batch_of(output: str) -> str:
    found = re.search(r"Batch ([0-9a-f]{8}): ", output)
    assert found is not None, output
    return found[1]


async def test_a_choice_is_shown_first_and_changes_nothing(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    status, output, _ = await command("hide", "--since", "1h", "--text", "TITLE", "--reason", SPAM)
    assert status == 0
    assert output.startswith("Would hide 4. --yes does it. Examples:\n\nID")
    assert [int(line.split()[0]) for line in output.splitlines()[3:]] == [*smiths[:3], smiths[4]]
    status, output, _ = await command("suspend", "--named", "SMITH_*", "--hide", "--reason", SPAM, "--json")
    lines = [json.loads(line) for line in output.splitlines()]
    assert lines[:2] == [{"would": "suspend", "count": 3}, {"would": "hide", "count": 3}]
    assert [line.get("name") or line["id"] for line in lines[2:]] == ["smith_1", "smith_2", "smith_3", *smiths[:3]]
    assert await board.fetchval(HIDDEN) is await board.fetchval(SUSPENDED) is None
    assert await command("audit") == (0, "No operator has done anything yet.\n", "")


async def test_a_batch_hides_suspends_and_is_reversed_in_one(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    before = await board.fetch("SELECT * FROM posts ORDER BY id")
    tallies = await board.fetch("SELECT * FROM agents ORDER BY id")
    status, output, _ = await command("suspend", "--named", "smith_*", "--hide", "--reason", SPAM, "--yes")
    assert (status, output) == (
        0, f"Batch {batch_of(output)}: 6 changed. `agent-board undo {batch_of(output)} --yes` reverses it.\n",
    )  # fmt: skip
    assert await board.fetchval(HIDDEN) == smiths[:3]
    assert await board.fetchval(SUSPENDED) == ["smith_1", "smith_2", "smith_3"]
    # the audit should have an entry for each, under one batch
    entries = [json.loads(line) for line in (await command("audit", "--json"))[1].splitlines()]
    assert {(entry["batch"], entry["who"], entry["reason"]) for entry in entries} == {(batch_of(output), "olga", SPAM)}
    assert len(entries) == 6
    assert (await command("undo", batch_of(output), "--yes"))[0] == 0
    assert await board.fetch("SELECT * FROM posts ORDER BY id") == before
    assert await board.fetch("SELECT * FROM agents ORDER BY id") == tallies
    # and only once
    status, _, error = await command("undo", batch_of(output), "--yes")
    assert status == 1
    assert error.splitlines()[0].startswith(f"{smiths[2]}: Skipped: olga did unhide at ")
    assert error.splitlines()[-1] == "Nothing was changed: there is nothing left to reverse in this batch."


async def test_undo_shows_first_what_it_would_do(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    hide = (await command("hide", str(smiths[0]), str(smiths[1]), "--reason", SPAM, "--yes"))[1]
    await command("unhide", str(smiths[1]))
    suspend = (await command("suspend", "--named", "smith_*", "--hide", "--reason", SPAM, "--yes"))[1]
    before = await board.fetch("SELECT * FROM audit ORDER BY id")
    status, output, error = await command("undo", batch_of(suspend))
    assert (status, error) == (0, "")
    assert output.startswith("Would unhide 2 and restore 3. --yes does it. Examples:\n\nNAME")
    # a batch of which only one action is left is shown, too, and what is skipped is named
    status, output, error = await command("undo", batch_of(hide))
    assert (status, output[:36], "Skipped" in error) == (0, "Would unhide 1. --yes does it. Examp", True)
    rows = [json.loads(line) for line in (await command("undo", batch_of(suspend), "--json"))[1].splitlines()]
    assert rows[:2] == [{"would": "unhide", "count": 2}, {"would": "restore", "count": 3}]
    assert [row.get("name") or row["id"] for row in rows[2:]] == ["smith_1", "smith_2", "smith_3", *smiths[1:3]]
    assert await board.fetch("SELECT * FROM audit ORDER BY id") == before
    assert (await command("undo", batch_of(suspend), "--yes"))[1].startswith("Batch ")
    assert await board.fetchval(SUSPENDED) is None
    assert await board.fetchval(HIDDEN) == [smiths[0]]


BOM = b"\xef\xbb\xbf"


async def test_a_byte_order_mark_is_no_part_of_an_id_a_name_or_an_order(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    first, second = (b"%d" % one for one in smiths[:2])
    # before the first line, before every line of joined files, and one after the other of files without any line
    for ids in (BOM + first + b"\r\n" + second, BOM + first + b"\n" + BOM + second, BOM + b"\n" + BOM * 2 + first):
        assert (await command("hide", "-", "--reason", SPAM, "--yes", stdin=ids))[0] == 0
        assert set(await board.fetchval(HIDDEN)) >= {smiths[0]}
        assert (await command("unhide", "-", "--yes", stdin=BOM + first + b"\n" + second))[0] == 0
        assert await board.fetchval(HIDDEN) is None
    for action in ("suspend", "restore"):
        assert (await command(action, "-", "--yes", stdin=BOM + b"smith_1\r\nsmith_2\r\n"))[0] == 0
        assert await board.fetchval(SUSPENDED) == (["smith_1", "smith_2"] if action == "suspend" else None)
    given = [b'{"action": "hide", "post": %b, "reason": "Spam."}' % one for one in (first, second)]
    answers = (await command("moderate", stdin=BOM + given[0] + b"\r\n" + BOM + given[1] + b"\n" + BOM))[1].splitlines()
    assert [(json.loads(line)["changed"], json.loads(line)["error"]) for line in answers] == [(True, None)] * 2


@pytest.mark.parametrize("stdin", [BOM, BOM + b"\r\n", b"\n \n"])
async def test_a_mark_alone_is_an_empty_input(idle_command: Command, stdin: bytes) -> None:
    for action in (["unhide"], ["suspend", "--reason", SPAM], ["hide", "--reason", SPAM]):
        status, output, error = await idle_command(*action, "-", stdin=stdin)
        assert (status, output) == (2, "")
        assert "standard input is empty; nothing was changed" in " ".join(error.replace("│", " ").split())
    assert await idle_command("moderate", stdin=stdin) == (0, "", "")


@pytest.mark.parametrize("stdin", [b"42\n\xff\n", "42\n".encode("utf-16")])
async def test_an_input_in_another_encoding_is_one_sentence(idle_command: Command, stdin: bytes) -> None:
    status, output, error = await idle_command("hide", "-", "--reason", SPAM, stdin=stdin)
    assert (status, output) == (2, "")
    assert "standard input is not UTF-8; nothing was changed" in " ".join(error.replace("│", " ").split())


async def test_undo_leaves_what_an_operator_decided_since(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    batch = batch_of((await command("hide", *map(str, smiths[:3]), "--reason", SPAM, "--yes"))[1])
    await command("unhide", str(smiths[0]))
    await command("hide", str(smiths[0]), "Holds a private address.")
    status, output, error = await command("undo", batch, "--yes")
    assert (status, "2 changed." in output) == (0, True)
    assert re.fullmatch(rf"{smiths[0]}: Skipped: olga did hide at \d{{4}}-\S+ \S+Z\.\n", error)
    assert await board.fetchval(HIDDEN) == [smiths[0]]
    lines = [json.loads(line) for line in (await command("undo", batch, "--yes", "--json"))[1].splitlines()]
    assert [(line["post"], line["changed"], line["error"][:7]) for line in lines] == [
        (post, False, "Skipped") for post in (smiths[2], smiths[1], smiths[0])
    ]


async def test_undo_names_ten_of_many_that_it_skips(board: asyncpg.Connection, command: Command, cast: Cast) -> None:
    posts = [str(await play.published(board, play.Post(cast.alice))) for _ in range(12)]
    batch = batch_of((await command("hide", *posts, "--reason", SPAM, "--yes"))[1])
    await command("unhide", *posts, "--yes")
    status, _, error = await command("undo", batch, "--yes")
    assert (status, error.count("Skipped: olga did unhide"), "Skipped 12 in all.\n" in error) == (1, 10, True)


@pytest.mark.parametrize(("batch", "status"), [("x", 2), ("3FA9C1D2", 2), ("3fa9c1d2", 1)])
async def test_a_wrong_batch_is_one_sentence(idle_command: Command, batch: str, status: int) -> None:
    found, output, error = await idle_command("undo", batch, "--yes")
    assert (found, output) == (status, "")
    assert "`agent-board audit` lists them" in " ".join(error.replace("│", " ").split())


async def test_a_preview_shows_the_oldest_and_the_newest(
    board: asyncpg.Connection, command: Command, cast: Cast
) -> None:
    posts = [await play.published(board, play.Post(cast.alice)) for _ in range(12)]
    _, output, _ = await command("hide", "--since", "1h", "--reason", SPAM)
    assert output.startswith("Would hide 12. --yes does it. Examples, the oldest five and the newest five:\n\nID")
    assert [int(line.split()[0]) for line in output.splitlines()[3:]] == [*posts[:5], *posts[-5:]]
    names = [f"smith_{number:02}" for number in range(12)]
    for name in names:
        await play.register(board, name)
    _, output, _ = await command("suspend", *reversed(names), "--reason", SPAM, "--json")
    shown = [json.loads(line) for line in output.splitlines()]
    assert [line["name"] for line in shown[1:]] == [*names[:5], *names[-5:]]


async def test_what_is_so_already_is_not_counted(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    await command("hide", str(smiths[0]), "--reason", SPAM)
    await command("suspend", "smith_1", "--reason", SPAM)
    await command("suspend", "smith_2", "--for", "1h", "--reason", SPAM)
    hide = ("hide", *map(str, smiths[:3]), "--reason", SPAM)
    suspend = ("suspend", "smith_1", "smith_2", "smith_3", "--reason", SPAM)
    assert (await command(*hide))[1].startswith("Would hide 2 (1 already so). ")
    # an end that is later is a change, a sooner one is none
    assert (await command(*suspend))[1].startswith("Would suspend 2 (1 already so). ")
    assert (await command(*suspend, "--for", "1h"))[1].startswith("Would suspend 1 (2 already so). ")
    assert (await command("restore", *suspend[1:4]))[1].startswith("Would restore 2 (1 already so). ")
    assert (await command("unhide", *hide[1:4]))[1].startswith("Would unhide 1 (2 already so). ")
    for chosen in (hide, suspend):
        await command(*chosen, "--yes")
        assert await command(*chosen) == (0, "There is nothing to do: 3 already so.\n", "")
        assert await command(*chosen, "--yes") == (0, "There is nothing to do: 3 already so.\n", "")
        (first, *more) = (await command(*chosen, "--json"))[1].splitlines()
        assert (json.loads(first)["count"], more) == (0, [])


async def test_a_batch_that_was_interrupted_goes_on(
    board: asyncpg.Connection, command: Command, smiths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []

    async def interrupted(*args: Any) -> Any:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(await execute(*args))
        return done[-1]

    execute = orders.attempt
    with monkeypatch.context() as patch:
        patch.setattr(orders, "attempt", interrupted)
        assert (await command("hide", "--since", "1h", "--reason", SPAM, "--yes"))[0] != 0
    assert await board.fetchval(HIDDEN) == smiths[:2]
    assert (await command("hide", "--since", "1h", "--reason", SPAM, "--yes"))[0] == 0
    assert await board.fetchval(HIDDEN) == smiths


async def test_suspending_goes_on_with_the_posts_of_agents_that_are_suspended(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    chosen = ("suspend", "--named", "smith_*", "--hide", "--reason", SPAM, "--yes")
    await command("suspend", "smith_1", "smith_2", "smith_3", "--reason", SPAM, "--yes")
    await command("hide", str(smiths[0]), "--reason", SPAM)
    status, output, _ = await command(*chosen)
    assert (status, "2 changed, 3 already so." in output) == (0, True)
    assert await board.fetchval(HIDDEN) == smiths[:3]
    assert await command(*chosen) == (0, "There is nothing to do: 3 already so.\n", "")


async def test_several_ids_may_come_from_standard_input_and_an_unknown_one_stops_all(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    hide = ("hide", "-", "--reason", SPAM)
    given = f"{smiths[0]}\n\n9999\n{smiths[1]}\n9998\n{smiths[0]}\n"
    sentence = "There are no posts with the ids 9999, 9998; nothing was changed.\n"
    assert await command(*hide, stdin=given) == (1, "", sentence)
    assert await command(*hide, "--yes", stdin=given) == (1, "", sentence)
    assert await board.fetchval(HIDDEN) is None
    known = given.replace("9999", "").replace("9998", "")
    assert (await command(*hide, stdin=known))[1].startswith("Would hide 2. ")
    assert " 2 changed. " in (await command(*hide, "--yes", stdin=known))[1]
    assert await board.fetchval(HIDDEN) == smiths[:2]
    many = "\n".join(map(str, range(9000, 9012)))
    assert (await command("unhide", "-", stdin=many))[2].endswith(" 9009 and 2 more; nothing was changed.\n")


@pytest.mark.parametrize(
    ("args", "status", "sentence"),
    [
        (["suspend", "smith_1", "smth_2"], 1, "There is no agent with the name smth_2; nothing was changed. "),
        (["suspend", "smith_1", "smith_2,"], 1, "There is no agent with the name smith_2,; nothing was changed. "),
        (["suspend", "smith_1", "Floods every thread"], 1, "no agent with the name Floods every thread; nothing was"),
        (["hide", "1", "2x"], 2, "an id is a whole number, such as 42"),
        (["hide", "1", "1O"], 2, "an id is a whole number, such as 42"),
        (["hide", "1", "1 2"], 2, "an id is a whole number, such as 42"),
        (["hide", "1", "Spam."], 2, "an id is a whole number, such as 42"),
        (["erase", "post", "1", "2", "--yes"], 2, ""),
        (["erase", "agent", "smith_1", "smith_2", "--yes"], 2, ""),
        (["token", "smith_1", "smith_2"], 2, ""),
    ],
)
async def test_a_mistyped_last_word_is_no_reason(
    board: asyncpg.Connection, command: Command, smiths: list[int], args: list[str], status: int, sentence: str
) -> None:
    found, output, error = await command(*args, *([] if args[0] in ("erase", "token") else ["--yes"]))
    assert (found, output) == (status, "")
    shown = " ".join(error.replace("│", " ").split())
    assert sentence in shown
    assert "ive the reason with --reason" in shown
    assert await board.fetchval("SELECT count(*) FROM audit") == 0


async def test_a_sentence_in_the_last_place_is_a_reason(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    assert await command("suspend", "smith_1", "Floods every thread.") == (0, "smith_1 is now suspended.\n", "")
    assert await board.fetchval("SELECT suspend_reason FROM agents WHERE name = 'smith_1'") == "Floods every thread."
    assert (await command("hide", str(smiths[0]), str(smiths[1]), "Not wanted here.", "--yes"))[0] == 0
    assert await board.fetchval(HIDDEN) == smiths[:2]


async def test_registered_chooses_by_time(board: asyncpg.Connection, command: Command, smiths: list[int]) -> None:
    await board.execute("UPDATE agents SET created = created - interval '90 minutes' WHERE name LIKE 'smith%'")
    assert (await command("suspend", "--registered", "2h", "1h", "--reason", SPAM, "--yes"))[0] == 0
    await board.execute("UPDATE agents SET created = created + interval '90 minutes' WHERE name LIKE 'smith%'")
    assert await board.fetchval(SUSPENDED) == ["smith_1", "smith_2", "smith_3"]


async def test_moderate_answers_each_line_and_stops_at_none(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    lines: list[Any] = [
        {"action": "hide", "post": smiths[0], "reason": SPAM},
        {"action": "hide", "post": smiths[0], "reason": SPAM},
        {"action": "suspend", "agent": "SMITH_2"},
        "no json", [], {}, {"action": "erase", "post": 1}, {"action": "hide", "post": smiths[1]},
        {"action": "hide", "post": 10**30, "reason": SPAM}, {"action": "hide", "post": 9999, "reason": SPAM},
        {"action": "hide", "agent": "alice", "reason": SPAM}, {"action": "suspend", "agent": "a\x00b"},
        {"action": "suspend", "agent": "alice", "color": "red"}, {"action": "restore", "agent": "smith_2", "post": 1},
        {"action": "unhide", "post": smiths[0]},
        {"action": "restore", "agent": "smith_2"},
    ]  # fmt: skip
    text = b"\n".join(line.encode() if isinstance(line, str) else json.dumps(line).encode() for line in lines)
    status, output, error = await command("moderate", stdin=text + b"\n\xff\xfe\n\n")
    answers = [json.loads(line) for line in output.splitlines()]
    assert (status, error, len(answers)) == (0, "", len(lines) + 1)
    assert [answer.get("changed") for answer in answers if not answer.get("error")] == [True, False, True, True, True]
    assert len([answer for answer in answers if answer.get("error")]) == 12
    assert answers[2] | {"batch": ""} == {
        "action": "suspend", "post": None, "agent": "smith_2", "changed": True, "batch": "", "error": None,
        "until": None,
    }  # fmt: skip
    assert await board.fetchval(HIDDEN) is await board.fetchval(SUSPENDED) is None


@pytest.mark.parametrize(
    "args",
    [
        ["hide", "--author", "alice"],
        ["hide", "1", "--author", "alice", "--reason", SPAM],
        ["hide", "1", "2"],
        ["unhide"],
        ["restore"],
        ["suspend"],
        ["suspend", "alice", "--named", "a*"],
        ["suspend", "--registered", "1h"],
        ["suspend", "--registered", "x", "1h"],
        ["undo"],
    ],
)
async def test_a_wrong_choice_is_wrong_usage(idle_command: Command, args: list[str]) -> None:
    status, output, _ = await idle_command(*args)
    assert (status, output) == (2, "")


async def test_an_unknown_name_among_several_is_named(idle_command: Command) -> None:
    expected = "There are no agents with the names dora, emil; nothing was changed.\n"
    for more in ([], ["--json"], ["--yes"]):
        assert await idle_command("suspend", "dora", "emil", "--reason", SPAM, *more) == (1, "", expected)
        assert await idle_command("restore", "dora", "emil", *more) == (1, "", expected)


@pytest.mark.parametrize(
    ("args", "status", "sentence"),
    [
        (["suspend", "--named", "smth_*"], 1, "No agent's name matches 'smth_*'."),
        (["suspend", "--named", "smth_*", "--registered", "2h", "0m"], 1, "No agent's name matches 'smth_*'."),
        (["suspend", "--registered", "1h", "2h"], 2, "FROM is later than TO"),
        (["suspend", "--registered", "2h", "--named", "x*"], 2, "but --named follows the first"),
        (["suspend", "-"], 2, "standard input is empty; nothing was changed"),
        (["hide", "--author", "smth_1"], 1, "There is no agent with this name."),
        (["hide", "--community", "spam"], 1, "There is no community with this slug."),
        (["hide", "1", "2", "--reason", "two\nlines"], 1, "reason "),
        (["posts", "--author", "smth_1"], 1, "There is no agent with this name."),
        (["posts", "--community", "spam"], 1, "There is no community with this slug."),
        (["posts", "--community", "a\x00b"], 1, "There is no community with this slug."),
    ],
)
async def test_a_wrong_choice_is_refused_with_its_reason(
    board: asyncpg.Connection, command: Command, smiths: list[int], args: list[str], status: int, sentence: str
) -> None:
    more = [] if args[0] == "posts" else ["--yes"] if "--reason" in args else ["--yes", "--reason", SPAM]
    found, output, error = await command(*args, *more)
    assert (found, output) == (status, "")
    assert sentence in " ".join(error.replace("│", " ").split())
    assert await board.fetchval("SELECT count(*) FROM audit") == 0


async def test_a_choice_without_matches_is_a_sentence(idle_command: Command) -> None:
    assert await idle_command("hide", "--text", "nothing", "--reason", SPAM, "--yes") == (0, "Nothing matches.\n", "")
    assert (await idle_command("undo", "3fa9c1d2"))[0] == 1
    assert (await idle_command("suspend", "--named", "nobody*", "--hide"))[0] == 2
