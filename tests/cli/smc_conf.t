#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_conf's command line on any kernel: streams, exit codes, files; the unit and the rule of udev.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
tool=smc_conf conf=$BUILD/smc_conf

# wrong WORDS LINES: smc_conf check refuses the lines on standard input
wrong() {
	printf '%b' "$2" >"$tmp/stdin"
	err=$("$conf" check - <"$tmp/stdin" 2>&1 >"$tmp/stdout")
	is "$?$(<"$tmp/stdout")" 1 "wrong: $1"
	like "$err" "^smc_conf: standard input:($1)" "said: $1"
}

# magic: $! has a mount namespace where another file is bound to /etc/passwd. The path through /proc/$!/root reads as
# /etc/passwd, and leads to the other file
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
	refuse "$file as root: .*cannot be checked" apply "/proc/$!/root$file"
	kill $!
}

# ---- bad usage ----
refuse 'no command given'
refuse "unknown command 'expot' .*'export'" expot
refuse "unknown option '-x'" -x export
for command in show keep reset; do
	refuse "unexpected argument 'file'" $command file
done
refuse "unexpected argument 'b'" diff a b
refuse 'no file given' check
refuse "'--device' is only for 'apply'" diff --device lo
refuse "'--netns' is only for 'apply' or 'diff'" show --netns x
refuse "'--netns' and '--device' exclude" apply -N x --device lo
refuse "'--json' is only for" check -j x
for command in apply watch keep reset; do
	refuse "'--json' is only for" $command -j
done

# ---- files: all of extra/lib/settings/conf is in unit/conf ----
refuse 'cannot (open|read) /no/such/file: No such file' check /no/such/file
refuse 'cannot (open|read) /no/such/file: No such file' diff /no/such/file
wrong '1: lab_1: an EID may contain only' 'eid lab_1\n'
wrong '3: ueid: expected eid, seid, ' '# x\neid A\nueid B\n'
wrong '1: end of line: expected on or off' 'seid'
mkfifo "$tmp/pipe"
refuse "cannot read $tmp/pipe: .*regular file; - is standard" check "$tmp/pipe"
refuse 'cannot read /: .*regular file' check /
err=$(printf 'eid A\033[1m\n' | "$conf" check - 2>&1)
unlike "$err" "$(printf '\033')" 'what stands in a file does not drive a terminal'
if [ "$(id -u)" = 0 ]; then
	echo 'eid A' >"$tmp/smc.conf"
	chmod 666 "$tmp/smc.conf"
	for command in apply watch; do
		refuse "$tmp/smc.conf as root: other users .* /" $command "$tmp/smc.conf"
	done
	capture "$conf" check "$tmp/smc.conf"
	is "$rc" 0 "check changes nothing: it reads any file"
	magic
else
	skip 'a file that others may change' 'not root'
fi

# ---- samples in the documents ----
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{ /^\./d; p }' man/smc.conf.5 >"$tmp/lines"
err=$("$conf" export - <"$tmp/lines" 2>&1 >"$tmp/out")
is "$?$err" 0 'the example of smc.conf(5)'
like "$(<"$tmp/out")" '^deny port 443$' 'and it is all there'

