#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --doctor where SMC-D runs over loopback-ism.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -- chk_doctor.py
