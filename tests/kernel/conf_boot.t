#!/bin/bash
# SPDX-License-Identifier: MIT
# smc-conf.service with the real systemd: a good file, a broken one; smc-metrics.service.
. "$(dirname "$0")/lab.sh"
mkdir -p "$BUILD/tests/kernel"
cp packaging/smc-conf.service packaging/smc-metrics.service packaging/metrics/smc-metrics "$BUILD/tests/kernel/"
in_lab run -k lo --eid none -- conf_boot.py
