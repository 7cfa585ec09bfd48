#!/bin/bash
# SPDX-License-Identifier: MIT
# SMC-D over loopback-ism, one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- smcd.py
