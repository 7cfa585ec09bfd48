#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_dump's payload on the oldest kernel that it knows, where connections fall back and have none.
. "$(dirname "$0")/dump_data.sh"
guest tcp "smc_dump_data.py TCP" run -k 6.1
plan_done
