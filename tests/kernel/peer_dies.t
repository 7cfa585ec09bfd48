#!/bin/bash
# SPDX-License-Identifier: MIT
# SMC-R between two guests, of which one reads late, and dies: nothing hangs, nothing is lost.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- "peer.py dies"
