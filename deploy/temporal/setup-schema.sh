#!/bin/sh
# Creates Temporal's two databases and brings their schemas up to date. Runs at every start; does nothing where nothing is to do.
# Environment: POSTGRES_SEEDS, DB_PORT, POSTGRES_USER, SQL_PASSWORD; DBNAME (temporal) and VISIBILITY_DBNAME (temporal_visibility).
set -eu

# The schemas that the tool brings itself, so that tool and schema are of one version.
prepare() {
  sql="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_SEEDS -p $DB_PORT -u $POSTGRES_USER --db $1"
  $sql create
  $sql setup-schema -v 0.0
  $sql update-schema --schema-name "postgresql/v12/$2"
}

prepare "${DBNAME:-temporal}" temporal
prepare "${VISIBILITY_DBNAME:-temporal_visibility}" visibility
