#!/bin/bash
# SPDX-License-Identifier: MIT
# Containers of podman: pods, rootless, images by the Containerfiles; systemd-nspawn. Some minutes: only when named.
. "$(dirname "$0")/podman.sh"
in_podman more "$@"
