#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_setup --apply, then a reset of both hosts, which boot again.
. "$(dirname "$0")/lab.sh"
SMC_LAB_REBOOT=1 in_lab pair -k 6.12 --rxe --eid none -- setup_boot.py
