#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss and smc_run on the distribution's own kernel 6.1, in one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- stock.py
