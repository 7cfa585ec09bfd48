# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# accept() of clients that come and go, over a libc whose sockets have the manners of SMC; sourced by run.
mimic=$bin/mimic.so

# polled PROCESSES THREADS: clients that come and go; the server polls, so it never waits for one of them
polled() {
	: >"$tmp/ports"
	LD_PRELOAD=$shim:$mimic SMC_DEBUG=1 MIMIC_PATIENT=1 "$BUILD/tests/kernel/polled" serve "$1" "$2" >"$tmp/ports" 2>>"$tmp/polled" &
	polled_pid=$!
	until grep -q ' $' "$tmp/ports" || ! kill -0 "$polled_pid" 2>/dev/null; do sleep 0.1; done
	# shellcheck disable=SC2046 # two ports
	LD_PRELOAD=$mimic "$BUILD/tests/kernel/polled" load $(<"$tmp/ports") 200
	kill "$polled_pid"
}
is "$(polled 1 1)" '200 of 200' 'accept(): a client that came and went keeps nobody waiting'
is "$(polled 1 8)" '200 of 200' 'accept(): nor does it in one of eight threads'
is "$(polled 4 1)" '200 of 200' 'accept(): nor in one of four processes'
like "$(<"$tmp/polled")" ': accept_gone -> TCP, closed$' 'debug: accept()'
