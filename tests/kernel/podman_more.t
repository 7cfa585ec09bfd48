#!/bin/bash
# SPDX-License-Identifier: MIT
# Containers of podman: pods, rootless, no eBPF, groups that are attached. Some minutes: only when named.
. "$(dirname "$0")/containers.sh"
in_installed -- "podman.py $BUILD/tests/programs more $*"
