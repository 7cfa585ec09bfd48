#!/bin/bash
# SPDX-License-Identifier: MIT
# The doctor on a kernel whose soft-RoCE hangs. It is never connected over, so the lab need not refuse.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- doctor61.py
