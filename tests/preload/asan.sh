# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Programs built with sanitizers start under the library, also as children, with the same findings; sourced by run.
run=$BUILD/smc_run mimic=$bin/mimic.so

cat >"$tmp/asan.c" <<-'EOF'
	#define _GNU_SOURCE
	#include <link.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#ifdef OWN
	const char *__asan_default_options(void) { return "detect_leaks=0"; }
	#endif
	/* Once started, the program sees the library. */
	static int is_shim(struct dl_phdr_info *info, size_t size, void *arg)
	{
		return strstr(info->dlpi_name, "ld_pre_smc") != NULL;
	}
	int main(int argc, char **argv)
	{
		char *volatile p = malloc(8), *libraries = getenv("LD_PRELOAD");
		free(p);
		if (libraries && strstr(libraries, "ld_pre_smc") && !dl_iterate_phdr(is_shim, NULL))
			puts("hidden");
		return argc > 1 && argv[1][0] == '!' ? *p : printf("started\n") < 0;
	}
EOF

# sanitized NAME COMMAND...: the compiler's command for it
sanitized() {
	name=$1
	shift
	"$@" -g -o "$tmp/$name" "$tmp/asan.c" 2>/dev/null && [ "$("$tmp/$name" 2>/dev/null)" = started ]
}

# starts TEXT COMMAND...
starts() {
	text=$1
	shift
	is "$(env -u ASAN_OPTIONS "$@" 2>&1)" started "$text: starts"
}

# everywhere NAME: run a program as the command, as an interpreter, and as a child
everywhere() {
	program=$tmp/$1
	starts "$1" "$run" --quiet "$program"
	starts "$1, with options" ASAN_OPTIONS=detect_leaks=0 "$run" --quiet "$program"
	starts "$1, without smc_run" "LD_PRELOAD=$shim" "$program"
	echo "#!$program" >"$tmp/script" && chmod +x "$tmp/script"
	starts "$1, of a script" "$run" --quiet "$tmp/script"
	starts "$1, from a shell that sets options" "$run" --quiet sh -c "ASAN_OPTIONS=detect_leaks=0 '$program'; :"
	printf 'check:\n\t@%s\n' "$program" >"$tmp/Makefile"
	starts "$1, from make" "$run" --quiet make -s -f "$tmp/Makefile" check
}

cc=${CC:-cc}
# shellcheck disable=SC2086 # a compiler with arguments
if sanitized asan $cc -fsanitize=address && sanitized own $cc -fsanitize=address -DOWN; then
	everywhere asan
	everywhere own
	like "$(env -u ASAN_OPTIONS "LD_PRELOAD=$fake" "$tmp/asan" 2>&1)" 'ASan runtime does not come first' \
		'another library in that place: the program refuses to start'
	starts 'asan, its library preloaded' \
		"LD_PRELOAD=$(ldd "$tmp/asan" | awk '$1 ~ /^libasan/ { print $3 }')" "$run" --quiet "$tmp/asan"
	like "$("$run" --quiet "$tmp/asan" '!' 2>&1)" 'ERROR: AddressSanitizer: heap-use-after-free' 'asan: it finds what it found'
	cases='identity ioctls peek_off rcvlowat reuseport fast_open short linger retry unspec epoll splice'
	(cd "$here/../.." && $cc -g -std=gnu17 -D_GNU_SOURCE -I. -Ilib -fsanitize=address -pthread -o "$tmp/asan-twin" \
		tests/twin/*.c)
	for case in $cases; do
		is "$(LD_PRELOAD=$shim:$mimic "$tmp/asan-twin" "$case" 2>&1 | cut -f 1,2)" \
			"$("$BUILD/twin" "$case" | cut -f 1,2)" "asan: $case is mended"
	done
else
	skip 'address sanitizer' 'the compiler has none'
fi
clang_lib=$(dirname "$(clang -print-file-name=libclang_rt.asan-"$(uname -m)".so 2>/dev/null)")
if LD_LIBRARY_PATH=$clang_lib sanitized clang clang -fsanitize=address -shared-libasan; then
	export LD_LIBRARY_PATH="$clang_lib"
	everywhere clang
	unset LD_LIBRARY_PATH
else
	skip "clang's address sanitizer as a library" 'clang has none'
fi
for sanitizer in leak undefined thread 'address -static-libasan'; do
	# shellcheck disable=SC2086 # words
	if sanitized other $cc -fsanitize=$sanitizer; then
		starts "$sanitizer sanitizer" "$run" --quiet "$tmp/other"
	else
		skip "$sanitizer sanitizer" 'the compiler has none'
	fi
done
