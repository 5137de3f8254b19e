"""`make upgrade`, and `./board upgrade VERSION`, which first exchanges the files here for those of another release.

A file that the operator has changed is kept unless the release changes it, too; then nothing happens until the two are
merged. Everything is checked before the first file is exchanged.
"""

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deploy.compose import downloads, images, lineage, release, rolling, signals
from deploy.compose.database import DATABASE, integer
from deploy.compose.downloads import File
from deploy.compose.errors import StackError
from deploy.compose.release import BUILT, RECORD, Release
from deploy.compose.stack import Stack

APPLIED = "SELECT max(split_part(version, '_', 1)::int) FROM aerich WHERE app = 'board'"
FORMER: Final = "release.json.before"
"""The file with the version from which an upgrade or a way back comes, until it ends."""


def upgrade(stack: Stack, wanted: str) -> str:
    """Migrate and roll to the release here, or first get the files of the wanted one: a version, or its archive.

    Raises StackError.
    """
    now = release.here()
    if not wanted:
        outcome = rolling.roll(stack) if now and returns(now) else rolling.upgrade(stack)
        (release.ROOT / FORMER).unlink(missing_ok=True)
        return outcome
    if now is None:
        raise StackError(f"This is a checkout: check out v{wanted} with git, and run make upgrade without VERSION.")
    stack.check_engine()
    files = downloads.fetch(stack.configuration, now, wanted)
    following = release.parsed(files[RECORD].content)
    check(stack, now, following)
    chosen = choose(release.ROOT, now, following, files)
    images.fetch(stack, {service: following.images[name] for service, name in BUILT.items()})
    exchange(release.ROOT, now, following, chosen)
    print(f"The files are those of {following.version}.", flush=True)
    former = came_from(following)
    hand_over(former, following)
    (release.ROOT / FORMER).unlink(missing_ok=True)
    said = [f"{following.version} runs."]
    if numbers(following.version) > numbers(former):
        said.append(f"./board upgrade {former} leads back as long as no later release ran here.")
    if copies := kept(release.ROOT, following):
        said.append(f"Your files from before the merge are {', '.join(copies)}.")
    return " ".join(said)


def check(stack: Stack, now: Release, following: Release) -> None:
    """Raise StackError if .env would hide the images of the other release, or if it cannot serve the schema."""
    named = [name for name in BUILT.values() if name in stack.configuration.in_file()]
    if named:
        raise StackError(f"{' and '.join(named)} in {stack.configuration.file} would hide the images of the release; "
                         "remove the lines. Nothing was changed.")  # fmt: skip
    if numbers(following.version) < numbers(now.version):
        check_way_back(stack, now, following)
    elif following.before not in ("", now.version) and following.version != now.version:
        print(f"{following.version} follows {following.before}, not {now.version}: calls may fail until all processes "
              "are replaced.", flush=True)  # fmt: skip


def check_way_back(stack: Stack, now: Release, former: Release) -> None:
    """Raise StackError unless the former release is the one before this, and no later one has migrated the database."""
    applied = integer(stack, APPLIED, f"--dbname={DATABASE}") if stack.runs("postgresql") else 0
    if former.version != now.before or applied > int(now.migration.split("_")[0]):
        raise StackError(
            f"{former.version} cannot serve this database: each schema serves only its own release and the one before. "
            "Nothing was changed. A backup or an export of that time leads back to it."
        )


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def choose(root: Path, now: Release, following: Release, files: Mapping[str, File]) -> dict[str, File | None]:
    """Return each file to exchange, None for one to remove. Raises StackError if both sides have changed a file."""
    chosen: dict[str, File | None] = {}
    conflicts = []
    for path in sorted(now.files.keys() | following.files.keys()):
        there, former, other = digest(root / path), now.files.get(path), following.files.get(path)
        merged = merging(root, following) / path
        if there == other or (there != former and other in (former, None)):
            continue
        if there == former:
            chosen[path] = files.get(path)
        elif digest(merged) not in (None, other):
            chosen[path] = File(merged.read_bytes(), files[path].mode)
        else:
            conflicts.append(path)
    if conflicts:
        raise StackError(conflict(root, following, files, conflicts))
    return chosen


def conflict(root: Path, following: Release, files: Mapping[str, File], paths: list[str]) -> str:
    """Write the release's files that the operator has changed, too, into a folder; return what to do with them."""
    folder = merging(root, following)
    for path in paths:
        write(folder / path, files[path])
    return (
        f"You have changed {', '.join(paths)}, and so has {following.version}. Nothing was changed. Merge your changes "
        f"into the release's files in {folder}, and run the command again. To drop yours, copy the release's over them."
    )


