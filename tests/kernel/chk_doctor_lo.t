#!/bin/bash
# SPDX-License-Identifier: MIT
# The doctor where SMC-D goes over loopback-ism.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- doctor.py
