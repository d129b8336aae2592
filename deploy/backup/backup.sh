#!/bin/sh
# Backs up what a Belay needs to start again, into a new folder of BACKUPS: both databases of Temporal, the records, belay.yaml, and a note of
# which keys encrypt what is in them. Never the keys: without them the backup is noise, so keep them where you keep passwords.
# Environment: PGHOST, PGPORT, PGUSER, PGPASSWORD as psql reads them; DBNAME (temporal) and VISIBILITY_DBNAME (temporal_visibility); BACKUPS, a
# folder; RECORDS, the folder of records.directory, left out where records are in a bucket; BELAY_YAML; BELAY_CODEC_KEYS, of which only ids are noted.
set -eu
umask 077

: "${BACKUPS:?name the folder for backups}"
: "${BELAY_YAML:?name the path of belay.yaml}"
dbname=${DBNAME:-temporal}
visibility=${VISIBILITY_DBNAME:-temporal_visibility}

refuse() { echo "backup: $*" >&2; exit 1; }
[ -r "$BELAY_YAML" ] || refuse "BELAY_YAML: $BELAY_YAML cannot be read"
[ -z "${RECORDS:-}" ] || [ -r "$RECORDS/." ] || refuse "RECORDS: $RECORDS is no folder that can be read; leave it out where records are in a bucket"

name="belay-$(date -u +%Y%m%dT%H%M%SZ)"
[ ! -e "$BACKUPS/$name" ] || refuse "$BACKUPS/$name is there already"
partial="$BACKUPS/.$name.partial"
mkdir -p "$partial"
work=$(mktemp -d)
# Whoever finds a folder without the dot finds a whole backup.
trap 'exec 3>&- 4>&- || true; rm -rf "$work" "$partial"' EXIT
trap 'exit 1' HUP INT TERM

# A snapshot lives as long as the session that made it: https://www.postgresql.org/docs/16/functions-admin.html#FUNCTIONS-SNAPSHOT-SYNCHRONIZATION
# Visibility second, within milliseconds: what it has too much, doctor --after-restore names; what it lacked, nobody would add.
mkfifo "$work/main" "$work/visibility"
psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 --dbname "$dbname" <"$work/main" >"$work/main.id" &
exec 3>"$work/main"
psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 --dbname "$visibility" <"$work/visibility" >"$work/visibility.id" &
exec 4>"$work/visibility"
snapshot='begin isolation level repeatable read read only; select pg_export_snapshot();'
echo "$snapshot" >&3 || refuse "database $dbname cannot be read"
tries=0
await() {
  until [ -s "$work/$1.id" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || refuse "database $2 gave no snapshot within 30 s"
    sleep 0.1
  done
}
await main "$dbname"
echo "$snapshot" >&4 || refuse "database $visibility cannot be read"
await visibility "$visibility"
taken=$(date -u +%Y-%m-%dT%H:%M:%SZ)

pg_dump --format=custom --snapshot="$(cat "$work/main.id")" --file="$partial/temporal.dump" "$dbname"
pg_dump --format=custom --snapshot="$(cat "$work/visibility.id")" --file="$partial/temporal_visibility.dump" "$visibility"
exec 3>&- 4>&-
wait

# After the databases: records must never be older than what Temporal knows. Without the folder itself, whose owner and mode a volume's user may not
# set, and what the file system keeps there. 1: a file grew while it was read (https://www.gnu.org/software/tar/manual/html_section/Synopsis.html).
[ -z "${RECORDS:-}" ] ||
  (cd "$RECORDS" && find . -mindepth 1 -maxdepth 1 ! -name lost+found -print0) |
  tar -czf "$partial/records.tar.gz" -C "$RECORDS" --null --files-from - || [ $? -eq 1 ]
cp "$BELAY_YAML" "$partial/belay.yaml"

# The ids alone; an entry without a colon may be a key, and is not shown.
key_ids=$(printf '%s' "${BELAY_CODEC_KEYS:-}" | tr ',' '\n' | sed -n 's/^ *\([A-Za-z0-9._-]\{1,64\}\):.*$/\1/p' | paste -sd, -)
{
  echo "taken: $taken"
  echo "database: $dbname"
  echo "visibility: $visibility"
  echo "schema: $(psql --no-psqlrc -qAt -d "$dbname" -c 'select curr_version from schema_version') / $(psql --no-psqlrc -qAt -d "$visibility" -c 'select curr_version from schema_version')"
  echo "codec keys: ${key_ids:-none}"
  echo "records: $([ -n "${RECORDS:-}" ] && echo records.tar.gz || echo 'not here')"
} >"$partial/backup.txt"
(cd "$partial" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
mv "$partial" "$BACKUPS/$name"
echo "$BACKUPS/$name"
