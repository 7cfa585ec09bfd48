#!/bin/bash
# SPDX-License-Identifier: MIT
# Clients that do not read, over SMC-R: the server does not wait, and no data is lost.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- keep.py
