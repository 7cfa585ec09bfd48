#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_conf: what a real kernel has set, as a file and back.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --eid none -- conf.py
