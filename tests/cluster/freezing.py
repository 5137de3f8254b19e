"""Stops PostgreSQL without ending it, as a hung disk or a hung machine does.

The script needs `sh` and `grep`, which every image of PostgreSQL has. It runs where PGDATA names the data directory, as
it does in the pods of CloudNativePG.
"""

from typing import Final

# SIGSTOP for the postmaster first, so that it replaces none of the processes that follow.
FREEZE: Final = r"""
set -eu
postmaster=$(head -n 1 "$PGDATA/postmaster.pid")
kill -STOP "$postmaster"
for status in $(grep -l -x "PPid:[[:space:]]*$postmaster" /proc/[0-9]*/status 2>/dev/null); do
    process=${status#/proc/}
    kill -STOP "${process%/status}"
done
"""
