#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss --events on the oldest kernel with all of it, where connections fall back.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- "smcss_events.py TCP"
