#!/bin/bash
# SPDX-License-Identifier: MIT
# Servers that people run: start, serve, reload, stop under smc_run, over SMC-D.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -- programs.py
