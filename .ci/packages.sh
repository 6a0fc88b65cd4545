#!/usr/bin/env bash
# Installs what the tests use and the machine lacks: make, Chromium and a font for it, an image registry, docker-compose. Needs root on a Debian-like machine.
set -euo pipefail
missing=()
for pair in make:make git:git chromium:chromium docker-registry:docker-registry docker-compose:docker-compose fc-list:fontconfig unshare:util-linux; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
done
fc-list 2>/dev/null | grep -qi dejavu || missing+=(fonts-dejavu-core)
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
if ((${#missing[@]})); then
    echo "installing ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
        >"${MATRIX_CI_LOGS:-/tmp}/packages.log" 2>&1 || { tail -n 20 "${MATRIX_CI_LOGS:-/tmp}/packages.log" >&2; exit 1; }
fi
