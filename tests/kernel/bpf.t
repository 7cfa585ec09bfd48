#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_bpf and smc_run --bpf: static, Go, musl, set-uid programs, busybox and Java over SMC-D.
. "$(dirname "$0")/lab.sh"
if [ ! -x "$BUILD/smc_bpf" ]; then
	echo "ok 1 - smc_bpf # SKIP it was not built: see 'make'"
	echo 1..1
	exit 0
fi
in_lab run -k lo --cpus 2 -- "bpf.py $BUILD/tests/programs $PWD/tests/kernel/programs"
