# shellcheck shell=bash
# shellcheck disable=SC2015  # "a && b || c": c is for a failure of either
# shellcheck disable=SC2034  # other parts use the variables
# The kernels: names, sources, and building smc.ko with loopback-ism.
#
# A kernel in the cache is a directory kernels/RELEASE (or kernels/RELEASE-lo) with
#   vmlinuz, initrd   what QEMU boots; the initrd holds busybox and the modules a guest loads at boot
#   vmlinux           the same unpacked, which an emulated processor would take a second for; made when it is needed
#   root/             a layer of the guest's root: /lib/modules/RELEASE
#   release, version  its uname -r and its package version
# and a link kernels/NAME leads to the newest one; for another architecture NAME.ARCH. One that is built is
# kernels/RELEASE-HASH, with the hash of source and configuration, and kernels/NAME-HASH, with that of the configuration,
# leads to it: work trees that differ there do not take turns in building.

KERNELS=(lo 6.12 6.1 5.10 7.2)
# Kernels that "smc-lab setup" prepares
USUAL_KERNELS=(lo 6.12 6.1)
# Builds the modules with loopback-ism, for the package smc-loopback-dkms, too
SMC_LOOPBACK=$LAB/../packaging/dkms/smc-loopback

kernel_series() { if [[ $1 == lo ]]; then echo 6.12; else echo "$1"; fi; }

# is_built NAME: is the kernel built from source, with the configuration lab/kernel/NAME.config?
is_built() { [[ -e $LAB/kernel/$1.config ]]; }

short_hash() { sha256sum | cut -c1-16; }
config_hash() { short_hash <"$LAB/kernel/$1.config"; }

# Link of a kernel, below kernels/
kernel_link() { if is_built "$1"; then echo "$1-$(config_hash "$1")"; else of_arch "$1"; fi; }

kernel_about() {
	case $1 in
	lo) echo "SMC-D on one host (loopback-ism), SMC-R with --rxe between two guests" ;;
	6.12) echo "as the distribution ships it: SMC-R with --rxe, no SMC-D" ;;
	6.1) echo "as the distribution ships it: SMC handshake that falls back to TCP" ;;
	5.10) echo "as Debian 11 ships it: the same, without SMC's generic netlink and EIDs" ;;
	7.2) echo "built here, once: SMC-D on one host (DIBS loopback), SMC-R with --rxe, BTF" ;;
	esac
}

# known_kernel NAME: the release of one that a test has put into the cache is known, too
known_kernel() { [[ " ${KERNELS[*]} " == *" $1 "* ]] || [[ $1 == *-* && -e $CACHE/kernels/$1/release ]] || die "unknown kernel '$1' (there are: ${KERNELS[*]})"; }

# for_arch NAME: does this kernel exist for the guest's architecture?
for_arch() {
	known_kernel "$1"
	[[ $ARCH == amd64 || ! $1 =~ ^(5.10|7.2)$ ]] || die "the kernel $1 is there for amd64 only"
}

# Suites that carry a series, the one built with this machine's compiler first
kernel_suites() {
	case $(kernel_series "$1")/$(host_codename) in
	6.12/trixie) echo trixie bookworm-backports ;;
	6.12/*) echo bookworm-backports trixie ;;
	5.10/*) echo bullseye ;;
	7.2/*) echo sid forky ;;
	*) echo bookworm ;;
	esac
}

# find_kernel NAME [fresh]: prints SUITE RELEASE VERSION of the newest package
find_kernel() {
	local suite image series
	series=$(kernel_series "$1")
	for suite in $(kernel_suites "$1"); do
		index "$(of_arch "$suite")" "${2:-}" || continue
		if is_built "$1"; then image=$(newest_source "$suite" "$series"); else image=$(newest_image "$suite"); fi
		[[ $image == "$series".* ]] || continue
		printf '%s %s\n' "$suite" "$image"
		return
	done
	return 1
}

# RELEASE VERSION of a suite's kernel
newest_image() {
	lab_apt "$(of_arch "$1")" apt-cache show "linux-image-$ARCH" 2>/dev/null |
		sed -nE 's/^Depends: linux-image-([^ ]+) \(= ([^)]+)\).*/\1 \2/p' | sort -V | tail -n 1
}

