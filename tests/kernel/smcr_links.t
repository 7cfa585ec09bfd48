#!/bin/bash
# SPDX-License-Identifier: MIT
# smcr and its link groups between two guests.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- smcr_links.py
