#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss --events: a link of a link group with two goes down, and its connections move, between two guests.
. "$(dirname "$0")/lab.sh"
in_lab pair -k 6.12 --rxe -- smcss_events_links.py
