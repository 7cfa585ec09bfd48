#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --doctor on a correct host, and on hosts that are each broken in one way.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- chk_doctor.py
