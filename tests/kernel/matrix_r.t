#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk matrix: its predictions for two hosts, and the result, for random configurations. MATRIX_PAIRS says
# for how many, MATRIX_SEED which. LAB_KERNEL=lo,7.2 for hosts of two kernels.
. "$(dirname "$0")/lab.sh"
. tests/tap.sh
. tests/kernel/bundles.sh

DRAWN="${MATRIX_PAIRS:-200} ${MATRIX_SEED:-1}"

# here NAME: replaces the function of bundles.sh
here() {
	# shellcheck disable=SC2086 # two words
	judged "$1" env PATH="$BUILD:$PATH" python3 -B tests/kernel/matrix_judge.py "$out/$1" $DRAWN
}

guest matrix "matrix_r.py $DRAWN" pair -k lo -t 7200 --eid none
plan_done
