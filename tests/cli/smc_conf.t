#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_conf's command line on any kernel: streams, exit codes, files; the unit and the rule of udev.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
conf=${BUILD:-$PWD/build}/smc_conf
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL

# run ARG...: what smc_conf writes is in $out and $err, its status in $rc.
run() {
	capture "$conf" "$@"
}

# refuse WORDS ARG...: status 1, nothing on stdout, one line on stderr that contains the words.
refuse() {
	words=$1
	shift
	run "$@"
	refused 1 "^smc_conf: .*$words" "refused: smc_conf $*"
}

# wrong WORDS LINES: the same of a file on standard input
wrong() {
	printf '%b' "$2" >"$tmp/stdin"
	err=$("$conf" check - <"$tmp/stdin" 2>&1 >"$tmp/stdout")
	is "$?$(<"$tmp/stdout")" 1 "wrong: $1"
	like "$err" "^smc_conf: standard input:($1)" "said: $1"
}

# magic: a path that says /etc/passwd, and leads to what another mount namespace has there
magic() {
	file=/etc/passwd
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount --bind "$1" "$2" && exec sleep 600' sh "$tmp/smc.conf" $file 2>/dev/null &
	until cmp -s "/proc/$!/root$file" "$tmp/smc.conf"; do
		if ! kill -0 $! 2>/dev/null; then
			skip 'a file of another mount namespace' 'unshare -m'
			return
		fi
		sleep 0.1
	done
	refuse "$file as root: it leads to a file that cannot be checked" apply "/proc/$!/root$file"
	kill $!
}

# ---- help and version ----
for option in -h --help --he; do
	run "$option"
	like "$rc$err$out" '^0Usage: smc_conf export \[FILE\] \[-j\]' "$option prints the usage"
done
err=$("$conf" --help 2>&1 >/dev/full)
is "$?$err" '1smc_conf: cannot write to standard output: No space left on device' 'help to a full device'

# ---- bad usage ----
refuse 'no command given: export, diff, apply, check, watch or show'
refuse "unknown command 'expo'" expo
refuse "unknown option '-x'" -x export
refuse "unexpected argument 'file'" show file
refuse "unexpected argument 'b'" diff a b
refuse 'no file given' check
refuse "'--device' is only for 'apply'" diff --device lo
refuse "'--netns' is only for 'apply' and 'diff'" show --netns x
refuse "'--netns' and '--device' exclude each other" apply -N x --device lo
refuse "'--from' is only for 'check'" diff --from x
refuse "'--json' is not for 'apply'" apply -j
refuse "'--json' is not for 'check'" check -j x
refuse "'--json' is not for 'watch'" watch -j

# ---- files: all of lib/conf is in unit/conf ----
refuse 'cannot (open|read) /no/such/file: No such file' check /no/such/file
refuse 'cannot (open|read) /no/such/file: No such file' diff /no/such/file
wrong '1: lab_1: an EID may contain only' 'eid lab_1\n'
wrong '3: ueid: expected eid, seid, ' '# x\neid A\nueid B\n'
wrong '1: end of line: expected on or off' 'seid'
wrong '2: /: only files can include|2: include: only files' 'eid A\ninclude /\n'
mkfifo "$tmp/pipe"
refuse "cannot read $tmp/pipe: not a regular file; - is standard input" check "$tmp/pipe"
refuse 'cannot read /: not a regular file' check /
err=$(printf 'eid A\033[1m\n' | "$conf" check - 2>&1)
unlike "$err" "$(printf '\033')" 'what stands in a file does not drive a terminal'
if [ "$(id -u)" = 0 ]; then
	echo 'eid A' >"$tmp/smc.conf"
	chmod 666 "$tmp/smc.conf"
	for command in apply watch; do
		refuse "refusing to read $tmp/smc.conf as root: other users can write to /" $command "$tmp/smc.conf"
	done
	for command in check export; do
		capture "$conf" $command "$tmp/smc.conf"
		is "$rc" 0 "$command changes nothing: it reads any file"
	done
	magic
else
	skip 'a file that others may change' 'not root'
fi

# ---- what the documents show is right ----
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{ /^\./d; /^include /d; p }' man/smc.conf.5 >"$tmp/lines"
err=$("$conf" export - <"$tmp/lines" 2>&1 >"$tmp/out")
is "$?$err" 0 'the example of smc.conf(5)'
like "$(<"$tmp/out")" '^deny port 22,443' 'and it is all there'

# ---- a kernel without SMC ----
sentence="this kernel has no SMC (module 'smc' cannot be loaded)"
if has_smc; then
	skip 'a kernel without SMC' 'this kernel has SMC'
else
	run export
	is "$rc$out$err" "1smc_conf: $sentence" 'export: a kernel without SMC is told in one sentence'
	out=$(echo 'eid A' | "$conf" check - 2>&1)
	is "$?$out" "0smc_conf: only the file was checked: $sentence" 'check: so, and the file was checked'
fi

# ---- a recorded host ----
good='handshake-limit on\npnetid x mac 02:00:00:00:00:99\n'
# from TEXT: what check says of it against a bundle
from() {
	out=$(printf '%b' "$1" | "$conf" check - --from tests/cli/host.tgz 2>&1)
	rc=$?
}
from "$good"
is "$rc$out" '0smc_conf: standard input:2: waits for its device: pnetid X mac 02:00:00:00:00:99' 'check --from: a device is not there'
from 'eid A B C D\n'
is "$rc$out" '1smc_conf: there would be 5 EIDs, and the kernel takes 4' 'check --from: too many EIDs, with the one that is there'
from 'eid a\n'
like "$rc$out" '^1smc_conf: standard input:1: a: lower case is not allowed' 'check --from: a wrong line'
from 'scope /system.slice/redis.service only ipv4 user nobody-here\n'
is "$rc$out" 0 'check --from: a scope, whose user and control group only that host knows'
out=$(echo 'scope /x' | SMC_TOOLS_ROOT="$tmp" "$conf" watch - 2>&1)
is "$?$out" '1smc_conf: this is a recorded host: nothing can be changed here' 'watch: not of a recorded host'
out=$(echo 'eid A' | "$conf" watch - 2>&1)
is "$?$out" 0 'watch: without a scope there is nothing to wait for'
run check - --from /no/such/bundle
is "$rc$out$err" '1smc_chk: cannot open /no/such/bundle: No such file or directory' 'check --from: no such bundle'

# ---- the unit: systemd knows its settings, and it has few rights ----
if systemd-analyze security --help 2>/dev/null | grep -q -e --offline; then
	for unit in smc-conf.service smc-conf-watch.service; do
		sed "s,@BINDIR@,${conf%/*}," "packaging/$unit" >"$tmp/$unit"
	done
	for unit in smc-conf.service smc-conf-watch.service; do
		is "$(systemd-analyze --man=no verify "$tmp/$unit" 2>&1 | grep smc-conf)" '' "$unit: systemd has nothing to say about it"
		systemd-analyze security --offline=yes --threshold=45 "$tmp/$unit" >"$tmp/out" 2>&1
		ok $? "$unit: runs in a sandbox" || diag "$(tail -n 1 "$tmp/out")"
	done
else
	skip 'smc-conf.service, smc-conf-watch.service' 'no systemd-analyze that reads files'
fi
plan_done
