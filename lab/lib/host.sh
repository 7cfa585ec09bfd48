# shellcheck shell=bash
# Requirements of this machine: QEMU and the tools that prepare a guest.

# Lines of "FILE PACKAGE" or "COMMAND PACKAGE". gcc and make build the kernel's smc.ko with loopback-ism. The last group
# builds kernels that are named as arguments and not yet built.
host_needs() {
	local name
	is_foreign || echo "qemu-system-$QEMU_NAME $QEMU_PACKAGE"
	cat <<-'END'
		depmod kmod
		xz xz-utils
		zstd zstd
		tar tar
		gcc gcc
		make make
		flock util-linux
		setpriv util-linux
		/usr/bin/python3 python3
	END
	for name; do
		if ! is_built "$name" || kernel_cached "$name"; then continue; fi
		cat <<-'END'
			flex flex
			bison bison
			bc bc
			pahole pahole
			/usr/include/libelf.h libelf-dev
		END
	done
}

missing_packages() {
	local command package
	host_needs "$@" | while read -r command package; do
		[[ $command == /* && -e $command ]] || PATH=$PATH:/usr/sbin:/sbin command -v "$command" >/dev/null || printf '%s\n' "$package"
	done | sort -u
}

check_machine() {
	[[ $(uname -m) == x86_64 ]] || die "the lab needs an x86-64 machine, this is $(uname -m)"
	command -v apt-get dpkg-deb >/dev/null || die "the lab needs a machine with apt (Debian 12 or later)"
}

# need_host install|check KERNEL...
need_host() {
	local missing how=$1
	shift
	check_machine
	mapfile -t missing < <(missing_packages "$@")
	((${#missing[@]})) || return 0
	if [[ $how != install ]]; then
		die "this machine lacks ${missing[*]}: run 'smc-lab setup $*' as root, or install them"
	fi
	((EUID == 0)) || die "this machine lacks ${missing[*]}: install them, or run this as root"
	say "installing ${missing[*]} on this machine"
	install_packages "${missing[@]}" || die "apt-get cannot install ${missing[*]}"
}

# The only function that changes the host. Package lists of the host may be older than the archive.
install_packages() {
	local install=(apt-get install -qq -y --no-install-recommends)
	export DEBIAN_FRONTEND=noninteractive
	"${install[@]}" "$@" >/dev/null 2>&1 && return
	apt-get -qq update >&2
	"${install[@]}" "$@" >&2
}
