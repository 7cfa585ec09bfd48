#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_events's command line on any kernel: wording of errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
smc_events=${BUILD:-$PWD/build}/smc_events
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL

# refuse WORDS ARG...: bad usage, whose line contains the words and a way to the help.
refuse() {
	words=$1
	shift
	capture "$smc_events" "$@"
	refused 1 "^smc_events: .*$words.*; try 'smc_events --help'\$" "refused: smc_events $*"
}

refuse "unknown option '-p'" -p
refuse "options '--smcd' and '--smcr' exclude" -D -R
for word in 0 -1 x 1x 99999999999999999999; do
	refuse "--count: '$word' .* from 1 to " --count "$word"
done
refuse "'nonsense' is not a filter" -j -e nonsense
refuse 'events have no states' state active
refuse "'netns' is for smcss --all-netns" netns host

if has_smc; then
	skip 'a kernel without SMC' 'this kernel has SMC'
else
	capture "$smc_events"
	refused 1 "^smc_events: .*no SMC \(module 'smc' .*\): run 'smc_chk'\$" 'a kernel without SMC'
fi
mkdir "$tmp/record"
capture env SMC_TOOLS_ROOT="$tmp/record" "$smc_events"
refused 1 '^smc_events: a recorded host ' 'not of a recorded host'

plan_done
