# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # set or used by those that source it
# For tests of command lines: TAP, a directory $tmp, and checks of the output of the program $tool. Sourced from the top
# directory.
. tests/tap.sh
BUILD=$(cd "${BUILD:-build}" && pwd) || exit 1
export BUILD LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
version=$(<VERSION)

# run ARG...: run the tool; its output is in $out and $err, its status in $rc.
run() {
	capture "$BUILD/$tool" "$@"
}

# refuse WORDS ARG...: status 1, nothing on stdout, one line on stderr that contains the words.
refuse() {
	words=$1
	shift
	run "$@"
	refused 1 "^$tool( [a-z]+)?: .*$words" "refused: $tool $*"
}

# misuse WORDS ARG...: refused with a way to the help.
misuse() {
	refuse "$1.*; try '$tool --help'\$" "${@:2}"
}

# prints REGEX ARG...: status 0, nothing on stderr.
prints() {
	pattern=$1
	shift
	run "$@"
	is "$rc$err" 0 "succeeds: $*"
	like "$out" "$pattern" "prints the expected output: $*"
}

# json FILTER WANT ARG...: result of jq on the document.
json() {
	filter=$1 want=$2
	shift 2
	run "$@" -j
	is "$(jq -rc "$filter" <"$tmp/out")" "$want" "JSON $filter: $*"
}
