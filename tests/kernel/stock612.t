#!/bin/bash
# SPDX-License-Identifier: MIT
# The distribution's own kernel 6.12, one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 -- stock.py
