#!/bin/bash
# SPDX-License-Identifier: MIT
# Policy between two guests, SMC-R or, where the kernel has nothing for Soft-RoCE, TCP with another reason.
. "$(dirname "$0")/lab.sh"
rxe=--rxe
[ "${LAB_KERNEL-}" != 6.1 ] || rxe=
# shellcheck disable=SC2086 # nothing or one option
in_lab pair -k 6.12 $rxe -- policy_pair.py
