# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# System calls that the library adds to the life of a connection: one of connect() asks whether its address, which is not
# on the stack, can be read. Over sockets that say they are SMC sockets; sourced by
# run, which sets bin and shim.
mimic=$bin/mimic.so
lives=$BUILD/tests/kernel/lives

# added [shared] VARIABLE=VALUE...: of each place, beside a program that opens such sockets itself, whose calls are in the array alone
added() {
	local place sep i=0 shared=
	[ "$1" != shared ] || { shared=$1; shift; }
	for place in $(env "LD_PRELOAD=$shim:$mimic" "$@" "$lives" count 0 0 ${shared:+"$shared"} 2>&1); do
		printf '%s%s=%d' "${sep-}" "${place%=*}" $((${place#*=} - ${alone[i++]#*=}))
		sep=' '
	done
}

if status_has 'Seccomp:.2'; then
	skip 'lives: calls added' 'a seccomp filter watches this process: the library leaves it alone'
elif read -ra alone < <(LD_PRELOAD=$mimic "$lives" count 256 0 2>/dev/null); then
	inet=SMC_SOCK_FAMILY=inet
	is "$(added $inet LIVES_RDMA=none)" 'socket=0 connect=1 ready=4 accept=1 close=1 accepted=1' 'lives: calls added'
	is "$(added $inet LIVES_RDMA=none SMC_SNDBUF=64K SMC_RCVBUF=64K)" \
		'socket=3 connect=1 ready=5 accept=2 close=1 accepted=1' 'lives: calls added for sizes of buffers'
	is "$(added SMC_SOCK_FAMILY=smc LIVES_RDMA=none)" 'socket=0 connect=1 ready=4 accept=1 close=1 accepted=1' \
		'lives: calls added, AF_SMC'
	is "$(added shared $inet LIVES_RDMA=none)" 'socket=0 connect=1 ready=9 accept=1 close=1 accepted=1' \
		'lives: calls added where two processes have the listener'
	like "$(env "LD_PRELOAD=$shim:$mimic" SMC_EXCLUDE=127.0.0.0/8 $inet "$lives" count 0 0)" '^socket=[12] connect=2 ' \
		'lives: none before a connection that a rule leaves to TCP'
	like "$(env "LD_PRELOAD=$shim:$mimic" SMC_DEBUG=1 SMC_EXCLUDE=127.0.0.0/8 $inet "$lives" count 0 0 2>&1)" \
		': rules for connecting -> TCP' 'lives: the rule is kept'
	for rdma in some late refused; do
		is "$(added $inet LIVES_RDMA=$rdma)" 'socket=0 connect=1 ready=4 accept=1 close=4 accepted=4' \
			"lives: signals are blocked for SMC-R, RDMA devices: $rdma"
	done
	is "$(added SMC_RAW=1 $inet)" 'socket=0 connect=1 ready=0 accept=0 close=0 accepted=0' 'lives: none with SMC_RAW=1'
else
	skip 'lives: calls added' 'no ptrace() here'
fi

# stale CASE [VARIABLE=VALUE]: its line
stale() {
	env "LD_PRELOAD=$shim:$mimic" "${2:-LIVES=}" "$lives" "$1" 2>&1
}
for case in own dup dup2 fork passed; do
	is "$(stale $case)" 'connect=0 linger=1,5' "lives: SO_LINGER, $case: kept"
	is "$(stale $case SMC_RAW=1)" 'connect=0 linger=1,0' "lives: SO_LINGER, $case: SMC_RAW=1 shows what SMC makes of it"
done
is "$(stale raw)" 'connect=-1 1, connect=0 close=0, file: connect=-1 1 close=0' \
	'lives: closed without the knowledge of the library, then reused'
is "$(stale blocking)" 'waits=1 accept=1' 'lives: a listener that was non-blocking: a client that is gone keeps nobody waiting'
is "$(stale strange </dev/null)" 'asked=0' 'lives: no ioctl() of sockets for files with numbers that sockets had'
