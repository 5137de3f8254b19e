"""The files of Compose that COMPOSE_FILE names: refused before anything is written if Compose could not read them."""

import difflib
from typing import Final

from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError

BASE: Final = "compose.yaml"
DRILL: Final = "drill.yaml"
ONE: Final = "compose.one.yaml"
"""The board in one container, which belongs to no stack."""
DROPPED: Final = {
    "standby.yaml": """\
COMPOSE_FILE names standby.yaml, which this release does not have. Nothing was changed. patroni.yaml takes its place:
three servers, one of which replaces a lost primary by itself (README.md, "Three servers of PostgreSQL").

1. In {file}, remove standby.yaml from COMPOSE_FILE, and remove STANDBY_VOLUME and STANDBY_SYNCHRONOUS. Leave
   POSTGRES_VOLUME as it is: after a fail-over, the board's data are in the volume that it names.
2. In deploy/compose, let no write wait for the standby, remove its container, and drop its slot, for which PostgreSQL
   keeps up to 4 GB:
     docker compose exec postgresql psql -U postgres \\
       -c "ALTER SYSTEM RESET synchronous_standby_names" -c "SELECT pg_reload_conf()"
     docker rm --force {project}-standby-1
     docker compose exec postgresql psql -U postgres -c "SELECT pg_drop_replication_slot('standby')"
3. Run the command again.
   The standby's copy of the data stays in {place}. When the board runs well, {remove}.
4. To go to three servers, run make backup, add patroni.yaml to COMPOSE_FILE, and run make up.""",
}
"""Files that a release dropped, each with its successor and the steps that end what stays behind."""


def check(configuration: Configuration) -> None:
    """Raise StackError if COMPOSE_FILE names a file that this release does not have, or not compose.yaml first."""
    names = configuration["COMPOSE_FILE"].split(":")
    for name in names:
        path = DIRECTORY / name
        if path.parent == DIRECTORY and path.name in DROPPED:
            raise StackError(dropped(configuration, path.name))
        if path == DIRECTORY / DRILL:
            raise StackError(f"COMPOSE_FILE names {DRILL}, which only make drill uses; remove it.")
        if path == DIRECTORY / ONE:
            raise StackError(f"COMPOSE_FILE names {ONE}, which is a board of its own; remove it.")
        if not name or not path.is_file():
            raise StackError(unknown(configuration, name))
    if DIRECTORY / names[0] != DIRECTORY / BASE:
        raise StackError(f"COMPOSE_FILE must begin with {BASE}, as in COMPOSE_FILE={BASE}:patroni.yaml.")


def dropped(configuration: Configuration, name: str) -> str:
    """Return what to do about a file that a release dropped."""
    project = configuration["COMPOSE_PROJECT_NAME"] or "agent-board"
    place = configuration["STANDBY_VOLUME"] or "standby"
    if place == configuration["POSTGRES_VOLUME"]:
        # A fail-over has exchanged the two, and the settings do not name the other one any more.
        place = "postgresql"
    is_path = "/" in place
    return DROPPED[name].format(
        file=configuration.file,
        project=project,
        place=place if is_path else f"the volume {project}_{place}",
        remove="empty that folder" if is_path else f"remove it: docker volume rm {project}_{place}",
    )


def unknown(configuration: Configuration, name: str) -> str:
    """Return a sentence about a name that is no file, with the files that there are."""
    there = sorted({path.name for path in DIRECTORY.glob("*.yaml")} - {DRILL, ONE})
    nearest = difflib.get_close_matches(name, there, n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(there)}."
    what = f"{name}, and there is no such file in {DIRECTORY}" if name else "an empty name"
    return f"COMPOSE_FILE in {configuration.file} names {what}. Colons separate the names; {hint}"
