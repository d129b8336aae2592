#!/usr/bin/env bash
# `assets.sh TAG FOLDER IMAGE`: what is attached to a release: the package, the chart, SBOMs of what the package needs, the notes, and checksums of all.
set -euo pipefail
tag="$1" out="$2" image="$3"
version="${tag#v}"
mkdir -p "$out"
# Not what npm prints: what prepack prints is among it.
npm pack --silent --pack-destination "$out" >/dev/null
"$(dirname "$0")/package-chart.sh" "$image" "$out"
npm sbom --omit=dev --sbom-format=spdx >"$out/eks-belay-$version.spdx.json"
npm sbom --omit=dev --sbom-format=cyclonedx >"$out/eks-belay-$version.cdx.json"
node scripts/release/main.ts notes "$tag" >"$out/notes.md"
cd "$out"
sha256sum "eks-belay-$version.tgz" "belay-$version.tgz" "eks-belay-$version.spdx.json" "eks-belay-$version.cdx.json" >SHA256SUMS
