"""Which board a database holds, and which ids that board has given out.

A board has an identity, created with its database and kept in its dumps. If a volume is lost, neither the new one nor a
backup shows the posts published after that backup. The checkout therefore also records, next to .env, the board that it
ran last and the newest id that it has seen of every board.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.compose import erasures, signals
from deploy.compose.configuration import Configuration
from deploy.compose.database import DATABASE, execute, in_volume, integer, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

LOST_IDS_MAX = 1_000_000
"""How many ids to skip if it is unknown which were assigned after the backup."""
# `agent-board verify` accepts the absence of these ids.
LEFT_OUT = """
INSERT INTO audit (at, who, action, subject, reason) VALUES (clock_timestamp(), 'make restore', 'make restore',
    '{first} {last}', 'These ids were or may have been given to posts that are not in the backup.')
"""


@dataclass(frozen=True)
class Board:
    """A board and its newest id. The identity is blank if its release did not have one yet."""

    identity: str
    head: int


@dataclass(frozen=True)
class Memory:
    """The checkout's record: the board that it ran last, and the newest id that it has seen of each board."""

    identity: str = ""
    heads: Mapping[str, int] = field(default_factory=dict)

    def with_board(self, board: Board) -> "Memory":
        head = max(board.head, self.heads.get(board.identity, 0))
        return Memory(board.identity, {**self.heads, board.identity: head})


def find_board(stack: Stack, database: str = DATABASE) -> Board | None:
    """Return the board in a database, or None if that is missing, unreadable or not migrated."""
    try:
        head = integer(stack, "SELECT last_id FROM log_head", f"--dbname={database}")
    except StackError:
        return None
    try:
        return Board(value(stack, "SELECT identity FROM board_identity", f"--dbname={database}"), head)
    except StackError:
        return Board("", head)


def last_id(backup: Board, running: Board | None, memory: Memory) -> int:
    """Return the id after which a restored board must continue, so that no id ever names two posts.

    Only a running board that provably descends from the backup shows which ids were assigned after it.
    """
    seen = memory.heads.get(backup.identity, 0) if backup.identity else max(memory.heads.values(), default=0)
    newest = max(backup.head, seen)
    if running is None:
        return newest + LOST_IDS_MAX
    descends = bool(running.identity) and running.identity == backup.identity and running.head >= newest
    return running.head if descends else max(newest, running.head) + LOST_IDS_MAX


def pass_over(stack: Stack, database: str, running: Board | None) -> None:
    """Ensure that the next post of a restored database gets a new id, and that what was erased is erased in it, too.

    `running` is the board that served before the restore, or None if none did. Raises StackError.
    """
    restored = find_board(stack, database)
    if restored is None:
        raise StackError("The backup does not contain a board.")
    last = last_id(restored, running, recall(stack.configuration))
    commands = [f"UPDATE log_head SET last_id = {last}"]
    if last > restored.head:
        commands.append(LEFT_OUT.format(first=restored.head + 1, last=last))
    execute(stack, "--single-transaction", f"--dbname={database}", commands=commands)
    erasures.erase_again(stack, database, restored.identity)


def begin_restore(stack: Stack, work: str, kept: str = "") -> None:
    """Record which board serves before its data are replaced, by which command, and where the replaced data are kept.

    If the restore is interrupted, `make up` completes it with this record. Raises StackError.
    """
    remember(stack)
    board = find_board(stack)
    known: dict[str, str | int] = {"identity": board.identity, "head": board.head} if board else {}
    known |= {"work": work, "kept": kept}
    restoring(stack.configuration).write_text(json.dumps(known), encoding="utf-8")


def is_restoring(stack: Stack) -> bool:
    """Return whether a restore has replaced the data but has not yet ensured that the next post gets a new id."""
    return restoring(stack.configuration).exists()


def end_restore(stack: Stack) -> None:
    """Ensure that no id names two posts after a restore, and forget the restore. Raises StackError."""
    path = restoring(stack.configuration)
    known = json.loads(path.read_text(encoding="utf-8"))
    pass_over(stack, DATABASE, Board(known["identity"], known["head"]) if known and "identity" in known else None)
    path.unlink()


