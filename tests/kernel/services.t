#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_run --enable, --disable and --status with the real systemd, and smc-conf.service with pnet.conf.
. "$(dirname "$0")/lab.sh"
mkdir -p "$BUILD/tests/kernel"
cp packaging/smc-conf.service "$BUILD/tests/kernel/"
in_lab run -k lo -- services.py
