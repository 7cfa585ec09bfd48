#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --doctor on a kernel whose soft-RoCE hangs. Nothing connects over it, so the lab need not refuse.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- chk_doctor61.py
