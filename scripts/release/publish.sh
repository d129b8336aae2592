#!/usr/bin/env bash
# `publish.sh TAG FOLDER`: the release on GitHub. One that is there already is completed, so that a job can be run again.
set -euo pipefail
tag="$1" out="$2"
version="${tag#v}"
assets=("$out/eks-belay-$version.tgz" "$out/belay-$version.tgz" "$out/eks-belay-$version.spdx.json" "$out/eks-belay-$version.cdx.json" "$out/SHA256SUMS" "$out/SHA256SUMS.sigstore.json")
prerelease=()
[[ "$version" != *-* ]] || prerelease=(--prerelease)
if gh release view "$tag" >/dev/null 2>&1; then
  gh release upload "$tag" --clobber "${assets[@]}"
else
  gh release create "$tag" --verify-tag --title "$tag" --notes-file "$out/notes.md" "${prerelease[@]}" "${assets[@]}"
fi
