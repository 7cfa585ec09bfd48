# shellcheck shell=bash
# shellcheck disable=SC2034,SC2054  # other parts use the variables; QEMU's options have commas
# Architectures: this machine's own, and others by emulation.

# Guests:
ARCHES=(amd64 arm64 s390x)

HOST_ARCH=$(dpkg --print-architecture 2>/dev/null)
ARCH=$HOST_ARCH

# name_arch ARCH (Debian's): names for the compiler and QEMU
name_arch() {
	case $1 in
	amd64) TRIPLET=x86_64-linux-gnu QEMU_NAME=x86_64 ;;
	arm64) TRIPLET=aarch64-linux-gnu QEMU_NAME=aarch64 ;;
	armhf) TRIPLET=arm-linux-gnueabihf QEMU_NAME=arm ;;
	i386) TRIPLET=i686-linux-gnu QEMU_NAME=i386 ;;
	ppc64el) TRIPLET=powerpc64le-linux-gnu QEMU_NAME=ppc64le ;;
	riscv64) TRIPLET=riscv64-linux-gnu QEMU_NAME=riscv64 ;;
	s390x) TRIPLET=s390x-linux-gnu QEMU_NAME=s390x ;;
	*) return 1 ;;
	esac
	ARCH=$1
}

has_guests() { [[ " ${ARCHES[*]} " == *" $1 "* ]]; }

# set_arch ARCH: the guest's, with the kernel's name for it, its bus and its console
set_arch() {
	has_guests "$1" || die "unknown architecture '$1' (there are: ${ARCHES[*]})"
	name_arch "$1"
	case $1 in
	amd64)
		LINUX_ARCH=x86 QEMU_PACKAGE=qemu-system-x86 BUS=pci CONSOLE=ttyS0
		MACHINE=(-serial chardev:console) ;;
	arm64)
		LINUX_ARCH=arm64 QEMU_PACKAGE=qemu-system-arm BUS=pci CONSOLE=ttyAMA0
		MACHINE=(-machine virt -serial chardev:console) ;;
	s390x)
		LINUX_ARCH=s390 QEMU_PACKAGE=qemu-system-s390x BUS=ccw CONSOLE=ttysclp0
		MACHINE=(-machine s390-ccw-virtio -device sclpconsole,chardev=console) ;;
	esac
}

is_foreign() { [[ $ARCH != "$HOST_ARCH" ]]; }

# of_arch NAME: cache entry for the guest's architecture; this machine's own has no suffix
of_arch() { if is_foreign; then printf '%s.%s\n' "$1" "$ARCH"; else printf '%s\n' "$1"; fi; }

# A compiler and an emulator of single programs for the guest's architecture, unpacked: installed, they would remove
# gcc-multilib
need_cross() {
	is_foreign || return 0
	artefact "cross/$ARCH" 1 build_cross
	CROSS=$CACHE/cross/$ARCH/root/usr
}

build_cross() {
	index host && unpack_missing host "$1/root" "gcc-$TRIPLET" qemu-user-static
}

# QEMU for guests of another architecture, unpacked as well
need_qemu() {
	is_foreign || return 0
	artefact "qemu/$ARCH" "$(host_codename)" build_qemu
}

# The newest that there is for this release: up to 7.2, s390x loses segments that end a TCP connection, and computes
# wrong checksums of those that come from a wire. Hide this machine's QEMU from apt, which would install it as well.
build_qemu() {
	local suite=host newest=()
	if index host+backports; then
		suite=host+backports newest=(-t "$(host_codename)-backports")
	else
		index host || return
	fi
	awk -v RS= -v ORS='\n\n' '!/^Package: qemu-/' /var/lib/dpkg/status >"$1/status" || return
	unpack_missing "$suite" "$1/root" -o Dir::State::status="$1/status" "${newest[@]}" "$QEMU_PACKAGE" && rm -f -- "$1/status"
}

good_checksums() {
	local QEMU
	qemu_program
	(($("${QEMU[@]}" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p;q') + 0 >= 8))
}

# qemu_program: sets QEMU to the words that QEMU's command line begins with
qemu_program() {
	local root=$CACHE/qemu/$ARCH/root/usr
	QEMU=("qemu-system-$QEMU_NAME")
	! is_foreign || QEMU=(env "LD_LIBRARY_PATH=$root/lib/$(gcc -print-multiarch)" "$root/bin/${QEMU[0]}" -L "$root/share/qemu")
}

# with_cross COMMAND...
with_cross() {
	if is_foreign; then
		PATH=$CROSS/bin:$PATH LD_LIBRARY_PATH=$CROSS/lib/$(gcc -print-multiarch) "$@"
	else
		"$@"
	fi
}
