#!/bin/bash
# SPDX-License-Identifier: MIT
# The buffers that smc_run gives to SMC sockets where nobody asked for a size, on a real kernel.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- buffers.py
