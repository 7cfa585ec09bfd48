#!/bin/bash
# SPDX-License-Identifier: MIT
# Containers of podman: pods, rootless, what is not possible. Some minutes: only when named.
. "$(dirname "$0")/podman.sh"
in_podman more "$@"
