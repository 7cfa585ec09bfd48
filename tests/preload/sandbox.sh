# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Programs that the kernel kills for a system call too many: close() and exit() add none there.
# Sourced by run, which sets tmp.
# shellcheck disable=SC2154
# lives TEXT COMMAND...: the sandboxed program, started by this command
lives() {
	text=$1
	shift
	"$@" 2>"$tmp/err"
	status=$?
	if [ "$status" = 77 ]; then
		skip "$text" "$(<"$tmp/err")"
	else
		is "$status$(grep -v '^ld_pre_smc\[' "$tmp/err")" 0 "$text: the program lives"
	fi
}
set -- env "LD_PRELOAD=$BUILD/ld_pre_smc.so" SMC_EXCLUDE=1 "$BUILD/tests/preload/sandbox"
lives 'a seccomp filter of its own' "$@"
lives 'a seccomp filter exec' "$@" exec
# In /proc/self/status the filter stands after the groups.
groups=$(seq -s , 4000000001 4000000700)
if setpriv --groups "$groups" true 2>/dev/null; then
	lives 'a seccomp filter, and a user with 700 groups' setpriv --groups "$groups" "$@" exec
else
	skip 'a seccomp filter, and a user with 700 groups' 'needs root'
fi
lives 'a filter of libseccomp, kernel as it is' "$@" libseccomp
lives 'a filter of libseccomp, sizes of buffers' env SMC_RCVBUF=64K "$@" libseccomp
lives 'a filter of libseccomp, SMC_DEBUG' env SMC_DEBUG=1 "$@" libseccomp
set --
