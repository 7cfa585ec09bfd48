# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Many threads in the library's tables, also under the thread sanitizer; sourced by run.
mimic=$bin/mimic.so

if echo 'int main(void){return 0;}' | ${CC:-cc} -fsanitize=thread -x c -o "$tmp/tsan" - 2>/dev/null && "$tmp/tsan" 2>/dev/null; then
	# The sanitizer itself would call the functions of dl_iterate_phdr.c.
	# shellcheck disable=SC2046
	(cd "$here/../.." && ${CC:-cc} -g -O1 -std=gnu17 -D_GNU_SOURCE -Wno-tsan -fsanitize=thread -I. -pthread \
		-Ilib -I"$BUILD" -o "$tmp/tsan" tests/preload/stress.c $(printf '%s\n' ld_pre_smc/*.c ld_pre_smc/*/*.c | grep -v phdr) lib/launch/{learned,rules,variables}.c -ldl &&
		LD_PRELOAD=$mimic "$tmp/tsan" 60 3000) >"$tmp/tsan.out" 2>&1
	like "$(<"$tmp/tsan.out")" '^all sockets, 0 failed, 0 file descriptors' 'under the thread sanitizer: nothing is left'
	unlike "$(<"$tmp/tsan.out")" 'WARNING: ThreadSanitizer' 'it finds no race'
else
	skip 'thread sanitizer' 'the compiler has none, or it does not run here'
fi
like "$(LD_PRELOAD=$shim:$mimic "$bin/stress" 1000 100000 2>&1)" '^all sockets, 0 failed, 0 file descriptors and no memory left, handler ran' \
	'1000 threads, 100000 sockets, swaps and handlers: nothing is left'
