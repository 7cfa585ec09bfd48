#!/bin/bash
# SPDX-License-Identifier: MIT
# The command lines of smcd and smcr on any kernel: streams, exit codes, wording of errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
build=${BUILD:-$PWD/build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
version=$(<VERSION)

# run TOOL ARG...: output of the tool is in $out and $err, its status in $rc.
run() {
	tool=$1
	shift
	capture "$build/$tool" "$@"
}

# refuse WORDS TOOL ARG...: status 1, nothing on stdout, one line on stderr that contains the words.
refuse() {
	words=$1
	shift
	run "$@"
	refused 1 "^$1: .*$words" "refused: $*"
}

# prints REGEX TOOL ARG...: status 0, nothing on stderr.
prints() {
	pattern=$1
	shift
	run "$@"
	is "$rc$err" 0 "succeeds: $*"
	like "$out" "$pattern" "prints the expected output: $*"
}

for tool in smcd smcr; do
	for word in -v -version --version -ver --ver; do
		prints "^$tool utility, smc-tools-$version\$" "$tool" $word
	done
	for word in -h -help --help --he help h hel; do
		prints "^Usage: $tool " "$tool" $word
	done
	prints "^Usage: $tool " "$tool"
	for object in device linkgroup info stats ueid hs; do
		prints "^Usage: $tool " "$tool" $object help
		like "$out" "^Example: $tool $object " "$tool: help of $object has an example"
		is "$(awk 'length > 79' <<<"$out")" '' "$tool: help of $object fits into a terminal"
		is "$(grep -- ' with ' <<<"$out" | grep -v "with.* ${object}[,:]")" '' "$tool: help of $object has its own options only"
	done
	refuse "unknown object 'xyz'" "$tool" xyz
	refuse "unknown option '-x'" "$tool" -x info
	refuse "unknown option '--xyz'" "$tool" --xyz info
	refuse "needs an argument" "$tool" info -N
	refuse "takes no argument" "$tool" --json=x info
	capture env POSIXLY_CORRECT=1 "$build/$tool" info -N
	refused 1 "needs an argument" "$tool: options after the command, with POSIXLY_CORRECT too"
	refuse "no network namespace" "$tool" -N there-is-none info
	refuse "for stats and linkgroup only" "$tool" --metrics info
	refuse "all-netns is for stats only" "$tool" --all-netns info
	refuse "without --netns" "$tool" --all-netns -N 1 stats
	refuse "all-netns is for show" "$tool" --all-netns stats reset
	long=$("$build/$tool" --help | awk 'length > 100')
	is "$long" '' "$tool: no help line is longer than 100 characters"
	"$build/$tool" --help >/dev/full 2>"$tmp/err"
	is "$?" 1 "$tool: a full disk is an error"
	"$build/$tool" --help >&- 2>"$tmp/err"
	is "$?" 1 "$tool: a closed stdout is an error"
done
prints '^  seid ' smcd --help
prints '^  ueid ' smcr --help
unlike "$out" '^  seid ' "smcr: no seid"
refuse "use smcd" smcr seid
refuse "use smcd" smcr se show

# Arguments are checked before the kernel is asked, so this works on any kernel.
refuse "unexpected argument 'netdev'" smcd device netdev eth0
refuse "needs a name" smcr device netdev
refuse "neither a command nor" smcr linkgroup xyz
refuse "info: expected show" smcd info xyz
refuse "ueid: expected show | add EID" smcd ueid add
refuse "an EID" smcd ueid add 'A B'
refuse 'try MYCLUSTER-1' smcd ueid add mycluster-1
refuse "an EID" smcd ueid del '.'
refuse "are only for commands that show" smcr -j ueid flush
refuse "seid: expected show" smcd seid xyz
refuse "hs: expected show" smcr hs xyz
refuse "stats: expected show" smcr stats foo

if ! has_smc; then
	for object in info device linkgroup stats 'stats reset' 'ueid' 'ueid add A' 'ueid del A' 'hs' 'hs enable'; do
		# shellcheck disable=SC2086 # an object and its command
		refuse "this kernel has no SMC" smcr $object
	done
	refuse "this kernel has no SMC" smcd seid disable
fi
plan_done
