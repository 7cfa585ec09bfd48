# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests/kernel/smc_dump_data*.t: a guest captures and leaves its captures, which are judged here.
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"
. tests/tap.sh
. tests/kernel/bundles.sh

# here NAME: replaces the function of bundles.sh
here() { judged "$1" python3 -B tests/kernel/dump_judge.py "$out/$1"; }
