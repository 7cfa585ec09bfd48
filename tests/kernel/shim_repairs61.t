#!/bin/bash
# SPDX-License-Identifier: MIT
# The repairs of the preload library where every connection falls back to TCP.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.1 -- shim_repairs.py
