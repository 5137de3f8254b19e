#!/bin/bash
# Does what the official image's entry point does with what compose.yaml gives it: POSTGRES_PASSWORD_FILE,
# POSTGRES_INITDB_ARGS, PGDATA and /docker-entrypoint-initdb.d; any user by number.
set -euo pipefail

if ! getent passwd "$(id -u)" >/dev/null; then
    printf 'postgres:x:%s:%s::/var/lib/postgresql:/bin/false\n' "$(id -u)" "$(id -g)" >/tmp/passwd
    printf 'postgres:x:%s:\n' "$(id -g)" >/tmp/group
    LD_PRELOAD=$(find /usr/lib -name libnss_wrapper.so -print -quit)
    export LD_PRELOAD NSS_WRAPPER_PASSWD=/tmp/passwd NSS_WRAPPER_GROUP=/tmp/group
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p -m 700 "$PGDATA"
    # shellcheck disable=SC2086 # several arguments in one variable, as in the official image
    initdb --pgdata="$PGDATA" --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" ${POSTGRES_INITDB_ARGS:-}
    printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
    pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses='' -k /var/run/postgresql" --wait start
    for file in /docker-entrypoint-initdb.d/*.sql; do
        psql -v ON_ERROR_STOP=1 --host=/var/run/postgresql --username=postgres --dbname=postgres --no-psqlrc -f "$file"
    done
    pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
fi

unset LD_PRELOAD
exec "$@" -k /var/run/postgresql -c listen_addresses='*'