# newest_source SUITE SERIES: RELEASE VERSION of the newest package with the source of the kernel
newest_source() {
	lab_apt "$1" apt-cache show "linux-source-$2" 2>/dev/null |
		sed -nE 's/^Version: (([^-~]+)[^ ]*)$/\2-smc-lab \1/p' | sort -V | tail -n 1
}

# source_hash SUITE SERIES VERSION: hash of the source package, from the signed package lists
source_hash() { lab_apt "$1" apt-cache show "linux-source-$2=$3" | sed -n 's/^SHA256: //p'; }

kernel_cached() { [[ -e $CACHE/kernels/$(kernel_link "$1")/.stamp ]]; }

# boot_image KERNEL_DIR: the image for QEMU: one with an ELF note for it (PVH) need not unpack itself
boot_image() {
	if [[ $ARCH != amd64 || $ACCEL != tcg ]]; then echo "$1/vmlinuz"; return; fi
	if [[ ! -e $1/vmlinux ]]; then
		unpack_image "$1/vmlinuz" >"$1/vmlinux.$$" && LC_ALL=C grep -aqP '\x12\0\0\0Xen\0' "$1/vmlinux.$$" || : >"$1/vmlinux.$$"
		mv -T -- "$1/vmlinux.$$" "$1/vmlinux"
	fi
	if [[ -s $1/vmlinux ]]; then echo "$1/vmlinux"; else echo "$1/vmlinuz"; fi
}

# image_number FILE OFFSET SIZE
image_number() { od -An -v "-tu$3" -j "$2" -N "$3" -- "$1" | tr -d ' '; }

# unpack_image VMLINUZ: decompress the kernel. The header has the offset and the length of the payload
# (Documentation/arch/x86/boot.rst).
unpack_image() {
	local start length payload=(head -c -4) unpack
	start=$((($(image_number "$1" 0x1f1 1) + 1) * 512 + $(image_number "$1" 0x248 4))) length=$(image_number "$1" 0x24c 4)
	case $(od -An -tx1 -j "$start" -N 3 -- "$1") in
	' 28 b5 2f') unpack=(zstd -qdc) ;;
	' fd 37 7a') unpack=(xz -dc) ;;
	' 1f 8b 08') unpack=(gzip -dc) payload=(cat) ;;
	*) return 1 ;;
	esac
	tail -c "+$((start + 1))" -- "$1" | head -c "$length" | "${payload[@]}" | "${unpack[@]}"
}

# need_kernel NAME: use the cached kernel
need_kernel() { kernel_cached "$1" || setup_kernel "$1"; }

# setup_kernel NAME: update the cache to the newest version
setup_kernel() {
	local suite release version found dir
	found=$(find_kernel "$1" fresh) || {
		kernel_cached "$1" && { say "no network: keeping the $1 kernel that is there"; return; }
		die "cannot fetch the lists of a suite with a $(kernel_series "$1") kernel ($(kernel_suites "$1"))"
	}
	read -r suite release version <<<"$found"
	artefact busybox 1 build_busybox host
	! is_foreign || artefact "busybox.$ARCH" 1 build_busybox "host.$ARCH"
	need_cross
	if is_built "$1"; then
		dir=$release-$({ source_hash "$suite" "$1" "$version"; config_hash "$1"; } | short_hash)
		artefact "kernels/$dir" "$version" build_own "$suite" "$1" "$release" "$version"
		point "kernels/$(kernel_link "$1")" "$dir"
		return
	fi
	artefact "kernels/$release" "$version" build_stock "$suite" "$release" "$version"
	if [[ $1 == lo ]]; then
		artefact "kernels/$release-lo" "$version" build_lo "$suite" "$release" "$version"
		point "kernels/$(of_arch "$1")" "$release-lo"
	else
		point "kernels/$(of_arch "$1")" "$release"
	fi
}

# Build busybox for the guest. This machine's /bin/busybox is optional, and may not be static.
build_busybox() {
	local deb
	index "$1" && deb=$(fetch_debs "$1" busybox-static) || return
	unpack "$deb" "$2" && rm -f -- "$deb" && cp -- "$2/bin/busybox" "$2/busybox"
}

build_stock() {
	local suite=$1 release=$2 version=$3 dir=$4 deb
	deb=$(fetch_debs "$(of_arch "$suite")" "linux-image-$release=$version") || return
	say "unpacking linux $release"
	unpack "$deb" "$dir/root" || return
	mv -- "$dir/root/boot/vmlinuz-$release" "$dir/vmlinuz" &&
		mv -- "$dir/root/boot/config-$release" "$dir/config" &&
		rm -rf -- "$dir/root/boot" &&
		finish_kernel "$dir" "$release" "$version" &&
		rm -f -- "$deb"
}

