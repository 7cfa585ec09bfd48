# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Repairs by the preload library, over a libc whose sockets behave like SMC; sourced by run.
mimic=$bin/mimic.so
twin=$BUILD/twin
cases='identity ioctls peek_off txrehash rcvlowat reuseport reuseport_bound fast_open
	collisions short linger linger_listener retry unspec epoll splice splice_full dup_unspec scm_reuse'

ipv6=-6
if [ "$(cat /proc/sys/net/ipv6/conf/lo/disable_ipv6 2>/dev/null)" != 0 ]; then
	ipv6=
	skip 'the same over IPv6' 'it is switched off here'
fi

LD_PRELOAD=$shim:$mimic "$bin/stress" 20 1000 >"$tmp/stress" 2>&1 &
stress_pid=$!

pids=
# start FILE [VARIABLE=VALUE]... [OPTION] CASE...: the twin, in the background
start() {
	out=$tmp/$1
	shift
	env "$@" >"$out" 2>&1 &
	pids="$pids $!"
}
for family in '' $ipv6; do
	# shellcheck disable=SC2086
	{
		start "tcp$family" "$twin" $family $cases
		start "mended$family" "LD_PRELOAD=$shim:$mimic" "$twin" $family $cases
		start "inet$family" "LD_PRELOAD=$shim:$mimic" SMC_SOCK_FAMILY=inet "$twin" $family $cases
		start "raw$family" "LD_PRELOAD=$shim:$mimic" SMC_RAW=1 "$twin" $family $cases
	}
done
start debug "LD_PRELOAD=$shim:$mimic" SMC_DEBUG=1 "$twin" reuseport rcvlowat fast_open unspec
start strict "LD_PRELOAD=$shim:$mimic" SMC_STRICT=1 SMC_DEBUG=1 "$twin" peek_off reuseport
# shellcheck disable=SC2086
wait $pids

differ() {
	[ "$1" != "$2" ]
	ok $? "$3"
}

declare -A outcomes=()
# outcomes FILE...: results of each case
outcomes() {
	local file case outcome
	for file; do
		while IFS=$'\t' read -r case outcome _; do
			[ -z "$case" ] || outcomes[$file $case]=$outcome
		done <"$tmp/$file"
	done
}

for family in '' $ipv6; do
	outcomes "tcp$family" "mended$family" "inet$family" "raw$family"
	for case in $cases; do
		want=${outcomes[tcp$family $case]-}
		like "$want" '^[^ ]' "twin $family: $case over TCP"
		is "${outcomes[mended$family $case]-}" "$want" "twin $family: $case is mended"
		is "${outcomes[inet$family $case]-}" "$want" "twin $family: $case is mended, IPPROTO_SMC"
		# Flaws of the kernel that the library below does not have.
		case $case in
		rcvlowat | retry | epoll) ;;
		*) differ "${outcomes[raw$family $case]-}" "$want" "twin $family: $case, SMC_RAW=1 shows it" ;;
		esac
	done
done

is "$(grep -c '^ld_pre_smc\[[0-9]*\]: fd [0-9]*: reuseport -> IPPROTO_SMC$' "$tmp/debug")" 2 'debug: SO_REUSEPORT'
like "$(<"$tmp/debug")" ": fd ${fds[0]}: rcvlowat -> TCP\$" 'debug: SO_RCVLOWAT'
like "$(<"$tmp/debug")" ": fd ${fds[0]}: fast_open\$" 'debug: TCP_FASTOPEN'
like "$(<"$tmp/debug")" ": fd ${fds[0]}: connect\\(AF_UNSPEC\\) -> AF_SMC\$" 'debug: connect(AF_UNSPEC)'
outcomes strict
like "$(<"$tmp/strict")" ': fd [0-9]*: SO_PEEK_OFF is refused: [a-z]' 'debug: the reason of a refusal'
like "${outcomes[strict peek_off]-}" 'set=-EOPNOTSUPP' 'SMC_STRICT: no TCP for SO_PEEK_OFF, the kernel'"'"'s answer'
like "${outcomes[strict reuseport]-}" 'set=0 ' 'SMC_STRICT: IPPROTO_SMC for SO_REUSEPORT'

quiet='all sockets, 0 failed, 0 file descriptors and no memory left, handler ran'
wait "$stress_pid"
is "$(<"$tmp/stress")" "$quiet" '20 threads, 1000 sockets, swaps and handlers: nothing is left'
