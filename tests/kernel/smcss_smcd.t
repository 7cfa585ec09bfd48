#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss and what it shows of SMC-D over loopback-ism, in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- smcss_smcd.py
