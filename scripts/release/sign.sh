#!/usr/bin/env bash
# `sign.sh FOLDER`: checks that the assets are those that were made, and signs their checksums without a key.
set -euo pipefail
cd "$1"
sha256sum --check --strict SHA256SUMS
cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS
