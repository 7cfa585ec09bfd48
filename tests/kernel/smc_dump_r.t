#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_dump: handshakes, LLC and CDC of SMC-R between two guests over Soft-RoCE.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- "smc_dump.py SMCR"
