#!/bin/bash
# SPDX-License-Identifier: MIT
# packaging/dkms/smc-loopback: which kernels it refuses, and why; in made-up trees of systems. tests/loopback builds and loads the
# modules.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
export LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
script=$PWD/packaging/dkms/smc-loopback
export ROOT=$tmp/root PATH=$tmp/bin:$PATH DPKG_ADMINDIR=$tmp/root/var/lib/dpkg
modules=$ROOT/lib/modules

# kernel RELEASE CONFIG: an installed kernel with its headers; no option of CONFIG that is "is not set" is =m
kernel() {
	local dir=$modules/$1/build major minor patch
	IFS=.+- read -r major minor patch _ <<<"$1"
	mkdir -p "$dir/include/generated/uapi/linux" "$modules/$1/kernel/net/smc"
	printf '%s\n' "$2" >"$dir/.config"
	printf '#define LINUX_VERSION_%s %s\n' CODE 0 MAJOR "$major" PATCHLEVEL "$minor" SUBLEVEL "$patch" >"$dir/include/generated/uapi/linux/version.h"
	printf '%s\t%s\tvmlinux\tEXPORT_SYMBOL\t\n' 0x1 sock_no_mmap 0x2 tcp_prot >"$dir/Module.symvers"
	module "$modules/$1/kernel/net/smc/smc.ko" "$1 SMP" 0x1 sock_no_mmap
}

# module FILE VERMAGIC CRC SYMBOL...: what the stubs of modinfo and modprobe say about it
module() {
	{ echo "$2"; printf '%s\t%s\n' "${@:3}"; } >"$1"
}

# source VERSION: the package with the source of its series
source_of() {
	local name=linux-source-${1%.*}
	mkdir -p "$tmp/$name/net/smc" "$tmp/$name/tools/net/smc" "$ROOT/usr/src"
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\nEXTRAVERSION =\n' "${1%%.*}" "$(cut -d. -f2 <<<"$1")" "${1##*.}" >"$tmp/$name/Makefile"
	touch "$tmp/$name"/{net,tools/net}/smc/smc_loopback.c
	tar -C "$tmp" -cJf "$ROOT/usr/src/$name.tar.xz" "$name"
}

# packages NAME VERSION...: installed ones
packages() {
	mkdir -p "$ROOT/var/lib/dpkg/info" "$ROOT/var/lib/dpkg/updates"
	printf 'Package: %s\nStatus: install ok installed\nArchitecture: all\nMaintainer: x <x@y>\nVersion: %s\nDescription: x\n\n' "$@" >"$ROOT/var/lib/dpkg/status"
}

