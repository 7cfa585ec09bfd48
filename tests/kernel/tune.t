#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk -C --tune: sizes of both sides, by SMC-D, and what is left of them.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- tune.py
