#!/usr/bin/env bash
# Makes a Docker daemon answer and gives the tests a base image, without pulling one: debootstrap builds it.
# Safe to run again: each step looks first whether there is anything to do. Needs root on a Debian-like machine.
set -euo pipefail

readonly tag="${MATRIX_TEST_BASE_IMAGE:-specmatrix-test/base:bookworm}"
readonly logs="${MATRIX_CI_LOGS:-${TMPDIR:-/tmp}/specmatrix-ci}"
readonly bundle=/etc/ssl/certs/ca-certificates.crt

say() { printf 'docker.sh: %s\n' "$*"; }

install() {
    say "installing $*"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$logs/apt.log" 2>&1 ||
        { tail -n 20 "$logs/apt.log" >&2; exit 1; }
}

install_missing() {
    local missing=() pair
    for pair in dockerd:docker.io debootstrap:debootstrap ip:iproute2 iptables:iptables; do
        command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
    done
    ldconfig -p | grep 'libnuma\.so\.1' >/dev/null || missing+=(libnuma1)
    ((${#missing[@]} == 0)) || install "${missing[@]}"
    # Newer Debian releases ship the command line apart from the daemon.
    command -v docker >/dev/null || install docker-cli
}

start_daemon() {
    if docker info >/dev/null 2>&1; then
        say "a daemon answers already"
        return
    fi
    say "starting dockerd, log in $logs/dockerd.log"
    setsid nohup dockerd >"$logs/dockerd.log" 2>&1 </dev/null &
    local pid=$!
    for _ in $(seq 60); do
        if docker info >/dev/null 2>&1; then
            say "dockerd answers (pid $pid)"
            return
        fi
        sleep 1
    done
    say "dockerd does not answer; its last words:" >&2
    tail -n 20 "$logs/dockerd.log" >&2
    exit 1
}

mirror() {
    # The mirror that this machine's own apt uses; nothing where that is another distribution's.
    grep -q '^ID=debian$' /etc/os-release || return 0
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1
}

make_base() {
    if docker image inspect "$tag" >/dev/null 2>&1; then
        say "base image $tag is there"
        return
    fi
    root="$(mktemp -d)"
    trap 'rm -rf "$root"' EXIT
    say "making base image $tag with debootstrap"
    # shellcheck disable=SC2046 # no mirror must mean no argument
    debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv bookworm "$root" $(mirror) \
        >"$logs/debootstrap.log" 2>&1 || { tail -n 20 "$logs/debootstrap.log" >&2; exit 1; }
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
    if [[ -s $bundle ]]; then
        cp --dereference "$bundle" "$root$bundle"
    fi
    tar -C "$root" --one-file-system -c . | docker import - "$tag" >/dev/null
    say "made $tag ($(docker image inspect --format '{{.Size}}' "$tag") bytes)"
}

mkdir -p "$logs"
install_missing
start_daemon
make_base
