#!/bin/bash
# SPDX-License-Identifier: MIT
# SMC-R between two guests, and the ways it ends in TCP.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- smcr.py
