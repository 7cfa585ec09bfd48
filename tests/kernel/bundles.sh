# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests/kernel/*.t, after lab.sh and tap.sh: guests that leave a bundle, which must give the same answers
# here.

HERE=${HERE:-$BUILD}		# a build for this machine
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# Free memory changes.
without_memory() { sed 's/ *[0-9]* free blocks/ N free blocks/'; }

# here NAME: for each command, the output from the guest's bundle on this machine must equal the live output in the
# guest.
here() {
	local file command got want
	[ -f "$out/$1/bundle.tar.gz" ] && [ -n "$(ls "$out/$1/live" 2>/dev/null)" ]
	ok $? "$1: the guest left a bundle, and what its tools said" || return
	for file in "$out/$1"/live/*; do
		command=${file##*/}
		# shellcheck disable=SC2086 # words of a command
		got=$("$HERE/smc_chk" from "$out/$1/bundle.tar.gz" $command 2>&1; echo "$?")
		want=$(sed 1d "$file"; head -n 1 "$file")
		got=$(without_memory <<<"$got")
		want=$(without_memory <<<"$want")
		[ "$got" = "$want" ]
		ok $? "$1: $command, on a machine without SMC" || diag "$(diff <(echo "$want") <(echo "$got"))"
	done
}

# judged NAME COMMAND...: run a program on files from a guest. It prints TAP.
judged() {
	local name=$1 status
	shift
	"$@" >"$out/tap"
	status=$?
	sed -E "/^1\.\./d; s/^(not ok|ok) [0-9]+ - /\1 - $name: /" "$out/tap"
	tap_count=$((tap_count + $(grep -cE '^(not )?ok ' "$out/tap")))
	tap_failed=$((tap_failed + $(grep -c '^not ok ' "$out/tap")))
	[ "$status" = 0 ] || grep -q '^not ok ' "$out/tap"
	ok $? "$name: the judge came to its end"
}

# guest NAME TEST run|pair OPTION...: run the guest's own tests, then "here".
guest() {
	local name=$1 test=$2 status
	shift 2
	mkdir "$out/$name"
	in_lab "$@" -o "$out/$name" -- "$test" >"$out/tap"
	status=$?
	sed -E "/^1\.\./d; s/^(not ok|ok) [0-9]+ - /\1 - $name: /" "$out/tap"
	tap_count=$((tap_count + $(grep -cE '^(not )?ok ' "$out/tap")))
	tap_failed=$((tap_failed + $(grep -c '^not ok ' "$out/tap")))
	[ "$(sed -n 's/^1\.\.//p' "$out/tap")" = "$(grep -cE '^(not )?ok ' "$out/tap")" ]
	ok $? "$name: ran to its end"
	is "$status" 0 "$name: status of the guest"
	here "$name"
}

