#!/bin/bash
# SPDX-License-Identifier: MIT
# Who gets sockets with unsent data, over SMC-R: nobody of another namespace.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- keep_home.py
