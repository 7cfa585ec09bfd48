#!/bin/bash
# SPDX-License-Identifier: MIT
# The profile of packaging/tuned, in Debian's tuned.
. "$(dirname "$0")/packages.sh"
need_packages tuned tuned
in_lab run -k lo --install "$MORE" -- "tuned.py $PWD/packaging/tuned/tuned.conf"
