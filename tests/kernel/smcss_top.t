#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss --top: rates and brakes of known traffic over SMC-D, over loopback-ism in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- "smcss_top.py SMCD"