mkdir "$tmp/bin"
# shellcheck disable=SC2016 # the stubs expand
printf '#!/bin/sh\nif [ "$1" = -n ]; then echo "$FOUND"; else sed -n 1p "$3"; fi\n' >"$tmp/bin/modinfo"
# shellcheck disable=SC2016
printf '#!/bin/sh\nsed 1d "$2"\n' >"$tmp/bin/modprobe"
printf '#!/bin/sh\necho "$@" >%s/made\n' "$tmp" >"$tmp/bin/make"
printf '#!/bin/sh\necho smcd "$@"\n' >"$tmp/bin/smcd"
chmod +x "$tmp"/bin/*

M='CONFIG_SMC=m
# CONFIG_SMC_LO is not set'
kernel 6.12.95+x-amd64 "$M"
kernel 6.12.90+x-amd64 "$M"
kernel 6.1.4-amd64 "$M"
kernel 6.18.1-amd64 'CONFIG_SMC=m'
kernel 6.14.2-amd64 "$M"
kernel 7.2.13+x-amd64 '# CONFIG_SMC is not set'
kernel 6.12.1-builtin 'CONFIG_SMC=y'
kernel 6.12.1-lo 'CONFIG_SMC=m
CONFIG_SMC_LO=y'
source_of 6.12.95

# ---- check ----
capture "$script" check 6.12.95+x-amd64
is "$rc$out$err" 0 'a kernel that was built from the installed source'
# refusals: release, what distinguishes the sentence
while read -r release pattern; do
	capture "$script" check "$release"
	refused 1 "^smc-loopback: ${release%%+*}.*: .*$pattern" "refused: $release"
done <<'END'
5.10.0-none linux-headers-5.10.0-none
7.2.13+x-amd64 CONFIG_SMC\)
6.12.1-builtin CONFIG_SMC=y
6.12.1-lo already
6.1.4-amd64 6\.10$
6.18.1-amd64 CONFIG_DIBS_LO
6.14.2-amd64 apt install linux-source-6\.14$
END
capture "$script" check 6.14.2-amd64 "$tmp/linux-source-6.12"
is "$rc$err" 0 'another source is given'
if command -v dpkg-query >/dev/null; then
	packages linux-source-6.12 6.12.95-1 linux-headers-6.12.95+x-amd64 6.12.95-1
	capture "$script" check 6.12.95+x-amd64
	is "$rc$err" 0 'packages of the same version'
	packages linux-source-6.12 6.12.95-1 linux-headers-6.12.95+x-amd64 6.12.95-2
	capture "$script" check 6.12.95+x-amd64
	refused 1 '6\.12\.95-2.*6\.12\.95-1' 'refused: packages of two versions'
	packages linux-source-6.12 6.12.95-1
else
	skip 'versions of packages' 'no dpkg'
fi

# ---- build ----
capture "$script" build 6.12.90+x-amd64 "$tmp/b"
refused 1 '6\.12\.90.*6\.12\.95' 'refused: source of another version'
[ ! -e "$tmp/made" ]
ok $? 'and nothing is compiled'
rm -rf "$tmp/b"
mkdir -p "$tmp/b/net/smc"
module "$tmp/b/net/smc/smc.ko" '6.12.95+x-amd64 SMP' 0x1 sock_no_mmap 0x2 tcp_prot
module "$tmp/b/net/smc/smc_diag.ko" '6.12.95+x-amd64 SMP' 0x9 smc_v4_hashinfo
capture "$script" build 6.12.95+x-amd64 "$tmp/b"
is "$rc$err" 0 'built and compared'
like "$(cat "$tmp/made")" "M=$tmp/b/net/smc .*CONFIG_SMC_LO=y" 'with loopback'
is "$(cd "$tmp/b" && find . -type f | sort | paste -sd' ')" './Makefile ./net/smc/smc.ko ./net/smc/smc_diag.ko ./net/smc/smc_loopback.c' \
	'only what is needed is unpacked'

# ---- compare ----
# differs WHAT PATTERN VERMAGIC CRC SYMBOL...
differs() {
	module "$tmp/smc.ko" "${@:3}"
	capture "$script" compare 6.12.95+x-amd64 "$tmp/smc.ko"
	refused 1 "$2" "refused: $1"
}
differs 'another vermagic' '6\.12\.90 SMP.*6\.12\.95\+x-amd64 SMP' '6.12.90 SMP' 0x1 sock_no_mmap
differs 'another version of a function' sock_no_mmap '6.12.95+x-amd64 SMP' 0x7 sock_no_mmap
differs 'a function that the kernel lacks' tcp_none '6.12.95+x-amd64 SMP' 0x1 tcp_none
module "$modules/6.12.95+x-amd64/kernel/net/smc/smc.ko" '6.12.95+x-amd64 SMP' 0x5 tcp_prot
differs 'headers of another build than the kernel' tcp_prot '6.12.95+x-amd64 SMP' 0x2 tcp_prot
rm "$modules/6.12.95+x-amd64/kernel/net/smc/smc.ko"
differs 'no module of the kernel' 'smc is not installed' '6.12.95+x-amd64 SMP' 0x1 sock_no_mmap

# ---- eid ----
# sets_eid WHAT OUTPUT PATH
sets_eid() {
	FOUND=$3 capture "$script" eid
	is "$rc$out$err" "0$2" "EID: $1"
}
mkdir -p "$ROOT/proc/sys/kernel/random"
echo 0a1b2c3d-4e5f-6789-abcd-ef0123456789 >"$ROOT/proc/sys/kernel/random/boot_id"
sets_eid 'of this boot' 'smcd ueid add LO-0A1B2C3D4E5F6789ABCDEF01' /lib/modules/x/updates/dkms/smc.ko.xz
sets_eid "none for the kernel's own module" '' /lib/modules/x/kernel/net/smc/smc.ko.xz
mkdir -p "$ROOT/etc/smc-tools"
sets_eid 'none beside those of smc.conf(5)' '' /lib/modules/x/updates/dkms/smc.ko.xz

# ---- dkms ----
printf '#!/bin/sh\necho "$@" >>%s/dkms\necho x: added\n' "$tmp" >"$tmp/bin/dkms"
chmod +x "$tmp/bin/dkms"
capture "$script" dkms
is "$rc$(grep -c x-amd64 <<<"$out")" 02 'modules for each kernel that can have them'
like "$out" '^smc-loopback: 6\.12\.95\+x-amd64: SMC-D works over loopback after: smcd ueid add NAME$' 'and what is left to be done'
unlike "$out" mokutil 'no word about Secure Boot'
mkdir -p "$ROOT/sys/firmware/efi/efivars"
printf '\6\0\0\0\1' >"$ROOT/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
capture "$script" dkms
like "$out" '^smc-loopback: Secure Boot is on; .*: mokutil --import /var/lib/dkms/mok.pub, then boot$' 'where it is on: what to enrol'
plan_done
