#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_run --ab of a command for which SMC and TCP are the same, twenty times. One to four minutes: only when named.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- ab_itself.py
