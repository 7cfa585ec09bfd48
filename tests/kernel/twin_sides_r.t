#!/bin/bash
# SPDX-License-Identifier: MIT
# The twin under rsocket's preload library, over Soft-RoCE: from a package that the guest's root lacks.
. "$(dirname "$0")/packages.sh"
need_packages rsocket librdmacm1
in_lab run -k 6.12 --rxe -t 3600 --install "$MORE" -- "twin_sides.py rsocket"
