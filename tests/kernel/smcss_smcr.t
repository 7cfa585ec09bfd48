#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss and what it shows of SMC-R between two guests, and of the ways it ends in TCP.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- smcss_smcr.py