# The same image; net/smc is compiled again with the option that the distribution leaves off.
# Hard links: the second module tree costs no space.
build_lo() {
	local suite=$1 release=$2 version=$3 dir=$4 stock=$CACHE/kernels/$2 work
	work=$(build_folder "$dir") || return
	LAB_TMP+=("$work")
	compile_smc "$suite" "$release" "$version" "$work" || return
	cp -al -- "$stock/root" "$dir/root" && cp -l -- "$stock/vmlinuz" "$stock/config" "$dir" || return
	local smc=$dir/root/lib/modules/$release/kernel/net/smc
	rm -f -- "$smc"/*.ko* "$dir/root/lib/modules/$release"/modules.{alias,dep,symbols,softdep,devname,weakdep}*
	rm -f -- "$dir/root/lib/modules/$release"/modules.builtin.{bin,alias.bin}
	cp -- "$work"/net/smc/smc.ko "$work"/net/smc/smc_diag.ko "$smc" || return
	rm -rf -- "$work"
	finish_kernel "$dir" "$release" "$version"
}

# build_folder DIRECTORY: makes DIRECTORY/build and prints its path. If this run is killed, the next one removes it.
# Kernel make files fail in a path with blanks or colons: then it is a temporary directory.
build_folder() {
	if [[ $1 == *[[:space:]:]* ]]; then mktemp -d; else mkdir -- "$1/build" && printf '%s\n' "$1/build"; fi
}

compile_smc() {
	local suite=$1 release=$2 version=$3 work=$4 debs series=${2%%.*}
	series+=.$(cut -d. -f2 <<<"$release")
	index "$suite" || return
	# the kbuild and the common headers carry the release without the flavour; the kbuild is this machine's
	mapfile -t debs < <(
		fetch_debs "$(of_arch "$suite")" "linux-headers-$release=$version"
		fetch_debs "$suite" {"linux-headers-${release%-*}-common","linux-kbuild-${release%-*}","linux-source-$series"}="$version"
	)
	((${#debs[@]} == 4)) || return
	say "building smc.ko with loopback-ism for $release"
	unpack "${debs[@]:0:3}" "$work" &&
		unpack "${debs[3]}" "$work/source" &&
		"$SMC_LOOPBACK" unpack "$work/source/usr/src/linux-source-$series.tar.xz" "$work" &&
		make_modules "$work" "$work/usr/src/linux-headers-$release" >"$work/log" 2>&1 ||
		{ tail -n 20 -- "$work/log" >&2; return 1; }
	rm -f -- "${debs[@]}"
}

make_modules() {
	local work=$1 headers=$2 compiler
	# the make file of the flavour includes the common one by its absolute path
	sed -i "s,/usr/src/,$work/usr/src/,g" "$headers/Makefile" || return
	compiler=$(sed -nE 's/^CONFIG_CC_VERSION_TEXT="[^ ]*(gcc-[0-9]+) .*/\1/p' "$headers/.config")
	! is_foreign || compiler=$TRIPLET-gcc
	command -v "${compiler:-none}" >/dev/null || is_foreign || compiler=gcc
	with_cross "$SMC_LOOPBACK" make "$headers" "$work" CC="$compiler" ARCH="$LINUX_ARCH" CROSS_COMPILE="$TRIPLET-" -j"$(nproc)"
}

# Build from the distribution's source with a configuration of this tree. Nothing is a module.
build_own() {
	local suite=$1 series=$2 release=$3 version=$4 dir=$5 deb work start=$SECONDS
	deb=$(fetch_debs "$suite" "linux-source-$series=$version") && work=$(build_folder "$dir") || return
	LAB_TMP+=("$work")
	say "building linux $release, once: about ten minutes on two processors"
	unpack_source "$deb" "$work" "$series" &&
		configure_kernel "$work" "$LAB/kernel/$series.config" &&
		make_kernel "$work" bzImage >"$work/log" 2>&1 || {
		[[ ! -e $work/log ]] || tail -n 20 -- "$work/log" >&2
		return 1
	}
	mkdir -p -- "$dir/root/usr/lib/modules/$release" && ln -s usr/lib "$dir/root/lib" &&
		cp -- "$work"/modules.builtin{,.modinfo} "$dir/root/lib/modules/$release" &&
		: >"$dir/root/lib/modules/$release/modules.order" &&
		cp -- "$work/arch/x86/boot/bzImage" "$dir/vmlinuz" && cp -- "$work/.config" "$dir/config" || return
	rm -rf -- "$work"
	finish_kernel "$dir" "$release" "$version" && rm -f -- "$deb"
	say "built linux $release in $((SECONDS - start)) s"
}

