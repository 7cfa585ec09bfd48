#!/bin/bash
# SPDX-License-Identifier: MIT
# Policy: who is denied gets TCP at once, everybody else SMC.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- policy.py
