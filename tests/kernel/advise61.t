#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --advise on a kernel without a device for SMC: nothing would profit, and why.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- advise.py
