#!/bin/bash
# SPDX-License-Identifier: MIT
# Each tool on kernel 5.10, which has SMC but none of its generic netlink: says so in one sentence, and does the rest.
. "$(dirname "$0")/lab.sh"
in_lab run -k 5.10 -- "stock.py $BUILD/tests/programs"
