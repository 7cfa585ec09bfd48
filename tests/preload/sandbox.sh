# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Programs that the kernel kills for a system call too many: close() and exit() add none there.
# Sourced by run, which sets tmp.
# shellcheck disable=SC2154
for how in '' exec; do
	# shellcheck disable=SC2086 # none or one word
	LD_PRELOAD=$BUILD/ld_pre_smc.so SMC_EXCLUDE=1 "$BUILD/tests/preload/sandbox" $how 2>"$tmp/err"
	status=$?
	if [ "$status" = 77 ]; then
		skip "a seccomp filter ${how:-of its own}" "$(cat "$tmp/err")"
	else
		is "$status$(cat "$tmp/err")" 0 "a seccomp filter ${how:-of its own}: the program lives"
	fi
done
