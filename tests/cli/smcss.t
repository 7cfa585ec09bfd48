#!/bin/bash
# SPDX-License-Identifier: MIT
# smcss's command line on any kernel: streams, exit codes, wording of errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
smcss=${BUILD:-$PWD/build}/smcss
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL

# run ARG...: output of smcss is in $out and $err, its status in $rc.
run() {
	capture "$smcss" "$@"
}

# refuse WORDS ARG...: bad usage, whose line contains the words and a way to the help.
refuse() {
	words=$1
	shift
	run "$@"
	refused 1 "^smcss: .*$words.*; try 'smcss --help'\$" "refused: smcss $*"
}

# ---- help and version ----
for option in -h --help --he; do
	run "$option"
	is "$rc" 0 "$option exits 0"
	is "$err" '' "$option leaves stderr empty"
	like "$out" '^Usage: smcss \[OPTIONS\] \[FILTER\]' "$option prints the usage"
done
version=$(<VERSION)
for option in -v --version --ver; do
	run "$option"
	is "$rc" 0 "$option exits 0"
	is "$out$err" "smcss utility, smc-tools-$version" "$option prints the version"
done
run --help
long=$(printf '%s\n' "$out" | awk 'length > 79')
is "$long" '' 'no line of the help is wider than 79 columns'
run -h -v
like "$out" '^Usage:' 'the first of help and version counts'

# ---- write errors on stdout ----
for option in --help --version; do
	err=$("$smcss" "$option" 2>&1 >/dev/full)
	is "$?" 1 "$option to a full device exits 1"
	line "$err" '^smcss: .*standard output: No space left on device$' \
		"$option to a full device is an error"
	err=$("$smcss" "$option" 2>&1 >&-)
	is "$?" 1 "$option to a closed stdout exits 1"
	line "$err" '^smcss: .*standard output: Bad file descriptor$' \
		"$option to a closed stdout is an error"
done
"$smcss" --nonsense 2>&- >"$tmp/out"
is "$?" 1 'a closed stderr changes no status'
is "$(<"$tmp/out")" '' 'a closed stderr sends nothing to stdout'
out=$("$smcss" --version <&-)
is "$?$out" "0smcss utility, smc-tools-$version" 'a closed stdin does not matter'

# ---- bad usage ----
refuse "unknown option '-x'" -x
refuse "unknown option '-x'" -ax
refuse "'--summary' and '--wide' exclude" -sW
refuse "'--summary' and '--names' exclude" -sn
refuse "'--json' and '--wide' exclude" -jW
refuse "'--json' and '--names' exclude" -jn
refuse "'--json' and '--explain' exclude" -je
refuse "'--output' and '--debug' exclude" -d -o mode
refuse "'--output' and '--names' exclude" -n -o mode
refuse "'--names' and '--metrics' exclude|'--metrics' and '--names' exclude" --metrics -n
refuse "unknown .*'--nonsense'" --nonsense
refuse "unknown .*'--smc'" --smc
refuse "unknown .*'--n'" --n
refuse "'--all' takes no argument" --all=yes
refuse "'--output' needs an argument" -o
refuse "'--output' needs an argument" --output
refuse "'--netns' needs an argument" -N
refuse "'--watch' needs an argument" --watch
refuse "unknown column 'nonsense'" -o nonsense
refuse "unknown column 'nonsense'" -o state,nonsense,uid
refuse "unknown column ''" -o ''
refuse "unknown column ''" -o state,
refuse "unknown column 'State'" -o State
for seconds in '' x 1x -1 0 0.01 1e9 nan inf; do
	refuse 'is not a number of seconds' -w "$seconds"
done
refuse "'nonsense' is not a filter" nonsense
refuse '.--all-netns. .* .--netns.' --all-netns -N 1
refuse '.--metrics. .* .--json.' --metrics -j
refuse '.--metrics. .* .--watch.' --metrics -w 1
refuse "'netns' is for --all-netns" netns host
refuse "'nonsense' .*not a state" state nonsense
refuse "'65536' .*not a port" sport = 65536
refuse "'10.0.0.0/33' .*not a numeric address" dst 10.0.0.0/33
refuse 'ends .*a state' state
refuse 'ends .*a closing parenthesis' '(' state active
refuse 'ends .*a test' ''
refuse 'nested too deeply' '((((((((((((((((((((' state active

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
		refuse "options '--$3' and '--$4' exclude" $order
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
sentence="smcss: .*no SMC \(module 'smc' .*\): run 'smc_chk'"
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

# ---- processes that a security module keeps from SMC, on a recorded host ----
if [ "$(python3 -c 'import sys; print(sys.byteorder)')" = little ]; then
	tar xzf tests/cli/host.tgz -C "$tmp"
	export SMC_TOOLS_ROOT=$tmp/smc-bundle/record
	printf '0\nserver[12] uses TCP: \033[2J' >"$SMC_TOOLS_ROOT/probes/confined-tcp-0"
	printf '0\nother[13] uses TCP: x' >"$SMC_TOOLS_ROOT/probes/confined-tcp-1"
	run -e
	unlike "$out" 'uses TCP' '-e where no security module is in force'
	mkdir -p "$SMC_TOOLS_ROOT/sys/module/apparmor/parameters"
	echo Y >"$SMC_TOOLS_ROOT/sys/module/apparmor/parameters/enabled"
	run -e
	is "$(tail -n 2 <<<"$out")" 'server[12] uses TCP: \x1b[2J
other[13] uses TCP: x' '-e where one is: a line for each, escaped'
	for option in -eH -a -j -s; do
		run $option
		unlike "$out" 'uses TCP' "not with $option"
	done
	unset SMC_TOOLS_ROOT
else
	skip 'processes that are kept from SMC' 'the recorded host is little-endian'
fi

# ---- a kernel without SMC ----
if has_smc; then
	skip 'a kernel without SMC is reported in one sentence' 'this kernel has SMC'
	run
	is "$rc" 0 'a kernel with SMC gives a list'
	like "$out" '^State +UID +Inode +Local Address' 'the list has its header'
	run -j
	is "$(printf '%s' "$out" | python3 -c 'import json, sys
print(json.load(sys.stdin)["schema"])')" smc-tools/smcss/1 'JSON can be read'
	"$smcss" >/dev/full 2>"$tmp/err"
	is "$?" 1 'a full device fails the list'
else
	for option in -a -l -d -j -s -e -p -n -H -W -D -R '-w 1' '-o state' 'state active'; do
		# shellcheck disable=SC2086 # option and argument
		run $option
		refused 1 "^$sentence\$" "a kernel without SMC is reported: $option"
	done
	run
	refused 1 "^$sentence\$" 'a kernel without SMC is reported in one sentence'
	err=$("$smcss" 2>&1 >&-)
	line "$err" "^$sentence\$" 'a closed stdout does not hide it'
fi

plan_done