is "$(printf 'eid A\ndeny port 22\nnetns b\npnetid N net m\n' | "$conf" export -j - | sed 's/"source":"[^"]*",//g')" \
	"$(printf '%s' '{"schema":"smc-tools/conf/1","settings":[' '{"setting":"eid A","kind":"eid","name":"A"},' \
		'{"setting":"deny port 22","kind":"policy","name":"deny port 22"},' \
		'{"netns":"b","setting":"pnetid N net m","kind":"pnetid","name":"m","by":"net","value":"N"}]}')" 'export: JSON'

# ---- a kernel without SMC ----
sentence="no SMC \(module 'smc' .*\).* 'smc_chk doctor'\$"
if has_smc; then
	skip 'a kernel without SMC' 'this kernel has SMC'
else
	run export
	refused 1 "^smc_conf: .*$sentence" 'export: a kernel without SMC is reported in one sentence'
	out=$(echo 'eid A' | "$conf" check - 2>&1)
	line "$?$out" "^0smc_conf: only the file .*: .*$sentence" 'check: so, and the file was checked'
fi

# ---- files that exist, and those that do not ----
run apply "$tmp/none"
refused 1 "cannot open $tmp/none: .*'smc_conf keep'.*smc.conf\(5\)" 'a missing file: where one comes from'
run export -j "$tmp/new"
is "$rc$([ -e "$tmp/new" ] || echo none)" 1none 'export -j FILE: refused'

# ---- a recorded host ----
good='handshake-limit on\npnetid x mac 02:00:00:00:00:99\n'
# from TEXT: result of check against a bundle
from() {
	out=$(printf '%b' "$1" | "${conf%/*}/smc_chk" from tests/cli/host.tgz smc_conf check - 2>&1)
	rc=$?
}
from "$good"
is "$rc$out" '0smc_conf: standard input:2: waits for its device: pnetid X mac 02:00:00:00:00:99' 'from: a device is not there'
from 'eid A B C D\n'
line "$rc$out" '^1smc_conf: standard input:1: eid: .* 5, .* only 4$' 'from: too many EIDs, with the one that is there'
from 'eid a\n'
like "$rc$out" '^1smc_conf: standard input:1: a: lower case is not allowed' 'from: a wrong line'
from 'scope /system.slice/redis.service only ipv4\n'
is "$rc$out" 0 'from: a scope, whose control group only that host knows'
out=$(echo 'scope /x' | SMC_TOOLS_ROOT="$tmp" "$conf" watch - 2>&1)
line "$?$out" '^1smc_conf: .*recorded host' 'watch: not of a recorded host'
out=$(echo 'eid A' | "$conf" watch - 2>&1)
is "$?$out" 0 'watch: without a scope there is nothing to wait for'

tar -xzf tests/cli/host.tgz -C "$tmp"
for command in keep reset drain undrain remove "add /dev/null"; do
	# shellcheck disable=SC2086 # words of a command
	SMC_TOOLS_ROOT=$tmp/smc-bundle/record refuse 'recorded host' $command
done

# ---- keep, reset: the kernel is that of a record, systemctl is fake, /etc and /run are directories ----
umask 022
mkdir -p "$tmp/bin" "$tmp/etc" "$tmp/run/systemd/system"
cat >"$tmp/bin/systemctl" <<'END'
#!/bin/sh
echo "$*" >>"$FAKE/log"
[ ! -e "$FAKE/dead" ] || { echo 'Failed to enable unit: no.'; exit 1; }
END
chmod +x "$tmp/bin/systemctl"
# here COMMAND...: run a command on this machine, not on the recorded host
here() {
	# shellcheck disable=SC2016 # for the inner shell
	FAKE=$tmp KERNEL=${conf%/*}/tests/cli/kernel.so KERNEL_ROOT=$tmp/smc-bundle/record KERNEL_COUNT=$tmp/count PATH=$tmp/bin:$PATH \
		capture unshare -m -n sh -c 'mount -t tmpfs none /sys/fs/bpf && mount --bind "$FAKE/etc" /etc &&
			mount --bind "$FAKE/run" /run && LD_PRELOAD=$KERNEL exec "$@"' sh "$@"
}

check_keep() {
	local dir=$tmp/etc/smc-tools file=$tmp/etc/smc-tools/smc.conf kept
	here "$conf" export
	kept=$out
	like "$kept" '^eid SMC-LAB-EID$' 'export: what is in force'
	here "$conf" export "$tmp/exported"
	is "$rc$out$(<"$tmp/exported")" "0$kept" 'export FILE: the same in a file'
	echo 'eid MINE' >"$tmp/exported"
	here "$conf" export "$tmp/exported"
	like "$rc$err$(<"$tmp/exported")" "^1smc_conf: $tmp/exported exists.*eid MINE$" 'a file that exists stays as it is'
	here "$conf" keep
	is "$rc$out$err" 0 'keep'
	is "$(<"$file")" "$kept" 'writes that'
	is "$(stat -c %a "$dir" "$file" | paste -sd' ')" '755 644' 'others can read it'
	is "$(<"$tmp/log")" 'enable smc-conf.service' 'enables the unit'
	here "$conf" keep
	is "$rc$out$err$(ls "$dir")" 0smc.conf 'keep again: nothing is to be done'
	here "$conf" diff
	is "$rc$out$err" 0 'the file is right'
	echo '# mine' >"$file"
	here "$conf" keep
	line "$rc$out$err" '^0smc_conf: .* /etc/smc-tools/smc.conf.old$' 'keep: another file is there'
	is "$(<"$file")$(<"$file.old")" "$kept# mine" 'both are kept'
	echo '# mine, too' >"$file"
	here "$conf" keep
	refused 1 '^smc_conf: /etc/smc-tools/smc.conf differs, .* /etc/smc-tools/smc.conf.old already' 'keep: no third one'
	is "$(<"$file")$(<"$file.old")" '# mine, too# mine' 'nothing is changed'
	rm "$file.old" "$file"
	mkdir "$dir/smc.conf.d"
	echo 'pnetid OTHER net lo' >"$dir/smc.conf.d/a.conf"
	here "$conf" keep
	is "$rc$out$err" '1smc_conf: /etc/smc-tools/smc.conf.d/a.conf:1: lo: contradicts /etc/smc-tools/smc.conf:3' 'keep: not beside a line that contradicts'
	is "$(ls "$dir")" smc.conf.d 'nothing is written'
	rm -r "$dir/smc.conf.d"
	: >"$tmp/dead"
	here "$conf" keep
	refused 1 '^smc_conf: /etc/smc-tools/smc.conf is written, but .*: Failed to enable unit: no\.$' 'keep: systemctl fails'
	rm -r "$tmp/run/systemd" "$tmp/log"
	here "$conf" keep
	line "$rc$out$err" '^0smc_conf: /etc/smc-tools/smc.conf is written, but systemd ' 'keep: no systemd'
	is "$(ls "$tmp/log" 2>&1)$(<"$file")" "ls: cannot access '$tmp/log': No such file or directory$kept" 'the file is there'
}

check_reset() {
	local count
	printf 'netns *\nexclusive\n' >"$tmp/etc/nothing"
	here "$conf" diff /etc/nothing
	like "$out" '^- eid SMC-LAB-EID$' 'a file that wants nothing: something goes'
	here "$conf" apply /etc/nothing
	count=$(<"$tmp/count")
	is "$rc$err" 0 'it is applied'
	here "$conf" reset
	is "$rc$out$err $(<"$tmp/count")" "0 $count" 'reset asks the kernel for as much'
	KERNEL_FAULT=eperm here "$conf" reset
	like "$rc$err" '^1smc_conf: .*Operation not permitted' 'reset: no rights'
}

here true
if [ "$rc" -ne 0 ]; then
	skip 'keep, reset' 'needs root, and namespaces: unshare -mn'
elif grep -q __asan_init "$conf" || ! python3 -c 'import sys; sys.exit(sys.byteorder == "big")'; then
	skip 'keep, reset' 'nothing can be preloaded, or another byte order than that of the record'
else
	check_keep
	check_reset
fi

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
