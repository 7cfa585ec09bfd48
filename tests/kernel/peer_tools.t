#!/bin/bash
# SPDX-License-Identifier: MIT
# The peer of tests/peer, and what the tools say of it.
. "$(dirname "$0")/packages.sh"
need_packages peer python3-pyverbs || exit
# Minutes, as kernels wait for silent peers.
in_lab run -k 6.12 --rxe --cpus 2 -t 3600 --install "$MORE" --see "$PWD" -- "peer_tools.py $PWD"
