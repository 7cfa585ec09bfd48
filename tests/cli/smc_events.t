#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_events's command line on any kernel: wording of errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
tool=smc_events

misuse "unknown option '-p'" -p
misuse "options '--smcd' and '--smcr' exclude" -D -R
for word in 0 -1 x 1x 99999999999999999999; do
	misuse "--count: '$word' .* from 1 to " --count "$word"
done
misuse "'nonsense' is not a filter" -j -e nonsense
misuse 'events have no states' state active
misuse "'netns' is for smcss --all-netns" netns host

if has_smc; then
	skip 'a kernel without SMC' 'this kernel has SMC'
else
	run
	refused 1 "^smc_events: .*no SMC \(module 'smc' .*\).* 'smc_chk doctor'\$" 'a kernel without SMC'
fi
mkdir "$tmp/record"
capture env SMC_TOOLS_ROOT="$tmp/record" "$BUILD/smc_events"
refused 1 '^smc_events: a recorded host ' 'not of a recorded host'

plan_done
