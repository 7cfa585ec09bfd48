#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that ask for MPTCP sockets: Go 1.24 or later, which listens so by default, static and dynamic; mptcpize; others. The Go
# is this machine's if it is new enough, else Debian's: 70 MB of downloads.
. "$(dirname "$0")/packages.sh"
SUITE=trixie GO=golang-1.24
KEY=$(sha256sum tests/kernel/mptcp.t tests/kernel/programs/gohttp.go | sha256sum)

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

# build_go DIRECTORY: gohttp, and gohttp-dynamic where there is a C compiler
build_go() {
	local go work=$1.work
	LAB_TMP+=("$work")
	mkdir -p "$work/source" && go=$(find_go "$work") || return
	say "compiling with $("$go" version)"
	cp tests/kernel/programs/gohttp.go "$work/source" && printf 'module gohttp\n\ngo 1.24\n' >"$work/source/go.mod"
	for cgo in 0 1; do
		(cd "$work/source" && env -u GOROOT CGO_ENABLED=$cgo GOCACHE="$work/cache" GOTOOLCHAIN=local GOPROXY=off GOFLAGS= GO111MODULE=on \
			"$go" build -trimpath -ldflags='-s -w' -o "$1/gohttp$([ $cgo = 0 ] || echo -dynamic)" .) || [ $cgo = 1 ] || return
	done
	rm -rf "$work"
}

# shellcheck disable=SC2034 # for need_packages
UNPACK=unpack_only
need_packages mptcpize mptcpize libmptcpwrap0
artefact go "$KEY" build_go
in_lab run -k lo --cpus 2 --install "$MORE" --see "$CACHE/go" -- "mptcp.py $BUILD/tests/programs $CACHE/go"
