#!/bin/bash
# SPDX-License-Identifier: MIT
# The command lines of smcd and smcr on any kernel: streams, exit codes, wording of errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh

# run TOOL ARG...: output of the tool is in $out and $err, its status in $rc.
run() {
	tool=$1
	shift
	capture "$BUILD/$tool" "$@"
}

for tool in smcd smcr; do
	for word in -version -ver; do
		prints "^$tool utility, smc-tools-$version\$" "$tool" $word
	done
	for word in -help help h hel; do
		prints "^Usage: $tool " "$tool" $word
	done
	prints "^Usage: $tool " "$tool"
	for object in device linkgroup info stats ueid hs; do
		prints "^Usage: $tool " "$tool" $object help
		like "$out" "^  $tool $object " "$tool: help of $object has an example"
		is "$(grep -- ' with ' <<<"$out" | grep -v "with.* ${object}[,:]")" '' "$tool: help of $object has its own options only"
	done
	refuse "unknown object 'xyz'" "$tool" xyz
	refuse "unknown object 'satts' .*'stats'" "$tool" satts
	refuse "unknown option '-x'" "$tool" -x info
	refuse "needs an argument" "$tool" info -N
	refuse "takes no argument" "$tool" --json=x info
	capture env POSIXLY_CORRECT=1 "$BUILD/$tool" info -N
	refused 1 "needs an argument" "$tool: options after the command, with POSIXLY_CORRECT too"
	refuse "no network namespace" "$tool" -N there-is-none info
	refuse "for stats and linkgroup only" "$tool" --metrics info
	refuse "all-netns is for stats only" "$tool" --all-netns info
	refuse "without --netns" "$tool" --all-netns -N 1 stats
	refuse "all-netns is for show" "$tool" --all-netns stats reset
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
