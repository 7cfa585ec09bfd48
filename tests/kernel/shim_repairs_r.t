#!/bin/bash
# SPDX-License-Identifier: MIT
# The repairs of the preload library on SMC-R beside TCP: that is where unsent data is lost.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- shim_repairs.py
