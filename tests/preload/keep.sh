# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Unsent data: effects of smc_keep on programs and data. The sockets are TCP sockets that say they are
# SMC sockets; a network namespace has its own keepers. Sourced by run, which sets bin, shim and tmp.
closed='ret=0 fds=-1 child=0 signals=0 held=1 complete=1 gone=1'
kernels='ret=0 fds=-1 child=0 signals=0 held=0'
ended='status=0 held=1 complete=1 gone=1'
keep_pids=
namespaces=-rn

# alone COMMAND...: run a command in a new network namespace, with time for a slow machine
alone() {
	# shellcheck disable=SC2016 # the inner shell expands
	unshare "$namespaces" sh -c '{ ip link set lo up 2>/dev/null || python3 -B "$0"; } && exec timeout 120 "$@"' \
		"$here/../cli/addresses.py" "$@"
}

# keep FILE CASE [VARIABLE=VALUE]: in the background. With a slow clock, as all of them start at once: no keeper is late.
keep() {
	alone env "LD_PRELOAD=$shim:$bin/mimic.so" MIMIC_SLOW=1 "${3:-KEEP=}" "$bin/keep" "$2" >"$tmp/keep.$1" 2>&1 &
	keep_pids="$keep_pids $!"
}

# kept CASE LINE TEXT
kept() {
	is "$(<"$tmp/keep.$1")" "$2" "keep: $3"
}

keep_tests() {
	for case in close dup2 dup3 close_range closefrom fclose async vfork fork passing dup reaper reset exit _exit exec \
		epoll epoll_shut shut_wr shut_rdwr stuck many limit threads signals child child_shut \
		taken leaving; do
		keep $case $case
	done
	keep raw close SMC_RAW=1
	keep calls calls MIMIC_REFUSE=1
	alone "$bin/keep" calls >"$tmp/keep.plain" 2>&1 &
	keep_pids="$keep_pids $!"
	# shellcheck disable=SC2086
	wait $keep_pids
	for case in close close_range closefrom fclose async vfork fork passing dup taken; do
		kept $case "$closed" "$case: the keeper has it, the peer gets all; no child, no signal, no descriptor"
	done
	for case in dup2 dup3; do
		kept $case "${closed/fds=-1/fds=0}" "$case over it: the same"
	done
	for case in exit _exit exec; do
		kept $case "$ended" "$case: the keeper has it, the peer gets all"
	done
	kept many 'fds=0 child=0 signals=0 complete=100 gone=1' '100 at once: all is sent, and nothing left'
	kept limit 'status=0 held=99 complete=100 gone=1' '100, of which the keeper may hold 31: the others wait, and all is sent'
	kept threads 'held=16 complete=16 gone=1' '16 threads at once: one keeper, and it has all'
	kept leaving 'held=1 complete=1 gone=1' 'close() while the last keeper ends: another one has it'
	for case in epoll epoll_shut; do
		kept $case 'held=1 events=0' "$case: no event for a socket that the program has closed"
	done
	kept shut_wr 'ret=0 keeper=1 complete=1 gone=1' 'shutdown(SHUT_WR): the end of file comes after the data'
	kept shut_rdwr 'read=0 ret=0 keeper=1 complete=1 gone=1' 'shutdown(SHUT_RDWR): nothing to read, and the same'
	kept stuck 'ret=0 events=1 hangup=1' 'shutdown(SHUT_RDWR), and a peer that never reads: hung up in the end'
	calm='calm=1 exposed=0 blocked=0' none='calm=0 exposed=0 blocked=0'
	kept signals "shutdown=0 $calm close=0 $calm fclose=0 $none linger=0 calm=0 exposed=1 blocked=0 range=0 $calm open=0" \
		'signals do not interrupt sending the end, but do interrupt waiting'
	kept child 'status=0 keeper=0 epoll=0 async=1' 'a child closes its copy: nothing changes for its parent'
	kept child_shut 'status=0 keeper=1 epoll=0 async=1' 'nor after shutdown()'
	like "$(<"$tmp/keep.reaper")" "^$kernels " 'keep: a program that reaps orphans gets none'
	like "$(<"$tmp/keep.reset")" "^$kernels " 'keep: SO_LINGER without time: dropped'
	like "$(<"$tmp/keep.raw")" "^$kernels " 'keep: SMC_RAW: the kernel decides'
	like "$(<"$tmp/keep.plain")" '^marks=2 calls=7$' 'keep: close() of a file, a pipe, unix and TCP sockets: one call each'
	kept calls "$(<"$tmp/keep.plain")" 'close() of them with the library: not one more'
}

# exit_waits LIBRARY: duration, by a clock that only advances with sleep
exit_waits() {
	alone env "LD_PRELOAD=$1:$bin/mimic.so" MIMIC_CLOCK=1 "$bin/manners" exit 2>/dev/null |
		awk '{ slept = $1 } END { printf "slept %.0f s\n", slept / 1e9 }'
}

keep_exit() {
	is "$(exit_waits "$shim")" 'slept 0 s' 'exit() with ten connections waits for none'
	mkdir "$tmp/without" && cp "$shim" "$tmp/without/"
	if [ -e "$(strings "$shim" | grep '/smc_keep$')" ]; then
		skip 'exit() without a keeper' 'one is installed'
	else
		is "$(exit_waits "$tmp/without/ld_pre_smc.so")" 'slept 2 s' 'exit() without a keeper: as long as the kernel in close()'
	fi
}

# The keeper refuses sockets from other namespaces and users, and gets none of theirs. The first value of each line is
# for its own namespaces.
keep_strangers() {
	strangers='held=0 held=0 held=0 held=0'
	alone unshare --user env "LD_PRELOAD=$shim:$bin/mimic.so" "$bin/keep" close >"$tmp/keep.unmapped"
	like "$(<"$tmp/keep.unmapped")" "^$kernels " 'keep: a user that is not mapped gets none'
	if [ "$(id -u)" = 0 ]; then
		strangers="$strangers held=0"
		namespaces=-n
	fi
	if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$BUILD/smc_keep"; then
		keep dropped dropped
		wait $!
		kept dropped "$closed" 'keep: a program that has dropped its rights: the keeper has it'
	else
		skip 'keep: dropped rights' 'needs root, and a build that others can execute'
	fi
	for case in thieves givers; do
		keep $case $case
		wait $!
		sed -i '/^unshare: sigprocmask/d' "$tmp/keep.$case"
	done
	kept thieves "held=1 $strangers" 'keep: others with that name, in other namespaces or as another user, get nothing'
	kept givers "held=1 $strangers complete=1 gone=1" 'keep: the keeper takes nothing from them'
}

is "$(ulimit -d 1024; "$BUILD/smc_keep" 2>&1 </dev/null)" 'smc_keep: only ld_pre_smc.so starts this program, see smc_run(8)' \
	'smc_keep by hand: one sentence'
"$BUILD/smc_keep" </dev/null 2>/dev/null
is $? 1 'smc_keep by hand fails'
if status_has 'Seccomp:.2'; then
	skip 'unsent data' 'a seccomp filter watches this process: the library leaves it alone'
elif alone true 2>/dev/null; then
	keep_tests
	keep_exit
	keep_strangers
else
	skip 'unsent data' 'no network namespaces here'
fi
