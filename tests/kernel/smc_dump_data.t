#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_dump's payload of SMC-D over loopback-ism in one guest: every byte, judged here.
. "$(dirname "$0")/dump_data.sh"
guest smcd "smc_dump_data.py SMCD" run -k lo --cpus 2
plan_done
