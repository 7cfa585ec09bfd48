# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests/kernel/smc_dump_data*.t: a guest captures and leaves its captures, which are judged here.
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"
. tests/tap.sh
. tests/kernel/bundles.sh

# here NAME: instead of that for bundles.
here() {
	local status
	python3 -B tests/kernel/dump_judge.py "$out/$1" >"$out/tap"
	status=$?
	sed -E "s/^(not ok|ok) - /\1 - $1: /" "$out/tap"
	tap_count=$((tap_count + $(grep -cE '^(not )?ok ' "$out/tap")))
	tap_failed=$((tap_failed + $(grep -c '^not ok ' "$out/tap")))
	[ "$status" = 0 ] || grep -q '^not ok ' "$out/tap"
	ok $? "$1: the judge came to its end"
}
