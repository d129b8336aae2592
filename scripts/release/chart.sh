#!/usr/bin/env bash
# `chart.sh VERSION IMAGE`: pushes the chart as an OCI artefact and signs it. Docker's and Helm's logins are one: helm.sh/docs/topics/registries
set -euo pipefail
version="$1" repository="$2/charts"
"$(dirname "$0")/package-chart.sh" "$2" "$RUNNER_TEMP"
pushed="$(helm push "$RUNNER_TEMP/belay-$version.tgz" "oci://$repository" 2>&1)"
printf '%s\n' "$pushed"
digest="$(sed -nE 's/^Digest: (sha256:[0-9a-f]{64})$/\1/p' <<<"$pushed")"
[ -n "$digest" ] || { echo "helm push named no digest: the chart is not signed." >&2; exit 1; }
cosign sign --yes "$repository/belay@$digest"
