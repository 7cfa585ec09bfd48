#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_run --ab over SMC-R: what its runs used.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- ab_r.py
