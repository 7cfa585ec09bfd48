#!/bin/bash
# SPDX-License-Identifier: MIT
# Clients that do not read, over SMC-D: the server does not wait, and no data is lost.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -- keep.py
