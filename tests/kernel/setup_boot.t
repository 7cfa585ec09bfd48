#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_setup --apply, then a boot of both hosts with the files that it left: the second pair of guests has them on its disk.
. "$(dirname "$0")/lab.sh"
disks=$(mktemp -d) || exit 1
trap 'rm -rf "$disks"' EXIT
in_lab pair -k 6.12 --rxe --eid none -o "$disks" -- "setup_boot.py apply" &&
	in_lab pair -k 6.12 --rxe --eid none --see "$disks" -- "setup_boot.py boot $disks"
