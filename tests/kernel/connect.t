#!/bin/bash
# SPDX-License-Identifier: MIT
# connect() to a peer that offers SMC and then breaks the handshake.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- connect.py
