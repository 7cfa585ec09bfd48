#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_run --ab: does it know what its runs used, and leaves nothing behind?
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- ab.py
