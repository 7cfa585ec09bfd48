#!/bin/bash
# SPDX-License-Identifier: MIT
# The doctor on a right host, and on hosts that are each broken in one way.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- doctor.py
