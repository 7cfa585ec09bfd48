#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss --events: beginning, end and fallback of connections over SMC-D, over loopback-ism in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -- "smcss_events.py SMCD"
