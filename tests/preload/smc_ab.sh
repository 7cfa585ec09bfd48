# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# smc_ab; sourced by run. Below it lies the fake libc: a kernel with SMC sockets, but without connections.
ab=$BUILD/smc_ab
out=$tmp/out err=$tmp/err

# ab OPTION...: smc_ab with a fake SMC kernel; sets status, fills $out and $err
ab() {
	LD_PRELOAD=$fake "$ab" "$@" >"$out" 2>"$err"
	status=$?
}

# shown COLUMNS OPTION...: smc_ab on a terminal
shown() {
	PYTHONPATH=tests/kernel/guest python3 -B -c 'import sys, terminal; print(terminal.on_terminal(sys.argv[2:], columns=int(sys.argv[1]))[1])' \
		"$1" env LD_PRELOAD="$fake" "$ab" "${@:2}" | tr '\r\033' '<^'
}

for pairs in 0 1001 x '' 1.5 -1; do
	ab -n "$pairs" true
	message 125 "smc_ab: --pairs: '$pairs' .* from 1 to 1000; try 'smc_ab --help'" "-n '$pairs': 125"
done
ab -n 1 --lower true
says 125 '' "smc_ab: option '--lower' is only for '--metric'; try 'smc_ab --help'" '--lower without --metric: 125'
ab -n 1
says 125 '' "smc_ab: no command given; try 'smc_ab --help'" 'no command: 125'
ab -n 1 --metric '(' true
message 125 "smc_ab: --metric: '\(' .*regular expression: .*; try 'smc_ab --help'$" '--metric: no regular expression: 125'
# shellcheck disable=SC2016 # not for this shell
for server in 'a | b' '"a' '' '$(a)'; do
	ab -n 1 --server "$server" true
	message 125 "smc_ab: --server: '${server//[$|()]/.}' .*; try 'smc_ab --help'\$" "--server '$server': 125"
done
FAKE_SMC=97 FAKE_INET=93 ab -n 1 true
message 2 "smc_ab: nothing to compare: this kernel has no SMC .*.* 'smc_chk doctor'$" 'without SMC: 2'
ab -n 1 sh -c 'exit 7'
says 1 '' 'smc_ab: the command failed: exit status 7' 'a command that fails'
# shellcheck disable=SC2016 # for sh
ab -n 1 sh -c 'kill -SEGV $$'
says 1 '' 'smc_ab: the command failed: signal 11 (Segmentation fault)' 'a command that is killed'
ab -n 1 no-such-command
says 1 '' "smc_ab: cannot run 'no-such-command': No such file or directory" 'a command that is not there'
ab -n 1 --server 'no-such-command "a b"' true
says 1 '' "smc_ab: cannot run 'no-such-command': No such file or directory" 'a server that is not there'
ab -n 1 --server "sh -c 'exit 5'" true
says 1 '' 'smc_ab: the server ended before it listened: exit status 5' 'a server that fails'
# shellcheck disable=SC2016 # for sh
ab -n 2 --show-output sh -c 'echo "$LD_PRELOAD"; cat'
is "$status$(<"$err")" "2$fake
$fake:$shim
$fake:$shim
$fake
$fake
$fake:$shim" 'TCP and SMC in turns, first a pair to warm up; standard input is empty'
LD_PRELOAD=$fake "$ab" -n 1 true >/dev/full 2>"$err"
is "$?$(wc -l <"$err")" 1251 'on a full disk: one line, 125'
ab -n 1 --metric 'n=([0-9]+)' echo n=1 n=22 n=x
like "$status$(<"$out")" '^2TCP 22   smc_run 22   1.00 ×   CPU .* 0 of 1 run used SMC' '--metric: the last number'
ab -n 8 -j true
like "$status$(tr -d '\n' <"$out")" '^2\{"schema":"smc-tools/ab/1","command":\["true"\],"count":8,"used_smc":0,"verdict":"not_used",.*"interval":\[' \
	'-j: a command against itself; what did not use SMC gets no verdict'

