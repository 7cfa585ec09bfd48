#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk -S, -C and -l without a device for SMC, and in a sandbox.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- chk_live61.py
