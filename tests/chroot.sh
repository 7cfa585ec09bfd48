# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A system in a directory, as the whole machine: for tests/distro and tests/package-scripts.

# enter ROOT COMMAND...: as root of it, with an environment and processes of its own; mounts below ROOT come along.
# By pivot_root(8): what is in a chroot(2) makes no user namespaces.
enter() {
	# shellcheck disable=SC2016 # the inner shell expands
	unshare --mount --pid --fork --kill-child --propagation private sh -eu -c '
		mount --rbind "$1" "$1"
		cd "$1"
		shift
		mount -t proc proc proc
		mount --rbind /dev dev
		mount --rbind /sys sys
		pivot_root . .
		umount -l .
		cd /
		exec env -i HOME=/root USER=root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$@"
}
