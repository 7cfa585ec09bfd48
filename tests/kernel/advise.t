#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --advise where SMC-D runs over loopback-ism, by all of its sources.
. "$(dirname "$0")/lab.sh"
bpf=bpf
[ -e "$BUILD/bpf/tcplife.bytes.h" ] || bpf=
in_lab run -k lo -- "advise.py lo $bpf"
