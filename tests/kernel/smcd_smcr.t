#!/bin/bash
# SPDX-License-Identifier: MIT
# smcd and smcr where link groups live inside one guest.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- smcd_smcr.py
