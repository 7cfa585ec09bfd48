#!/bin/bash
# SPDX-License-Identifier: MIT
# Known traffic over SMC-D while things break: nothing hangs, nothing is lost.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -m 1500M -- "faults.py 50 signals descriptors bpf"
