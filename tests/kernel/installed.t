#!/bin/bash
# SPDX-License-Identifier: MIT
# The packages where they are installed: make check-installed.
. "$(dirname "$0")/lab.sh"
if [ -z "${INSTALLED-}" ]; then
	echo "ok 1 - packages # SKIP make check-installed has them"
	echo 1..1
	exit
fi
in_lab run -k lo -- installed.py
