# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# What is learned is shared by memory that nobody can cut, nor take before its user does; sourced by run. In System V namespaces
# of their own.
mimic=$bin/mimic.so
cp "$here/learned.py" "$tmp" # a path without blanks
loop="env SMC_LEARN=1 LD_PRELOAD=$shim:$mimic python3 -B $tmp/learned.py"
memory="python3 -B $tmp/learned.py"
list="$BUILD/smcss --learned -j"

# apart COMMANDS: of a shell, with shared memory and a network of its own
apart() {
	unshare --map-root-user --ipc --net sh -c "ip link set lo up && { $1; }" 2>&1 | tr '\n' ' '
}

if status_has 'Seccomp:.2'; then
	skip 'learned: shared memory' 'a seccomp filter watches this process: the library shares nothing'
elif [ "$(apart "echo ready")" != "ready " ]; then
	skip 'learned: shared memory' 'no namespaces here'
else
	like "$(apart "$loop connect 30; $loop connect 30; $list")" '"destinations":\[.*"port":7100,.*"connections":60,' \
		'learned: two programs share it'
	is "$(apart "$list")" '{"schema":"smc-tools/learned/1","destinations":[]} ' 'learned: nothing yet'
	key=$(apart "$loop connect 1; $memory keys")
	like "$key" '^-?[0-9]+ $' 'learned: a user has one segment'
	for taken in '1 600' '65538 644' '65538 666' '9999999 600'; do
		like "$(apart "$memory take $((key)) $taken; $loop connect 30; $loop connect 30; $list; $memory keys")" \
			"\"connections\":60,.*$((key)) $((key + 2)) " "learned: its name taken before, size and mode $taken"
	done
	like "$(apart "(echo; sleep 1; $memory remove; echo; echo; sleep 1) | $loop wait; echo ends \$?; $loop connect 7; $list")" \
		'^(connected ){3}ends 0.*"connections":7,' 'learned: removed below a program, it goes on; then it is as new'
	like "$(apart "$loop connect 9; unshare --net sh -c 'ip link set lo up; $list; $loop connect 5; $list'; $list")" \
		'\[\]\}.*"connections":5,.*"connections":9,' 'learned: network namespaces have their own'
fi
