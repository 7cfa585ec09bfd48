#!/bin/bash
# SPDX-License-Identifier: MIT
# The peer of tests/peer over a link of Soft-RoCE: honest, and by script not.
. "$(dirname "$0")/packages.sh"
need_packages peer python3-pyverbs || exit
# Emulated, 20 000 messages each way in both roles take minutes.
in_lab run -k 6.12 --rxe --cpus 2 -t 3600 --install "$MORE" --see "$PWD/tests/peer" -- "peer_link.py $PWD/tests/peer${WORD:+ $WORD}"
