#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss's command line on any kernel: streams, exit codes, wording of errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
tool=smcss

run -h -v
like "$out" '^Usage:' 'the first of help and version counts'

# ---- bad usage ----
misuse "unknown option '-x'" -x
misuse "unknown option '-x'" -ax
misuse "'--summary' and '--wide' exclude" -sW
misuse "'--summary' and '--names' exclude" -sn
misuse "'--json' and '--wide' exclude" -jW
misuse "'--json' and '--names' exclude" -jn
misuse "'--json' and '--explain' exclude" -je
misuse "'--output' and '--debug' exclude" -d -o mode
misuse "'--output' and '--names' exclude" -n -o mode
misuse "'--names' and '--metrics' exclude|'--metrics' and '--names' exclude" --metrics -n
misuse "'--smc' .*'--smcd' or '--smcr'" --smc
misuse "'--n' .*'--netns', '--names' or '--no-header'" --n
misuse "'--all' takes no argument" --all=yes
misuse "'--output' needs an argument" -o
misuse "'--output' needs an argument" --output
misuse "'--netns' needs an argument" -N
misuse "'--watch' needs an argument" --watch
misuse "unknown column 'nonsense'" -o nonsense
misuse "unknown column 'nonsense'" -o state,nonsense,uid
misuse "unknown column ''" -o ''
misuse "unknown column ''" -o state,
misuse "unknown column 'State'" -o State
for seconds in '' x 1x -1 0 0.01 1e9 nan inf; do
	misuse 'is not a number of seconds' -w "$seconds"
done
misuse "'nonsense' is not a filter" nonsense
misuse "'--kill' needs a filter" -K
misuse "'--kill' and '--all' exclude" -aK dport = 1
misuse "'--dry-run' is only for '--kill'" --dry-run dport = 1
misuse '.--all-netns. .* .--netns.' --all-netns -N 1
misuse '.--metrics. .* .--json.' --metrics -j
misuse '.--metrics. .* .--watch.' --metrics -w 1
misuse "'netns' is for --all-netns" netns host
misuse "'nonsense' .*not a state" state nonsense
misuse "'65536' .*not a port" sport = 65536
misuse "'10.0.0.0/33' .*not a numeric address" dst 10.0.0.0/33
misuse 'ends .*a state' state
misuse 'ends .*a closing parenthesis' '(' state active
misuse 'ends .*a test' ''
misuse 'nested too deeply' '((((((((((((((((((((' state active

# Both long names, with the letters in either order.
for pair in 'D R smcd smcr' 'l d listening debug' 'l a listening all' 'l R listening smcr' \
	'l D listening smcd' 's d summary debug' 's o summary output' 's H summary no-header' \
	's e summary explain' 'j H json no-header' 'j e json explain'; do
	# shellcheck disable=SC2086 # four words
	set -- $pair
	first=-$1 second=-$2
	[ "$2" != o ] || second=-ostate
	for order in "$first $second" "$second $first"; do
		# shellcheck disable=SC2086 # two options
		misuse "options '--$3' and '--$4' exclude" $order
	done
done

# ---- other failures ----
for name in no-such-netns 4999999 /no/such/file . '' /dev/null; do
	run -N "$name"
	refused 1 '^smcss: [^ ]' "one line for a network namespace that is none: '$name'"
done
run -N no-such-netns
line "$err" "^smcss: .*namespace 'no-such-netns'\$" 'an unknown namespace by name'

# ---- options of smc-tools 1.8.5 are accepted, alone and combined ----
sentence="smcss: .*no SMC \(module 'smc' .*\).* 'smc_chk doctor'"
# Without SMC in the kernel the result is that message, otherwise a list; never a usage error.
if has_smc; then want='^0State$' is_list=1; else want="^1$sentence\$" is_list=; fi
taken() {
	run "$@"
	line "$rc$err${is_list:+${out%% *}}" "$want" "taken: smcss $*"
}
for option in -a -l -d -D -R -W --all --listening --debug --smcd --smcr --wide \
	--al --li --list --listen --de --deb --smcd --smcr --wi; do
	taken "$option"
done
taken -a -d -W
taken -adW
taken -d -R
taken -dD
taken -aR
taken -l -W
taken --all --debug --smcd --wide

# ---- a kernel without SMC ----
if has_smc; then
	skip 'a kernel without SMC is reported in one sentence' 'this kernel has SMC'
	run
	is "$rc" 0 'a kernel with SMC gives a list'
	like "$out" '^State +UID +Inode +Local Address' 'the list has its header'
	run -j
	is "$(printf '%s' "$out" | python3 -c 'import json, sys
print(json.load(sys.stdin)["schema"])')" smc-tools/smcss/1 'JSON can be read'
	"$BUILD/smcss" >/dev/full 2>"$tmp/err"
	is "$?" 1 'a full device fails the list'
else
	for option in -a -l -d -j -s -e -p -n -H -W -D -R '-w 1' '-o state' 'state active'; do
		# shellcheck disable=SC2086 # option and argument
		run $option
		refused 1 "^$sentence\$" "a kernel without SMC is reported: $option"
	done
	run
	refused 1 "^$sentence\$" 'a kernel without SMC is reported in one sentence'
	err=$("$BUILD/smcss" 2>&1 >&-)
	line "$err" "^$sentence\$" 'a closed stdout does not hide it'
fi

plan_done
