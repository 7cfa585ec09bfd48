#!/bin/bash
# SPDX-License-Identifier: MIT
# Containers of podman with crun and runc: smc_bpf oci-hook, as it is installed; then docs/tutorial.md. The rest is in podman_more.t,
# images.t, runtimes.t.
. "$(dirname "$0")/containers.sh"
in_installed -- "podman.py $BUILD/tests/programs short"
