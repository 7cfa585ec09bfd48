#!/bin/bash
# SPDX-License-Identifier: MIT
# System calls that the preload library adds to the life of a connection, on SMC-R: close() is dearer there.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- lives.py
