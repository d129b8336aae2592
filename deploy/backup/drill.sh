#!/bin/sh
# The monthly drill: restores a backup into a PostgreSQL that is made for it, starts a Temporal server on that, and has the doctor look. Nothing of
# production is touched, and no worker is started: what Temporal would go on with stays where it is.
# Usage: drill.sh FOLDER. Environment: POSTGRESQL_BIN, the folder of initdb and postgres (default: the newest of Debian); TEMPORAL_SERVER
# (temporal-server); BELAY (belay); BELAY_CONFIG and BELAY_CODEC_KEYS as for every command; DRILL_POSTGRESQL_PORT and DRILL_TEMPORAL_PORT, the
# first of twelve. Under root PostgreSQL runs as user postgres.
set -eu

from=$(cd "${1:?name the folder of the backup}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
bin=${POSTGRESQL_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
server=${TEMPORAL_SERVER:-temporal-server}

refuse() { echo "drill: $*" >&2; exit 1; }
[ -x "$bin/initdb" ] || refuse "POSTGRESQL_BIN: no initdb in \"$bin\"; install the package postgresql"
command -v "$server" >/dev/null || refuse "TEMPORAL_SERVER: $server is not there"

scratch=$(mktemp -d)
temporal_pid='' postgres_pid=''
end() {
  [ -z "$temporal_pid" ] || { kill "$temporal_pid" 2>/dev/null && wait "$temporal_pid" 2>/dev/null; } || true
  # Fast shutdown: https://www.postgresql.org/docs/16/server-shutdown.html
  [ -z "$postgres_pid" ] || { kill -INT "$postgres_pid" 2>/dev/null && wait "$postgres_pid" 2>/dev/null; } || true
  rm -rf "$scratch"
}
trap end EXIT
trap 'exit 1' HUP INT TERM

as=''
PGHOST=127.0.0.1 PGPORT=${DRILL_POSTGRESQL_PORT:-15432} PGUSER=drill
PGPASSWORD=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export PGHOST PGPORT PGUSER PGPASSWORD
printf '%s\n' "$PGPASSWORD" >"$scratch/password"
if [ "$(id -u)" = 0 ]; then
  as='setpriv --reuid=postgres --regid=postgres --clear-groups'
  chown -R postgres "$scratch"
fi
# shellcheck disable=SC2086 # several words, or none
(cd / && $as "$bin/initdb" -D "$scratch/data" -U "$PGUSER" --pwfile="$scratch/password" --auth=scram-sha-256 --encoding=UTF8 --no-sync) >"$scratch/initdb.log"
# shellcheck disable=SC2086
(cd / && exec $as "$bin/postgres" -D "$scratch/data" -c listen_addresses=127.0.0.1 -c "port=$PGPORT" -c unix_socket_directories=) >"$scratch/postgresql.log" 2>&1 &
postgres_pid=$!

tries=0
until psql --no-psqlrc -d postgres -c 'select 1' >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || refuse "PostgreSQL was not ready within 60 s: $(tail -n 5 "$scratch/postgresql.log")"
  sleep 1
done
DBNAME=temporal_drill VISIBILITY_DBNAME=temporal_visibility_drill sh "$here/restore.sh" "$from" >"$scratch/restored.txt"
sed -n '/^taken:/,/^records:/p' "$scratch/restored.txt"

base=${DRILL_TEMPORAL_PORT:-17233}
port() { echo $((base + $1)); }
DB=postgres12 DB_PORT=$PGPORT POSTGRES_SEEDS=127.0.0.1 POSTGRES_USER=$PGUSER POSTGRES_PWD=$PGPASSWORD \
  DBNAME=temporal_drill VISIBILITY_DBNAME=temporal_visibility_drill NUM_HISTORY_SHARDS=${NUM_HISTORY_SHARDS:-4} \
  BIND_ON_IP=127.0.0.1 TEMPORAL_ALLOW_NO_AUTH=true LOG_LEVEL=warn DYNAMIC_CONFIG_FILE_PATH="$here/../temporal/dynamic-config.yaml" \
  FRONTEND_GRPC_PORT=$base FRONTEND_MEMBERSHIP_PORT=$(port 1) FRONTEND_HTTP_PORT=$(port 2) HISTORY_GRPC_PORT=$(port 3) \
  HISTORY_MEMBERSHIP_PORT=$(port 4) MATCHING_GRPC_PORT=$(port 5) MATCHING_MEMBERSHIP_PORT=$(port 6) WORKER_GRPC_PORT=$(port 7) \
  WORKER_MEMBERSHIP_PORT=$(port 8) INTERNAL_FRONTEND_GRPC_PORT=$(port 9) INTERNAL_FRONTEND_MEMBERSHIP_PORT=$(port 10) \
  INTERNAL_FRONTEND_HTTP_PORT=$(port 11) "$server" start >"$scratch/temporal.log" 2>&1 &
temporal_pid=$!

# The scratch server asks for no credentials, and is to be told none.
export TEMPORAL_ADDRESS="127.0.0.1:$base"
unset TEMPORAL_API_KEY TEMPORAL_API_KEY_FILE TEMPORAL_TLS TEMPORAL_TLS_CLIENT_CERT_PATH TEMPORAL_TLS_CLIENT_KEY_PATH \
  TEMPORAL_TLS_SERVER_CA_CERT_PATH TEMPORAL_TLS_SERVER_NAME
# 0: nothing differs; 2: it names what does, since the records are newer than the backup. Anything else: it could not look.
tries=0
while :; do
  code=0
  ${BELAY:-belay} doctor --after-restore >"$scratch/doctor.txt" 2>&1 || code=$?
  case $code in 0 | 2) break ;; esac
  kill -0 "$temporal_pid" 2>/dev/null || refuse "the server ended: $(tail -n 5 "$scratch/temporal.log")"
  tries=$((tries + 1))
  [ "$tries" -lt 10 ] || refuse "the doctor could not look (exit code $code): $(cat "$scratch/doctor.txt")"
  sleep 2
done
cat "$scratch/doctor.txt"
echo "drill: $from can be restored"
