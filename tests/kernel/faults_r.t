#!/bin/bash
# SPDX-License-Identifier: MIT
# Known traffic over SMC-R while things break: nothing hangs, nothing is lost.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --cpus 2 --rxe -m 1500M -- "faults.py 50 eids memory groups"
