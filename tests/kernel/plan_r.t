#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_setup plan: its predictions for two hosts, and the result, for random configurations. PLAN_PAIRS says
# for how many, PLAN_SEED which. LAB_KERNEL=lo,7.2 for hosts of two kernels.
. "$(dirname "$0")/lab.sh"
. tests/tap.sh
. tests/kernel/bundles.sh

DRAWN="${PLAN_PAIRS:-200} ${PLAN_SEED:-1}"

# here NAME: replaces the function of bundles.sh
here() {
	# shellcheck disable=SC2086 # two words
	judged "$1" env PATH="$BUILD:$PATH" python3 -B tests/kernel/plan_judge.py "$out/$1" $DRAWN
}

guest plan "plan_r.py $DRAWN" pair -k lo -t 7200 --eid none
plan_done
