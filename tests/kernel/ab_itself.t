#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_run --ab of a command for which SMC and TCP are the same, twenty times. Two minutes.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- ab_itself.py
