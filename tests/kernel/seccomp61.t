#!/bin/bash
# SPDX-License-Identifier: MIT
# The same on a kernel that has no eBPF for this, where SMC falls back to TCP.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- "seccomp.py $BUILD/tests/programs"
