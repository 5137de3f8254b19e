"""The three servers of patroni.yaml, through Patroni's own command in any of their containers.

With one server, none of this does anything.
"""

import json
from dataclasses import dataclass

from deploy.compose import waiting
from deploy.compose.database import in_volume, value
from deploy.compose.errors import StackError
from deploy.compose.servers import ETCD, FIRST, SERVERS, has_three, reachable
from deploy.compose.stack import Stack

SCOPE = "agent-board"
COMPLETE_SECONDS = 600.0
RESTART_SECONDS = 60.0
QUORUM = "synchronous_mode=quorum"
"""Commits wait for whichever follower is faster, instead of for one that Patroni has chosen."""


@dataclass(frozen=True)
class Member:
    """A server as Patroni knows it."""

    name: str
    role: str
    state: str
    needs_restart: bool = False

    @property
    def leads(self) -> bool:
        return self.role == "Leader"

    @property
    def well(self) -> bool:
        """Whether it accepts writes, or is one of those for which commits wait."""
        return (self.role, self.state) in (("Leader", "running"), ("Quorum Standby", "streaming"))


SINGLE = "The settings name three servers of PostgreSQL, but Patroni reports none; make up starts them."


def members(stack: Stack) -> list[Member]:
    """Return the servers that Patroni knows. Raises StackError, also where a single server still runs without it."""
    try:
        said = json.loads(patronictl(stack, "list", "--format", "json"))
    except ValueError:
        raise StackError(SINGLE) from None
    return [Member(each["Member"], each["Role"], each["State"], bool(each.get("Pending restart"))) for each in said]


def patronictl(stack: Stack, *arguments: str) -> str:
    """Run Patroni's command; return its output. Raises StackError."""
    return stack.ask("exec", "-T", reachable(stack), "patronictl", *arguments, seconds=120)


def leader(stack: Stack) -> str:
    """Return the server that is the primary; nothing if there is none. Raises StackError."""
    return next((each.name for each in members(stack) if each.leads), "")


def is_complete(stack: Stack) -> bool:
    """Return whether there is a primary, and commits wait for either of the others."""
    try:
        found = members(stack)
    except StackError:
        return False
    return len(found) == len(SERVERS) and all(each.well for each in found)


def until_complete(stack: Stack) -> None:
    """Wait until the cluster is complete. Raises StackError if time runs out."""
    waiting.until(
        lambda: is_complete(stack), COMPLETE_SECONDS, "The servers of PostgreSQL are not complete; run make doctor."
    )


def serves(stack: Stack) -> bool:
    """Return whether there are three servers, any of which runs under Patroni. Raises StackError."""
    if not has_three(stack.configuration):
        return False
    # Without etcd, it is the server of a stack that had no other.
    well = {each.service for each in stack.containers(*ETCD, *SERVERS) if each.well}
    return not well.isdisjoint(ETCD) and not well.isdisjoint(SERVERS)


def roll(stack: Stack) -> None:
    """Replace each server whose image or settings have changed, one at a time, the primary last. Raises StackError."""
    if not serves(stack):
        return
    last = leader(stack)
    running = {each.service for each in stack.containers(*ETCD, *SERVERS) if each.status == "running"}
    share(stack)
    if missing := [name for name in (*ETCD, *SERVERS) if name not in running]:
        stack.compose("up", "--detach", "--no-build", *missing)
    for name in ETCD:
        stack.compose("up", "--detach", "--no-build", "--wait", name)
    for name in sorted(SERVERS, key=lambda each: each == last):
        until_complete(stack)
        stack.compose("up", "--detach", "--no-build", "--wait", name)
    until_complete(stack)


def share(stack: Stack) -> None:
    """Give Patroni the settings that all servers share; it applies them within seconds. Raises StackError."""
    connections = f"postgresql.parameters.max_connections={stack.configuration['POSTGRES_MAX_CONNECTIONS']}"
    patronictl(stack, "edit-config", "--force", "--quiet", "--set", QUORUM, "--set", connections)


def configure(stack: Stack) -> None:
    """Put the settings in force that all servers share, and restart those that need it. Raises StackError."""
    if not serves(stack):
        return
    share(stack)
    if value(stack, "SHOW max_connections") != stack.configuration["POSTGRES_MAX_CONNECTIONS"]:
        waiting.until(
            lambda: all(each.needs_restart for each in members(stack)),
            RESTART_SECONDS,
            "Patroni does not apply POSTGRES_MAX_CONNECTIONS; run make up again.",
        )
    # The primary last, whose followers must accept as many connections.
    for each in sorted(members(stack), key=lambda each: each.leads):
        if each.needs_restart:
            patronictl(stack, "restart", SCOPE, each.name, "--force")
            until_complete(stack)


def lead(stack: Stack) -> None:
    """Let the first server be the primary: restores put their data in its place. Raises StackError."""
    if serves(stack) and (last := leader(stack)) not in ("", FIRST):
        print(f"Making {FIRST} the primary; writes wait for some seconds", flush=True)
        patronictl(stack, "switchover", SCOPE, "--leader", last, "--candidate", FIRST, "--force")
        until_complete(stack)


def forget(stack: Stack) -> None:
    """Remove what etcd knows of servers that have stopped, because they get other data. Raises StackError."""
    if has_three(stack.configuration):
        stack.compose("up", "--detach", "--no-build", "--wait", *ETCD)
        stack.ask("exec", "-T", ETCD[0], "etcdctl", "del", "--prefix", f"/service/{SCOPE}/")


def copy(stack: Stack) -> None:
    """Let the servers that do not run begin again with a copy of the first one. Raises StackError."""
    if not has_three(stack.configuration):
        return
    running = {each.service for each in stack.containers(*SERVERS) if each.status == "running"}
    for name in SERVERS:
        if name not in (FIRST, *running):
            in_volume(stack, 'rm -rf "$PGDATA"', server=name)
            stack.compose("up", "--detach", "--no-build", name)


def check(stack: Stack) -> None:
    """Raise StackError unless one server is the primary, and commits wait for either of the others."""
    if not has_three(stack.configuration):
        return
    found = {each.name: each for each in members(stack)}
    if wrong := [name for name in SERVERS if name not in found or not found[name].well]:
        states = ", ".join(f"{name} is {found[name].state if name in found else 'away'}" for name in wrong)
        raise StackError(
            f"Of the three servers of PostgreSQL, {states}. Without two of them, writes wait. `docker compose exec "
            f"{reachable(stack)} patronictl list` shows their states."
        )
