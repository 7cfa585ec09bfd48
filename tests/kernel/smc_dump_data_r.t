#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_dump's payload of SMC-R between two guests over Soft-RoCE, captured at both ends and judged here.
. "$(dirname "$0")/dump_data.sh"
guest smcr "smc_dump_data.py SMCR" pair -k 6.12 --rxe
plan_done
