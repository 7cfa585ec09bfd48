#!/bin/bash
# SPDX-License-Identifier: MIT
# System calls that the preload library adds to the life of a connection, on SMC-D.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- lives.py
