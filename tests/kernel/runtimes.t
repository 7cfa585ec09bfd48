#!/bin/bash
# SPDX-License-Identifier: MIT
# Containers of podman under systemd, quadlets, containerd as Kubernetes uses it, docker and compose, systemd-nspawn, LXC:
# Debian 13's, under its systemd, whichever release this machine has. Some minutes, and 200 MB of packages: only when named.
# usage: [RELEASE=forky] runtimes.t [TEST...]: that release's runtimes, such as containerd 2, instead
. "$(dirname "$0")/containers.sh"
LAB=$PWD/lab
RELEASE=${RELEASE:-trixie}
name=runtimes
[ "$RELEASE" = trixie ] || name+=-$RELEASE
for part in common apt arch root; do
	# shellcheck source=/dev/null
	. "$LAB/lib/$part.sh"
done

PACKAGES='base-files base-passwd bash busybox-static conmon containerd coreutils crun dash dbus docker.io docker-cli docker-compose
findutils grep iproute2 iptables jq kmod libc-bin lxc mawk mount netavark passwd podman procps python3 python3-grpcio redis-server
redis-tools runc sed systemd systemd-container util-linux'

# Packages that the tools need, as in an image.
libraries() {
	awk '/^FROM/ { stage++ } stage == 2' packaging/container/Containerfile | tr -s '\\\t ' '\n' | grep '^lib.*[0-9]$'
}

# build_tree PACKAGE... DIRECTORY
build_tree() {
	local root=${!#}/root
	# A package has /var/run as a directory.
	index "$RELEASE.amd64" && unpack_missing "$RELEASE.amd64" "$root" "${@:1:$#-1}" && rm -rf "$root/var/run" && configure_root "$root"
}

mapfile -t packages < <(echo "$PACKAGES" | tr ' ' '\n'; libraries)
make_cache
artefact "$name" "${packages[*]}" build_tree "${packages[@]}"
install_tools || exit
in_installed -m 4G --see "$CACHE/$name/root" --see "$INSTALLED" -- "runtimes.py $CACHE/$name/root $INSTALLED $*"
