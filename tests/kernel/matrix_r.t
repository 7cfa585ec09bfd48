#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --matrix: what it predicts of two guests, and what they then do, for random configurations. MATRIX_PAIRS says
# for how many, MATRIX_SEED which.
. "$(dirname "$0")/lab.sh"
in_lab pair -k lo -t 7200 --eid none -- "matrix_r.py ${MATRIX_PAIRS:-200} ${MATRIX_SEED:-1}"
