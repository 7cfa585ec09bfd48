# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# The library in programs that bring a loader and a glibc of their own, older than this system's, as AppImages, snaps and
# Nix do: Debian 11's, where dlsym() is not in libc; sourced by run.
# shellcheck source=tests/preload/programs.sh
. "$here/programs.sh"
old=$tmp/old

# unpack_old DIRECTORY: that glibc, with links that work there
unpack_old() {
	mapfile -t debs < <(fetch_debs "bullseye.$(dpkg --print-architecture)" libc6 libc6-dev libgcc-s1)
	[ ${#debs[@]} = 3 ] && unpack "${debs[@]}" "$1" || return
	find "$1" -type l -lname '/*' | while read -r link; do
		ln -sf "$1$(readlink "$link")" "$link"
	done
}

# old_glibc DIRECTORY: unpack it, if the lab can have it
old_glibc() (
	for part in common apt; do
		# shellcheck source=/dev/null
		. "$here/../../lab/lib/$part.sh"
	done
	make_cache && index "bullseye.$(dpkg --print-architecture)" && unpack_old "$1"
)

# old_loads TEXT PROGRAM: with a fake libc below, and in what a shell of this system starts
old_loads() {
	is "$(LD_PRELOAD=$shim:$fake "$2" table)" '9240 rows, 0 wrong' "$1: mapping table, AF_SMC"
	is "$(LD_PRELOAD=$fake "$2" table | tail -n 1)" '9240 rows, 32 wrong' "$1: without the library the table fails: it can"
	is "$(FAKE_SMC=97 FAKE_INET=97 LD_PRELOAD=$shim:$fake "$2" call 2 1 0)" 'ok errno kept' "$1: no SMC: TCP instead"
	is "$("$BUILD/smc_run" --quiet "$2" call 2 1 0 10 1 6 2>&1)" 'ok errno kept
ok errno kept' "$1: smc_run"
	# shellcheck disable=SC2016 # the inner shell expands
	is "$("$BUILD/smc_run" --quiet --spin bash -c '"$1" call 2 1 0' bash "$2" 2>&1)" 'ok errno kept' \
		"$1: what a shell under smc_run --spin starts"
	is "$("$old_loader" --preload "$shim:$fake" "$2" call 2 1 0 2>&1)" 'ok errno kept' "$1: started by its loader"
}

is "$(readelf -V "$shim" "${shim%.so}"{,_spin}.so 2>/dev/null | sed -n 's/.*Name: GLIBC_\([0-9.]*\).*/\1/p' |
	sort -V | tail -n 1)" 2.17 'the libraries need no version of glibc later than 2.17'
if ! old_glibc "$old/root" >"$tmp/old-log" 2>&1; then
	skip 'programs with an older glibc' "Debian 11's cannot be had: $(tail -n 1 "$tmp/old-log")"
else
	libs=$(dirname "$(find "$old/root/usr/lib" -name libc.so.6)")
	old_loader=$(find "$old/root/usr/lib" -name 'ld-*.so*' -type l | head -n 1)
	# In these programs, dlsym() is a function of their own: they do not load libdl.
	cat >"$old/own.h" <<-END
		#include <dlfcn.h>
		#include "ld_pre_smc/symbol.h"
		#define dlsym(handle, name) shim_symbol(name)
	END
	cat >"$old/cc" <<-END
		#!/bin/sh
		exec ${CC:-cc} --sysroot="$old/root" -B"$libs" -L"$libs" -Wl,-dynamic-linker="$old_loader" -Wl,-rpath="$libs",--disable-new-dtags \
			-Wl,--as-needed \$OLD -w "\$@" \${OLD:+"$old/symbol.a"} -lpthread -ldl
	END
	chmod +x "$old/cc"
	"$old/cc" -D_GNU_SOURCE -O2 -fPIC -I"$here/../.." -c -o "$old/symbol.o" "$here/../../ld_pre_smc/symbol.c"
	ar rc "$old/symbol.a" "$old/symbol.o"
	OLD="-include $old/own.h" capture build_programs "$old" "$old/cc"
	is "$rc$err" 0 'the programs of these tests, for glibc 2.31'
	bin=$old/tests/preload fake=$old/tests/preload/fake.so
	"$old/cc" -std=c17 -D_GNU_SOURCE -O2 -I"$here/../.." -idirafter "$old/uapi" -pthread -o "$old/sock" "$here/sock.c"
	like "$(readelf -d "$old/sock")" 'libdl.so.2' 'one of them loads libdl'
	unlike "$(readelf -d "$bin/sock")" 'libdl.so.2' 'the others do not'
	old_loads 'with libdl' "$old/sock"
	old_loads 'without libdl' "$bin/sock"
	# shellcheck disable=SC2016 # the inner shell expands
	for case in close exit exec; do
		like "$(unshare -rn sh -c '{ ip link set lo up 2>/dev/null || python3 -B "$0"; } && exec env "$@"' "$here/../cli/addresses.py" \
			"LD_PRELOAD=$old/ld_pre_smc.so:$bin/mimic.so" MIMIC_SLOW=1 "$bin/keep" $case)" ' held=1 complete=1 gone=1$' "$case: smc_keep has the unsent data"
	done
	run_parts "$old" repairs manners
fi
