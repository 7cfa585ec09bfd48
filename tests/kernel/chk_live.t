#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk -S, -C and -l in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- chk_live.py