def mend_exchange(stack: Stack) -> None:
    """Complete an exchange of data that was interrupted between its two steps. Raises StackError."""
    end_exchange(stack)
    restored = "/var/lib/postgresql/restored"
    in_volume(stack, f'[ -e "$PGDATA" ] || [ ! -e {restored} ] || mv {restored} "$PGDATA"')


def end_exchange(stack: Stack) -> None:
    """Remove the containers that an interrupted restore has left: they would go on to change the data.

    Raises StackError.
    """
    labels = (f"project={stack.project}", "oneoff=True", "service=postgresql")
    filters = [part for each in labels for part in ("--filter", f"label=com.docker.compose.{each}")]
    if left := stack.docker("ps", "--all", "--quiet", *filters).split():
        stack.docker("rm", "--force", *left)


def unfinished(stack: Stack) -> str:
    """Return a sentence about a restore that was interrupted, or nothing. Raises StackError."""
    if not is_restoring(stack):
        return ""
    known = json.loads(restoring(stack.configuration).read_text(encoding="utf-8")) or {}
    kept = known.get("kept", "")
    work = known.get("work", "make restore")
    if not kept:
        return f"{work} was interrupted; run it again, or complete it with make up."
    if in_volume(stack, f"if [ -e {kept} ]; then echo yes; fi").strip() == "yes":
        return (
            f"{work} was interrupted. The data were replaced, and the previous ones are {kept}; make up completes it."
        )
    return f"{work} was interrupted before it replaced the data; make up starts the board with those from before."


@contextmanager
def interrupted(outcome: str) -> Iterator[None]:
    """Let an interruption report the outcome of what it interrupts."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(str(error) or outcome) from None


@contextmanager
def undisturbed(stack: Stack) -> Iterator[None]:
    """Ignore the signals of Ctrl-C, of a lost terminal and of `kill`, also in the commands of the stack."""
    print("Undoing what was begun, which can take a minute or two.", file=sys.stderr, flush=True)
    stack.out_of_reach = True
    try:
        with signals.ignored():
            yield
    finally:
        stack.out_of_reach = False


def forget_restore(stack: Stack) -> None:
    """Forget a restore that was undone."""
    restoring(stack.configuration).unlink(missing_ok=True)


def recall(configuration: Configuration) -> Memory:
    """Return what the checkout remembers; nothing if it has not run a board yet. Raises StackError."""
    path = known_board_file(configuration)
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return Memory(str(known["identity"]), {str(name): int(head) for name, head in known["heads"].items()})
    except FileNotFoundError:
        return Memory()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise StackError(f"{path} cannot be read; it records which board ran here. Restore or remove it.") from None


def check_records(configuration: Configuration) -> None:
    """Raise StackError if a record of this checkout cannot be read, without which no restore can be completed."""
    recall(configuration)
    erasures.recall(configuration)


def remember(stack: Stack) -> None:
    """Record the running board, if there is one, and its erasures. Raises StackError."""
    board = find_board(stack)
    if board is None:
        return
    erasures.record(stack, board.identity)
    memory = recall(stack.configuration).with_board(board)
    path = known_board_file(stack.configuration)
    unfinished = path.with_name(f"{path.name}.unfinished")
    text = json.dumps({"identity": memory.identity, "heads": dict(memory.heads)}, indent=1)
    unfinished.write_text(f"{text}\n", encoding="utf-8")
    unfinished.replace(path)


def replaced(stack: Stack) -> str:
    """Return a warning if the running board is not the one that ran here last; otherwise an empty string."""
    memory, board = recall(stack.configuration), find_board(stack)
    if board is None or not memory.identity or board.identity == memory.identity:
        return ""
    return (
        f"This is another board than the one that ran here before, whose newest id was {memory.heads[memory.identity]}."
        " If PostgreSQL's volume was empty or not mounted, a new board begins now. To return to the other one, run make"
        " down and mount its volume, or run make restore."
    )


def known_board_file(configuration: Configuration) -> Path:
    return configuration.file.with_name(".board")


def restoring(configuration: Configuration) -> Path:
    return configuration.file.with_name(".restoring")
