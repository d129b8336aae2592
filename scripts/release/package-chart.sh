#!/usr/bin/env bash
# `package-chart.sh IMAGE FOLDER`: the chart as it is published: its pods run the image of this release unless values name another. In the repository the
# default is what somebody has built, which a cluster would look for on Docker Hub.
set -euo pipefail
image="$1" out="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp -R deploy/chart "$work/belay"
values="$work/belay/values.yaml"
sed -E "s|^  repository: belay( .*)?\$|  repository: $image|" deploy/chart/values.yaml >"$values"
grep -qxF "  repository: $image" "$values" || { echo "deploy/chart/values.yaml: image.repository is not belay, so the chart would run another image." >&2; exit 1; }
helm package "$work/belay" --destination "$out" >/dev/null
