#!/bin/bash
# SPDX-License-Identifier: MIT
# Servers that poll a blocking listener serve on while clients go away during their handshake.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -- "accept.py ${DEAD:-600}"
