"""Whether the first server has the newest data when a stack goes from one server of PostgreSQL to three, or back.

PostgreSQL records next to its data how it was started last, alone or under Patroni, and how it stopped.
"""

from deploy.compose.cluster import SCOPE, serves
from deploy.compose.database import beside_data
from deploy.compose.errors import StackError
from deploy.compose.servers import ETCD, FIRST, SERVERS, has_three
from deploy.compose.stack import Stack

LOOK = f"""cd "$PGDATA" 2>/dev/null && [ -e postmaster.opts ] || exit 0
if grep -q cluster_name={SCOPE} postmaster.opts; then echo under Patroni; else echo alone; fi
LC_ALL=C pg_controldata -D . | sed -n 's/^Database cluster state: *//p'
"""
HAS_DATA = 'if [ -e "$PGDATA/PG_VERSION" ]; then echo yes; fi'


def check(stack: Stack) -> None:
    """Raise StackError if the servers that the settings choose would go on with data that are not the newest."""
    if not stack.runs(FIRST) or serves(stack):
        return
    ran, _, state = beside_data(stack, LOOK).strip().partition("\n")
    if has_three(stack.configuration):
        if ran == "alone" and any(beside_data(stack, HAS_DATA, each).strip() for each in SERVERS[1:]):
            raise StackError(older(stack))
    elif ran == "under Patroni" and state != "shut down":
        raise StackError(
            "The first of the three servers has not stopped as their primary, so it may lack the newest posts. Add "
            "patroni.yaml to COMPOSE_FILE again, run make up, let the first server be the primary, and run make down. "
            "Remove patroni.yaml only then."
        )


def older(stack: Stack) -> str:
    """Return why the other servers must begin again, and how."""
    volumes = " ".join(f"{stack.project}_{each}" for each in (*SERVERS[1:], *ETCD))
    return (
        "The first server has run alone, and the two others still have older data, with which they could take its "
        f"place. Remove their data: run make down and `docker volume rm {volumes}`. Empty POSTGRES_VOLUME_2 and "
        "POSTGRES_VOLUME_3 instead if they are paths. Then run make up, which copies the first server."
    )
