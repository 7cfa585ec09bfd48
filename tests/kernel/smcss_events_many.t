#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss --events: 10 000 connections, each as short as can be, over SMC-D.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -- "smcss_events.py SMCD 10000"
