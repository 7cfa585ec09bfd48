#!/bin/bash
# SPDX-License-Identifier: MIT
# smc-conf.service with the real systemd: a good file, a broken one.
. "$(dirname "$0")/lab.sh"
mkdir -p "$BUILD/tests/kernel"
cp packaging/smc-conf.service "$BUILD/tests/kernel/"
in_lab run -k lo --eid none -- conf_boot.py
