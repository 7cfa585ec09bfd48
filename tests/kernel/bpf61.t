#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_bpf and smc_run --bpf on a kernel that is too old for them.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- "bpf61.py $BUILD/tests/programs"
