#!/bin/bash
# SPDX-License-Identifier: MIT
# The repairs of the preload library on SMC-D beside TCP.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo --cpus 2 -- shim_repairs.py
