#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_pnet and smc_rnics against a real kernel with soft-RoCE on lo.
. "$(dirname "$0")/lab.sh"
in_lab run -k 6.12 --rxe -- pnet.py
