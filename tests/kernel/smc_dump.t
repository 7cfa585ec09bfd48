#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_dump: handshakes of SMC-D over loopback-ism in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- "smc_dump.py SMCD"
