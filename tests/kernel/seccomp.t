#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_run --seccomp: static, musl and Go programs and busybox over SMC-D, and what it does to programs.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -- "seccomp.py $BUILD/tests/programs"
