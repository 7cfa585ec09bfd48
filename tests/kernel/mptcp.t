#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that ask for MPTCP sockets: Go 1.24 or later, which listens so by default, static, dynamic, with C; mptcpize; others. The Go
# is this machine's if it is new enough, else Debian's: 70 MB of downloads.
. "$(dirname "$0")/packages.sh"
SUITE=trixie GO=golang-1.24
KEY=$(sha256sum tests/kernel/mptcp.t tests/kernel/programs/go*.go | sha256sum)

# find_go DIRECTORY: prints the path of a Go that listens with MPTCP
find_go() {
	local debs
	if [ "$(printf '%s\n' go1.24 "$(go env GOVERSION 2>/dev/null)" | sort -V | head -n 1)" = go1.24 ]; then
		command -v go
		return
	fi
	index "$SUITE" && mapfile -t debs < <(fetch_debs "$SUITE" "$GO-go" "$GO-src") && unpack "${debs[@]}" "$1/go" || return
	printf '%s/go/usr/lib/%s/bin/go\n' "$1" "${GO/lang/}"
}

# compile NAME SOURCE CGO [FLAGS]: with $go, into $to
compile() {
	mkdir -p "$work/$2" && cp "tests/kernel/programs/$2.go" "$work/$2" && printf 'module %s\n\ngo 1.24\n' "$2" >"$work/$2/go.mod" &&
		(cd "$work/$2" && env -u GOROOT CGO_ENABLED="$3" GOCACHE="$work/cache" GOTOOLCHAIN=local GOPROXY=off GOFLAGS= GO111MODULE=on \
			"$go" build -trimpath -ldflags="-s -w ${4-}" -o "$to/$1" .)
}

# build_go DIRECTORY: gohttp; where there is a C compiler also gohttp-dynamic, gocgo and gocgo-static
build_go() {
	local go work=$1.work to=$1
	LAB_TMP+=("$work")
	mkdir -p "$work" && go=$(find_go "$work") || return
	say "compiling with $("$go" version)"
	compile gohttp gohttp 0 || return
	compile gohttp-dynamic gohttp 1 && compile gocgo gocgo 1 && compile gocgo-static gocgo 1 '-linkmode external -extldflags -static'
	rm -rf "$work"
}

# shellcheck disable=SC2034 # for need_packages
UNPACK=unpack_only
need_packages mptcpize mptcpize libmptcpwrap0
artefact go "$KEY" build_go
in_lab run -k lo --cpus 2 --install "$MORE" --see "$CACHE/go" -- "mptcp.py $BUILD/tests/programs $CACHE/go"
