#!/bin/bash
# SPDX-License-Identifier: MIT
# Bundles of hosts with SMC-R and SMC-D: same answers there, live, and here, without SMC.
. "$(dirname "$0")/lab.sh"
. tests/tap.sh
. tests/kernel/bundles.sh

guest smcr chk_bundle.py run -k 6.12 --rxe
guest smcd chk_bundle.py run -k lo
plan_done
