#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk -i, -e, -x: PNET IDs, reasons as smcss shows them, programs against what really happens to them.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- "chk_lookups.py $BUILD/tests/programs"