# Skip parts that take long to unpack and that guests do not need
unpack_source() {
	dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/linux-source-$3.tar.xz" |
		tar -xJ -C "$2" --strip-components=1 --exclude='*/arch/[!x]*/boot/*' --exclude='*/tools/testing/*' \
			--exclude='*/drivers/gpu/drm/amd/include/*' --exclude='*/Documentation/[a-z]*/*'
}

make_kernel() {
	local work=$1
	shift
	make -C "$work" ARCH=x86 KBUILD_BUILD_USER=smc-lab KBUILD_BUILD_HOST=smc-lab -j"$(nproc)" "$@"
}

# configure_kernel WORK CONFIG: fail if the source lacks an option
configure_kernel() {
	local left
	make_kernel "$1" KCONFIG_ALLCONFIG="$2" allnoconfig >"$1/log" 2>&1 || return
	left=$(grep '^CONFIG_' -- "$2" | grep -vxFf "$1/.config")
	[[ -z $left ]] || { say "this source does not take ${left//$'\n'/, }"; return 1; }
}

finish_kernel() {
	local dir=$1
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$dir/root" "$2" || return
	printf '%s\n' "$2" >"$dir/release" && printf '%s\n' "$3" >"$dir/version" || return
	build_initrd "$dir" "$2"
}

# The modules are loaded in this order, each group only when a guest needs it
initrd_groups() {
	cat <<-'END'
		root virtio_pci virtio_console 9pnet_virtio 9p overlay virtio_rng
		smc smc smc_diag
		net virtio_net
		rxe crc32_generic rdma_rxe
	END
}

# Modules go in decompressed and uncompressed: unpacking is slow in an emulated machine
build_initrd() {
	local dir=$1 release=$2 tree=$1/initrd.d group names
	mkdir -p -- "$tree"/{bin,dev,proc,sys,modules} || return
	cp -- "$CACHE/$(of_arch busybox)/busybox" "$tree/bin/busybox" || return
	while read -r group names; do
		# shellcheck disable=SC2086  # a list of names
		add_modules "$dir/root" "$release" "$tree/modules" $names >"$tree/modules/$group" || return
	done < <(initrd_groups)
	pack_initrd "$tree" >"$dir/initrd" || return
	rm -rf -- "$tree"
}

# add_modules ROOT RELEASE DEST NAME...: copy them with their dependencies, print the order
add_modules() (
	root=$1 release=$2 dest=$3
	shift 3
	set -o pipefail
	for name; do
		# "|| true": built into this kernel, or unknown to it
		PATH=$PATH:/usr/sbin:/sbin modprobe -d "$root" -S "$release" --show-depends "$name" 2>/dev/null || true
	done | sed -nE 's/^insmod (.*\.ko(\.[a-z]+)?) .*/\1/p' | while IFS= read -r file; do
		base=${file##*/}
		base=${base%%.ko*}.ko
		[[ -e $dest/$base ]] || decompress "$file" >"$dest/$base" || exit
		printf '%s\n' "$base"
	done | awk '!seen[$0]++'
)

decompress() {
	case $1 in
	*.xz) xz -dc -- "$1" ;;
	*.zst) zstd -qdc -- "$1" ;;
	*) cat -- "$1" ;;
	esac
}

pack_initrd() {
	(cd "$1" && find . -print | "$CACHE/busybox/busybox" cpio -o -H newc 2>/dev/null)
}

list_kernels() {
	local name state
	printf '%-6s %-24s %-8s %s\n' NAME VERSION CACHED "WHAT IT CAN DO"
	for name in "${KERNELS[@]}"; do
		state=no
		kernel_cached "$name" && state=yes
		printf '%-6s %-24s %-8s %s\n' "$name" \
			"$(cat -- "$CACHE/kernels/$(kernel_link "$name")/release" 2>/dev/null || echo "$(kernel_series "$name").x")" \
			"$state" "$(kernel_about "$name")"
	done
}
