#!/bin/sh
# Restores both databases of Temporal from a folder that backup.sh has made. Stop Belay and Temporal first. Databases that are there are left alone:
# name others, and start Temporal with those names. Records are not restored, since they know what has happened since the backup.
# Usage: restore.sh FOLDER. Environment: PGHOST, PGPORT, PGUSER, PGPASSWORD; DBNAME (temporal) and VISIBILITY_DBNAME (temporal_visibility).
set -eu

from=${1:?name the folder of the backup}
dbname=${DBNAME:-temporal}
visibility=${VISIBILITY_DBNAME:-temporal_visibility}

refuse() { echo "restore: $*" >&2; exit 1; }
for name in "$dbname" "$visibility"; do
  case "$name" in
    *[!a-z0-9_]* | '' | [0-9]*) refuse "\"$name\" is no name for a database here: use a to z, 0 to 9 and _" ;;
  esac
done
[ "$dbname" != "$visibility" ] || refuse "DBNAME and VISIBILITY_DBNAME are both $dbname: name two databases"
[ -r "$from/SHA256SUMS" ] || refuse "$from is no backup: SHA256SUMS is missing"
(cd "$from" && sha256sum --check --quiet --strict SHA256SUMS) || refuse "$from is not as backup.sh left it"

ask() { psql --no-psqlrc -qAt --set ON_ERROR_STOP=1 "$@"; }
for name in "$dbname" "$visibility"; do
  [ -z "$(ask -d postgres -c "select 1 from pg_database where datname = '$name'")" ] ||
    refuse "database $name is there already and is left alone; set DBNAME and VISIBILITY_DBNAME to new names, and start Temporal with them"
done

one() {
  createdb "$1"
  pg_restore --exit-on-error --no-owner --no-privileges --dbname "$1" "$from/$2"
  # Temporal looks for its schema under the name of the database, and refuses to start under another:
  # https://github.com/temporalio/temporal/blob/v1.31.2/common/persistence/sql/sqlplugin/postgresql/admin.go
  ask -d "$1" -c "update schema_version set db_name = '$1'"
}
one "$dbname" temporal.dump
one "$visibility" temporal_visibility.dump

cat "$from/backup.txt"
cat <<NEXT
restored: $dbname, $visibility
Next: start Temporal with DBNAME=$dbname VISIBILITY_DBNAME=$visibility, then
  export BELAY_AFTER_RESTORE=$(date -u +%Y-%m-%dT%H:%M:%SZ)
for the worker, start Belay, and run: belay doctor --after-restore
NEXT
