#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk -C --tune between two guests over SMC-R: sizes, and with --kernel link groups that have what was tried.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- tune_r.py
