#!/usr/bin/env bash
# `try.sh TARBALL SNAPSHOT`: the package on the Node of the path, as somebody installs it: its version, and a check of a snapshot.
set -euo pipefail
tarball="$(realpath "$1")" snapshot="$(realpath "$2")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# A Node that the package is not for is a warning to people, and an error here.
npm install --engine-strict --no-audit --no-fund "$tarball"
export XDG_CACHE_HOME="$folder/cache"
npx --no-install belay --version
npx --no-install belay check --snapshot "$snapshot" --target 1.34 --fail-on never
