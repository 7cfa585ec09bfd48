#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_pnet with SMC-D over loopback-ism.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- pnet_lo.py
