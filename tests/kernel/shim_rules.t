#!/bin/bash
# SPDX-License-Identifier: MIT
# SMC_INCLUDE and SMC_EXCLUDE on a real kernel.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- shim_rules.py
