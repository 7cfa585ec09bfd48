#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk: PNET IDs, reasons as smcss shows them, programs against what really happens to them.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- chk_misc.py
