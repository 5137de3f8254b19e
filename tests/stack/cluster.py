"""A stack of patroni.yaml under test: what Patroni reports, and the damage to its containers."""

import json
import time
from collections.abc import Callable

from deploy.compose.cluster import Member, is_complete
from deploy.compose.errors import StackError
from deploy.compose.servers import ETCD, SERVERS, reachable
from deploy.compose.stack import Container
from tests.stack.following import Witness
from tests.stack.make import Board

SECONDS = 120
NETWORKS = ("data", "consensus")
ATTACHED = "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}"
PSQL = ("psql", "--username=postgres", "--no-align", "--tuples-only", "--no-psqlrc")


class Cluster(Board):
    """A board whose database are three servers, with an etcd of three members. A `witness` may follow its log."""

    witness: Witness

    def sql(self, statement: str, database: str = "agent_board") -> str:
        return self.inside(reachable(self.stack), *PSQL, f"--dbname={database}", f"--command={statement}").strip()

    def container(self, service: str) -> Container:
        [container] = self.containers(service)
        return container

    def kill(self, *services: str) -> None:  # type: ignore[override] # as in a crash after which nothing starts it again
        self.stack.docker("kill", *(self.container(each).id for each in services))

    def crash(self, service: str) -> None:
        """Kill the PostgreSQL of a server, but not Patroni."""
        self.inside(service, "bash", "-c", 'kill -9 "$(head -n 1 "$PGDATA/postmaster.pid")"')

    def found(self, statement: str) -> str:
        """Return the result of a statement; nothing while no primary answers."""
        try:
            return self.sql(statement)
        except StackError:
            return ""

    def disconnect(self, server: str) -> None:
        """Take the network away from a server."""
        for name in NETWORKS:
            self.stack.docker("network", "disconnect", self.network(name), self.container(server).id)

    def freeze(self, server: str) -> None:
        self.stack.docker("pause", self.container(server).id)

    def lose_disk(self, server: str) -> None:
        """Kill a server, remove its data, and start it again at once, while etcd still names it."""
        self.kill(server)
        empty = ("--entrypoint", "find", server, "/var/lib/postgresql", "-mindepth", "1", "-delete")
        self.stack.ask("run", "--rm", "--no-deps", "-T", *empty)
        self.start(server)

    def start(self, *services: str) -> None:
        self.stack.docker("start", *(self.container(each).id for each in services))

    def mend(self, *servers: str) -> None:
        """Undo the damage to servers, by default all, and to the members of etcd."""
        servers = servers or SERVERS
        for server in servers:
            attached = self.stack.docker("inspect", f"--format={ATTACHED}", self.container(server).id).split()
            for name in {*map(self.network, NETWORKS)}.difference(attached):
                self.stack.docker("network", "connect", "--alias", server, name, self.container(server).id)
        for container in self.containers(*servers, *ETCD):
            if container.status == "paused":
                self.stack.docker("unpause", container.id)
        self.start(*servers, *ETCD)

    def fail_over(self, than: str, server: str) -> None:
        """Promote a server when the primary is gone. Patroni itself promotes none that was away for long."""
        until(lambda: self.has_no_leader(server) or self.leader(server) != than)
        if self.has_no_leader(server):
            self.inside(server, "patronictl", "failover", "--candidate", server, "--force")
        self.until_led_by_another(than, server)

    def network(self, name: str) -> str:
        return f"{self.stack.project}_{name}"

    def members(self, seen_by: str) -> dict[str, Member]:
        """Return what one of the servers reports of all."""
        said = json.loads(self.inside(seen_by, "patronictl", "list", "--format", "json"))
        return {each["Member"]: Member(each["Member"], each["Role"], each["State"]) for each in said}

    def leader(self, seen_by: str = "") -> str:
        """Return the primary, as one of the servers reports it; nothing if there is none."""
        found = self.members(seen_by or reachable(self.stack))
        return next((each.name for each in found.values() if each.leads), "")

    def has_no_leader(self, seen_by: str) -> bool:
        """Return whether no server is the primary, as one of them reports it."""
        try:
            return not self.leader(seen_by)
        except StackError:
            return False

    def others(self) -> tuple[str, str, str]:
        """Return the primary and the two others."""
        lead = self.leader()
        second, third = (each for each in SERVERS if each != lead)
        return lead, second, third

    def switch_to(self, server: str) -> None:
        """Let a server take the place of the primary, as planned, unless it is the primary."""
        if (lead := self.leader()) != server:
            self.inside(server, "patronictl", "switchover", "--leader", lead, "--candidate", server, "--force")
            until(lambda: self.leader() == server)

    def until_led_by_another(self, than: str, seen_by: str) -> str:
        """Wait for a new primary, and return it."""
        until(lambda: self.leader(seen_by) not in ("", than))
        return self.leader(seen_by)

    def until_complete(self, seconds: float = SECONDS) -> None:
        """Wait until commits wait for either of the servers that follow the primary."""
        try:
            until(lambda: is_complete(self.stack), seconds)
        except AssertionError:
            raise AssertionError(self.members(reachable(self.stack))) from None

    def etcd_leader(self) -> str:
        """Return the member of etcd that leads the others."""
        for name in ETCD:
            [found] = json.loads(self.inside(name, "etcdctl", "endpoint", "status", "--write-out=json"))
            if found["Status"]["leader"] == found["Status"]["header"]["member_id"]:
                return name
        raise AssertionError("etcd has no leader")


def until(done: Callable[[], bool], seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.3)
