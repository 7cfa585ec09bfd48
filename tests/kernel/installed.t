#!/bin/bash
# SPDX-License-Identifier: MIT
# The packages where they are installed: make check-installed.
. "$(dirname "$0")/lab.sh"
[ -n "${INSTALLED-}" ] || { echo 'Bail out! make check-installed says where the packages are'; exit 1; }
in_lab run -k lo -- installed.py
