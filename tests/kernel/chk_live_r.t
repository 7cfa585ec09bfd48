#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk -S and -C between two guests over SMC-R.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- chk_live_r.py
