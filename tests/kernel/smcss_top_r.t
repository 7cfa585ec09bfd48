#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss --top: rates and brakes of known traffic over SMC-R, over Soft-RoCE in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- "smcss_top.py SMCR"
