#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --advise between two guests with SMC-R, and what --probe learns.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- advise_r.py