def merging(root: Path, following: Release) -> Path:
    return root / f"merge-{following.version}"


def exchange(root: Path, now: Release, following: Release, chosen: Mapping[str, File | None]) -> None:
    """Exchange the chosen files, and last the record: an interruption finds all of them exchanged, or none.

    A changed file is kept next to the merged one.
    """
    written = {root / path: file for path, file in chosen.items() if file}
    for target, file in written.items():
        former = now.files.get(str(target.relative_to(root)))
        # A merged file may be there already, if an exchange was interrupted.
        if digest(target) not in (None, former, downloads.sha256(file.content)):
            keep(target, following.version)
    if now.version != following.version:
        written[root / FORMER] = File(now.version.encode(), 0o644)
    for target, file in {**written, root / RECORD: File(downloads.record(following), 0o644)}.items():
        prepare(target, file)
    # Half of the files of one release do not start with half of those of another.
    with signals.ignored():
        for target in written:
            unfinished(target).replace(target)
        for path in chosen:
            if chosen[path] is None:
                (root / path).unlink(missing_ok=True)
        unfinished(root / RECORD).replace(root / RECORD)
    shutil.rmtree(merging(root, following), ignore_errors=True)


def keep(target: Path, version: str) -> None:
    """Copy a file of the operator next to its place, without replacing an earlier copy."""
    suffixes = itertools.chain([""], (f".{number}" for number in itertools.count(2)))
    copies = (target.with_name(f"{target.name}.before-{version}{suffix}") for suffix in suffixes)
    copy = next(each for each in copies if digest(each) in (None, digest(target)))
    if not copy.exists():
        shutil.copy2(target, copy)


def kept(root: Path, following: Release) -> list[str]:
    """Return the paths of the operator's own files that an exchange has kept next to the merged ones."""
    names = [(root / path).parent.glob(f"{Path(path).name}.before-{following.version}*") for path in following.files]
    return sorted(str(copy.relative_to(root)) for copies in names for copy in copies)


def write(target: Path, file: File) -> None:
    """Write a file so that nothing ever sees a part of it."""
    prepare(target, file)
    unfinished(target).replace(target)


def prepare(target: Path, file: File) -> None:
    """Write a file next to its place, so that only its name is missing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished(target).write_bytes(file.content)
    unfinished(target).chmod(file.mode)


def unfinished(target: Path) -> Path:
    return target.with_name(f"{target.name}.unfinished")


def digest(path: Path) -> str | None:
    """Return the SHA-256 of a file; None if there is none."""
    try:
        return downloads.sha256(path.read_bytes())
    except FileNotFoundError:
        return None


def came_from(here: Release) -> str:
    """Return the version from which an upgrade or a way back has not ended; that of the release here if none."""
    try:
        former = (release.ROOT / FORMER).read_text(encoding="utf-8")
    except FileNotFoundError:
        return here.version
    # A power cut can leave an empty file.
    return former if re.fullmatch(release.VERSION, former) else here.version


def returns(here: Release) -> bool:
    """Return whether a way back has not ended, so that processes of a later release may run."""
    return numbers(came_from(here)) > numbers(here.version)


def hand_over(former: str, following: Release) -> None:
    """Let the commands of the other release migrate and roll. Raises StackError."""
    # On the way back, the processes that still run need the functions of their own release.
    name = "roll" if returns(following) else "upgrade"
    command = [sys.executable, str(release.ROOT / "board"), name]
    with lineage.interrupted(f"./board upgrade {following.version} goes on, and ./board upgrade {former} leads back."):
        code = run(command)
    if code != 0:
        raise StackError(
            f"The files are those of {following.version}, but ./board {name} failed; the message is above. "
            f"./board upgrade {following.version} tries again, and ./board upgrade {former} leads back."
        )


def run(command: list[str]) -> int:
    """Run a command to its end, and return its exit code.

    An interruption reaches it once, as from the terminal. It cleans up then, for as long as that takes.
    """
    interruption = None
    # In a session of its own, because the terminal would interrupt its clean-up at the same time.
    with subprocess.Popen(command, start_new_session=True) as process:
        while process.returncode is None:
            try:
                process.wait()
            except KeyboardInterrupt as error:
                interruption = error
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGINT)
    if interruption and process.returncode != 0:
        raise interruption
    return process.returncode
