#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss --events: the same over SMC-R, over Soft-RoCE in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- "smcss_events.py SMCR"
