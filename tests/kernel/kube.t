#!/bin/bash
# SPDX-License-Identifier: MIT
# The files of examples/kubernetes as they are, by podman kube play, with the hook. Some minutes: only when named.
# usage: kube.t [TEST...]
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/kernel/containers.sh
. "$PWD/tests/kernel/containers.sh"
# shellcheck source=tests/kernel/packages.sh
. "$PWD/tests/kernel/packages.sh"
trap 'remove_tmp; rm -rf --one-file-system "${REMOVE[@]}"' EXIT
need_packages kube netavark aardvark-dns iptables
install_tools && cp -a "$MORE/." "$INSTALLED" || exit
in_installed -m 4G -- "kube.py $PWD/examples/kubernetes $*"
