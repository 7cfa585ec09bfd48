# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Side effects that the library must not have on programs; sourced by run after repairs.sh, which sets mimic and twin.

# manners CASE [VARIABLE=VALUE]: its line
manners() {
	env "LD_PRELOAD=$shim:$mimic" "${2:-MANNERS=}" "$bin/manners" "$1" 2>/dev/null
}
is "$(manners epoll)" "0 events that are not the program's" 'epoll: a thread that waits notices nothing of other sockets'
is "$(manners cancel SMC_DEBUG=1)" 'not cancelled' 'socket() and setsockopt() are not cancellation points'
out=$(manners nopoll)
if [ $? = 77 ]; then
	skip 'without poll()' 'no seccomp filters here'
else
	is "$out" swapped 'without poll() sockets are replaced'
fi
is "$(manners constant)" EFAULT 'getpeername() after shutdown(): memory that cannot be written is refused, as by the kernel'
is "$(manners constant MIMIC_GONE=1)" 'no name' 'getpeername() after shutdown() and the end of the last link: the kernel is asked for no name'
out=$(manners linger)
if [ $? = 77 ]; then
	skip 'in a sandbox accept() adds no system call for SO_LINGER' 'no seccomp filters here'
else
	is "$out" alive 'in a sandbox accept() adds no system call for SO_LINGER'
fi
is "$(manners reuseport SMC_SOCK_FAMILY=inet)" few 'few clients come to a listener with the address of one that is shut down'
is "$(manners messages MIMIC_SHORT=1)" '1024, 0' 'sendmmsg(): 1024 messages that the kernel leaves incomplete, with a small stack'
is "$(manners reset MIMIC_SHORT=1)" 'some, 1' 'a write that a reset has cut short leaves the error to the next call'
is "$(manners reuse MIMIC_SHORT=1)" nothing 'a write that waits does not go on in another file with the same number'
is "$(manners stack)" small 'the calls need little stack: signal handlers have little'

# The names that these functions have for 32-bit programs with 64-bit times.
if [ -e "$BUILD/32/ld_pre_smc.so" ] && can_32 && (cd "$here/../.." &&
	${CC:-cc} -m32 -std=gnu17 -D_GNU_SOURCE -I. -fPIC -shared -o "$tmp/mimic32.so" tests/preload/mimic_lib.c -ldl &&
	${CC:-cc} -m32 -std=gnu17 -D_GNU_SOURCE -D_TIME_BITS=64 -D_FILE_OFFSET_BITS=64 -I. -pthread -o "$tmp/twin32" \
		tests/twin/*.c) 2>"$tmp/err32"; then
	for case in identity ioctls peek_off; do
		is "$(env "LD_PRELOAD=$BUILD/32/ld_pre_smc.so:$tmp/mimic32.so" "$tmp/twin32" $case | cut -f 1,2)" \
			"$case	${outcomes[tcp $case]}" "64-bit times in a 32-bit program: $case is mended"
	done
else
	skip '64-bit times in a 32-bit program' "${why_not:-no 32-bit library}"
fi
