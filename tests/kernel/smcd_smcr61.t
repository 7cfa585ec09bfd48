#!/bin/bash
# SPDX-License-Identifier: MIT
# smcd and smcr on a kernel that lacks what came later, and without any device.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- smcd_smcr.py
