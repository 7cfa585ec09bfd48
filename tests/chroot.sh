# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A system in a directory, entered as a whole machine: for tests/distro and tests of packages.

# enter ROOT COMMAND...: run a command with ROOT as its root directory, an environment of its own, and a new PID
# namespace. Mounts below ROOT are kept. pivot_root(8) is used because processes in a chroot(2) cannot create user
# namespaces.
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

# copy_tree TREE DIRECTORY: a clone of the current tree, without files ignored by git
copy_tree() {
	git -c safe.directory='*' clone -q --no-hardlinks "$1" "$2" &&
		git -C "$1" ls-files -z -co --exclude-standard --deduplicate | (
			cd "$1" && while IFS= read -r -d '' name; do [ ! -e "$name" ] || printf '%s\0' "$name"; done |
				tar -c --null -T - -f -
		) | tar -x -C "$2"
}

# make_copy DIRECTORY TREE PACKAGES: what in_copy needs, in the mount namespace of the caller
make_copy() {
	mount -t tmpfs tmpfs "$1" && mkdir "$1"/{root,upper,work} &&
		mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root" &&
		mkdir -p "${1}/root/mnt/"{lower,upper,tree,packages} && mount --bind / "$1/root/mnt/lower" &&
		mount --bind "$1/upper" "$1/root/mnt/upper" && mount --bind "$2" "$1/root/mnt/tree" &&
		mount --bind "$3" "$1/root/mnt/packages" && mount -t tmpfs tmpfs "$1/root/run" &&
		mount -t tmpfs -o mode=1777 tmpfs "$1/root/tmp"
}

# in_copy TREE PACKAGES COMMAND...: run a command in a temporary copy of this machine's files, in memory. TREE and
# PACKAGES are /mnt/tree and /mnt/packages there, /mnt/lower is the original, /mnt/upper has the changes. No service
# manager runs in the copy, and no eBPF of this machine is visible there.
in_copy() {
	local dir status
	dir=$(mktemp -d) || return
	export -f enter make_copy
	# shellcheck disable=SC2016 # the inner shells expand
	unshare --mount --propagation private bash -c 'make_copy "${@:1:3}" &&
		enter "$1/root" sh -c "mount -t bpf bpf /sys/fs/bpf 2>/dev/null; exec \"\$@\"" sh "${@:4}"' bash "$dir" "$@"
	status=$?
	rmdir "$dir"
	return "$status"
}