recorded=$tmp/recorded.json
# record VERDICT ARGV: the start of a document, which --verify repeats
record() {
	printf '{"schema":"smc-tools/ab/1","verdict":"%s","argv":%s,"host":{"machine":"pdp\\u001b11","sysctls":{"rmem":"1"}},' "$@" >"$recorded"
	printf '"wall_seconds":{"ratio":1.84,"interval":[1.76,1.92]}}' >>"$recorded"
}
# shellcheck disable=SC2016 # for sh
record smc '["-n","2","-r","64K","--","sh","-c","echo $SMC_RCVBUF"]'
ab --verify "$recorded" --show-output
like "$status$(tr -d '\n' <"$out")" '^2TCP .*Recorded: 1.84 × \(95 %: 1.76–1.92\). The verdict differs.' '--verify: SMC was not used now'
is "$(grep -c '^  machine: pdp\\x1b11 recorded, ' "$out")$(grep -c '^  rmem: 1 recorded, ' "$out")" 11 'what differs between the hosts, escaped'
is "$(grep -c '^65536$' "$err")" 3 'with the recorded options'
is "$(grep -c "^smc_ab: $recorded repeats: smc_ab -n 2 -r 64K -- sh -c 'echo \$SMC_RCVBUF'\$" "$err")" 1 'the command is shown'
shown=$(shown 40 --verify "$recorded" | sed 's/.*\^\[K//')
is "$(LC_ALL=C.UTF-8 grep -cE '.{41}' <<<"$shown")$(tr -s ' \n' ' ' <<<"$shown" | grep -c 'The verdict differs\.')" 01 '--verify on a terminal: no line is wider'
ab -j --verify "$recorded"
like "$(tr -d '\n' <"$out")" '"argv":\["-n","2",.*"recorded":\{"verdict":"smc","judged":.*"verdict_agrees":false,"ratio_agrees":false\}' '--verify -j'
ab --verify "$recorded" -r 64K
message 125 "smc_ab: .*--rcvbuf.*--verify.*" '--verify with other options: 125'
ab --verify "$recorded" true
message 125 "smc_ab: .*'true'.*" '--verify with a command: 125'
for bad in 'none ["x",1]' 'none []' 'too_few ["x"]' 'smc ["a\u0000b"]'; do
	record "${bad% *}" "${bad#* }"
	ab --verify "$recorded"
	message 125 "smc_ab: $recorded: .*" "--verify: $bad: 125"
done
record smc '["-h"]'
ab --verify "$recorded"
is "$status" 125 '--verify: no comparison: 125'
ab --verify "$tmp/none"
says 125 '' "smc_ab: $tmp/none: No such file or directory" '--verify: no file'
LD_PRELOAD=$fake "$ab" -n 1 sh -c 'test -e /dev/fd/0 && test -e /dev/fd/1' <&- >&- 2>"$err"
is "$?$(wc -l <"$err")" 1251 'standard descriptors that are closed are not missing in commands; one line, 125'
# shellcheck disable=SC2016 # for sh
ab -n 1 -d -r 64K --exclude 22 --show-output sh -c 'echo "$SMC_RCVBUF $SMC_EXCLUDE"'
is "$status$(grep -c " by preload: $shim" "$err")$(grep '^[0-9]' "$err")" '2165536 22
65536 22' 'options of smc_run: for the runs over SMC, said once'
shown=$(shown 80 -n 2 true)
like "${shown%%$'\n'*}" '^smc_ab: .*no verdict: .* 8 pairs$' 'on a terminal: no verdict with so few pairs is said first'
like "$shown" '^<\^\[Kwarming up<\^\[Ksmc_ab: SMC was not used .*: .*there is no verdict.*$' 'and before the first pair that SMC is not used'
like "$shown" '^<\^\[Kpair 1 of 2<\^\[Kpair 2 of 2<\^\[KTCP [0-9.]+ m?s$' 'on a terminal: which pair runs'
is "$(tail -n 6 <<<"$shown" | sed 's/[0-9.]*[0-9]/N/g; s/N s/N ms/g')" 'smc_run N ms
N ×
CPU N → N ms
N of N runs used SMC
Context switches N → N
No verdict: SMC was not used.' 'on a terminal: a line for each value'
ab --strict --preload "$bin/go_note"
is "$status$(wc -l <"$err")$(grep -c "^smc_ab: no SMC for '.*go_note': " "$err")" 111 '--strict: a program that the library does not reach ends it, with one line'
