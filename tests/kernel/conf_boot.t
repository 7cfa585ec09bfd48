#!/bin/bash
# SPDX-License-Identifier: MIT
# smc-conf.service with the real systemd: a good file, a broken one; devices and control groups
# that come later; smc-metrics.service.
. "$(dirname "$0")/lab.sh"
mkdir -p "$BUILD/tests/kernel"
cp packaging/smc-conf.service packaging/smc-conf-watch.service packaging/90-smc-conf.rules packaging/smc-metrics.service packaging/metrics/smc-metrics "$BUILD/tests/kernel/"
in_lab run -k lo --eid none -- conf_boot.py
