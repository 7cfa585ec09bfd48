#!/bin/bash
# SPDX-License-Identifier: MIT
# Policy on a kernel that has nothing to do SMC with: only the reason of the fallback differs.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- policy.py
