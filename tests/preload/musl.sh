# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# The library in programs of musl: that its loader finds all that the library needs, and the tests of the other parts
# with programs and a fake libc of musl; sourced by run.
# shellcheck source=tests/preload/programs.sh
. "$here/programs.sh"
musl_cc=${MUSL_CC:-musl-gcc}
musl=$tmp/musl

# musl_names FILE: the dynamic symbols that it exports
musl_names() {
	nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u
}

if ! echo 'int main(void) { return 0; }' | $musl_cc -x c -o "$tmp/musl-none" - 2>/dev/null ||
	! "$tmp/musl-none" 2>/dev/null; then
	skip 'programs of musl' 'no musl-gcc (musl-tools), or not for this machine'
else
	loader=$(readelf -lW "$tmp/musl-none" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
	musl_names "$loader" >"$tmp/musl-has"
	nm -D --undefined-only "${shim%.so}"{,_spin}.so 2>/dev/null | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' | LC_ALL=C sort -u >"$tmp/musl-needs"
	[ -s "$tmp/musl-has" ] && [ -s "$tmp/musl-needs" ]
	ok $? 'musl and the library have symbols'
	is "$(LC_ALL=C comm -13 "$tmp/musl-has" "$tmp/musl-needs")" '' 'musl has every function that the library imports'
	capture build_programs "$musl" "$musl_cc"
	is "$rc$err" 0 'the programs of these tests, by musl-gcc'

	is "$(LD_PRELOAD=$shim "$musl/tests/preload/sock" call 2 1 0 10 1 6 2>&1)" 'ok errno kept
ok errno kept' 'this kernel, whatever it has: sockets'
	bin=$musl/tests/preload fake=$musl/tests/preload/fake.so
	is "$(LD_PRELOAD=$shim:$fake "$bin/sock" table)" '9240 rows, 0 wrong' 'mapping table, AF_SMC'
	is "$(LD_PRELOAD=$shim:$fake SMC_SOCK_FAMILY=inet "$bin/sock" table inet)" '9240 rows, 0 wrong' 'mapping table, IPPROTO_SMC'
	is "$(LD_PRELOAD=$fake "$bin/sock" table | tail -n 1)" '9240 rows, 32 wrong' 'without the library the table fails: it can'
	is "$(LD_PRELOAD=$shim:$fake FAKE_SMC=97 FAKE_INET=97 "$bin/sock" call 2 1 0)" 'ok errno kept' 'no SMC: TCP instead'
	for list in execl execlp execle; do
		is "$(LD_PRELOAD=$shim "$bin/sock" list $list 2>&1 | cut -d' ' -f 1-3)" '2 one two' "$list() of a shell of another libc"
	done

	# ---- installed: one LD_PRELOAD for all that a program starts, of either libc and class ----
	libdir=$(strings "$BUILD/smc_run" 2>/dev/null | grep '^/usr/lib/.*-linux-gnu$' | sort -r | head -n 1) # not that of 32-bit programs
	others=$tmp/root$libdir
	musl_dir=${others%-gnu}-musl
	# shellcheck disable=SC2016 # the inner shells expand
	installed='for dir in /usr/lib /usr/lib32; do
		[ ! -d "$1$dir" ] || mount -t overlay -o "lowerdir=$1$dir:$dir" overlay "$dir" || exit
	done; shift; exec "$@"'
	# loaded PROGRAM: how often the library is in a program, started by a shell, and at once
	loaded() {
		# shellcheck disable=SC2016
		for start in '"$1" "$1"; :' 'exec "$1" "$1"'; do
			unshare -m sh -c "$installed" sh "$tmp/root" "$tmp/alone/smc_run" --quiet sh -c "$start" sh "$1" 2>&1
		done
		unshare -m sh -c "$installed" sh "$tmp/root" "$tmp/alone/smc_run" --quiet "$1" 2>&1
	}
	cat >"$tmp/loaded.c" <<-END
		#include <stdio.h>
		#include <string.h>
		int main(void)
		{
			FILE *maps = fopen("/proc/self/maps", "r");
			char line[8192];
			int has = 0;
			while (fgets(line, sizeof(line), maps))
				has |= strstr(line, "/ld_pre_smc.so") != NULL;
			puts(has ? "with" : "without");
		}
	END
	mkdir -p "$tmp/alone" "$others" "$musl_dir" && cp "$BUILD/smc_run" "$tmp/alone" && cp "$shim" "$others"
	if [ -n "$libdir" ] && unshare -m sh -c "$installed" sh "$tmp/root" true 2>/dev/null; then
		$musl_cc -D_GNU_SOURCE -o "$tmp/loaded-musl" "$tmp/loaded.c"
		${CC:-cc} -D_GNU_SOURCE -o "$tmp/loaded-glibc" "$tmp/loaded.c"
		all='with
with
with'
		for libc in glibc musl; do
			is "$(loaded "$tmp/loaded-$libc")" "$all" "one library installed: in programs of $libc"
		done
		if [ -e "$BUILD/32/ld_pre_smc.so" ] && can_32 && ${CC:-cc} -m32 -D_GNU_SOURCE -o "$tmp/loaded-32" "$tmp/loaded.c" 2>/dev/null; then
			for dir in lib/i386-linux-gnu lib32; do
				mkdir "$tmp/root/usr/$dir" && cp "$BUILD/32/ld_pre_smc.so" "$tmp/root/usr/$dir"
			done
			for libc in glibc 32; do
				is "$(loaded "$tmp/loaded-$libc")" "$all" "both installed, without the link for musl: in programs of $libc"
			done
			ln -s "../${libdir##*/}/ld_pre_smc.so" "$musl_dir/ld_pre_smc.so"
			for libc in glibc 32 musl; do
				is "$(loaded "$tmp/loaded-$libc")" "$all" "both installed: in programs of $libc"
			done
		else
			skip 'both libraries installed' "${why_not:-no 32-bit library}"
		fi
	else
		skip 'the installed library' 'needs root, overlay mounts and strings'
	fi

	# ---- the other parts, unchanged except for what they compile ----
	run_parts "$musl" repairs manners sandbox keep
fi
