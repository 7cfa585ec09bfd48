#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_bpf oci-hook with states, processes and control groups as no runtime should give them.
. "$(dirname "$0")/lab.sh"
if [ ! -x "$BUILD/smc_bpf" ]; then
	echo "ok 1 - smc_bpf oci-hook # SKIP it was not built: see 'make'"
	echo 1..1
	exit 0
fi
in_lab run -k 6.12 -- oci_hook.py
