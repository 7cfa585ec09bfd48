#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk --advise on a kernel without a device for SMC: nothing would profit, and why.
. "$(dirname "$0")/lab.sh"
bpf=bpf
[ -e "$BUILD/bpf/tcplife.bytes.h" ] || bpf=
in_lab run -k 6.1 -- "advise.py $bpf"
