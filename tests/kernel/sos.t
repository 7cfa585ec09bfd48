#!/bin/bash
# SPDX-License-Identifier: MIT
# The plugin of packaging/sos, run by Debian's sosreport.
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/kernel/containers.sh
. "$PWD/tests/kernel/containers.sh"
# shellcheck source=tests/kernel/packages.sh
. "$PWD/tests/kernel/packages.sh"
trap 'remove_tmp; rm -rf --one-file-system "${REMOVE[@]}"' EXIT
need_packages sos sosreport
install_tools && cp -a "$MORE/." "$INSTALLED" || exit
in_installed -- "sos.py $PWD/docs/troubleshooting.md"
