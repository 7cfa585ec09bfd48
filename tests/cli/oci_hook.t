#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_bpf oci-hook: its handling of the states that runtimes pass; without containers. The states in tests/cli/oci were
# recorded with podman 4.3, crun 1.8 and runc 1.1, and with containerd 1.7, except for the process id; runc's have the
# annotations that CRI-O sets for containers of Kubernetes, which were not recorded. Effects on containers:
# tests/kernel/podman.t.
cd "$(dirname "$0")/../.." || exit 1
# Counts and logs must not go to this machine's /run.
if [ "$(id -u)" -eq 0 ] && [ -z "${HOOK_RUN-}" ] && unshare -m true 2>/dev/null; then
	HOOK_RUN=y exec unshare -m sh -c 'mount -t tmpfs none /run && exec "$@"' sh "$PWD/tests/cli/oci_hook.t"
fi
. tests/cli/tool.sh
if [ ! -x "$BUILD/smc_bpf" ]; then
	skip "smc_bpf oci-hook" "smc_bpf was not built"
	plan_done
	exit
fi
# An unused process id: Linux has at most four million.
nobody='"pid":2147483647'

# hook STATUS REGEX TEXT: run the hook as a runtime does, with the state in $tmp/state. It must print one line on stderr
# that matches; nothing if REGEX is ''
hook() {
	out=$(env -i "$BUILD/smc_bpf" oci-hook <"$tmp/state" 2>"$tmp/err")
	rc=$?
	if [ -z "$2" ]; then
		is "$rc|$out|$(<"$tmp/err")" "$1||" "$3"
	else
		is "$rc|$out|$(wc -l <"$tmp/err")" "$1||1" "$3: status, and one line" || diag "$(<"$tmp/err")"
		like "$(<"$tmp/err")" "^smc_bpf: $2" "$3: said"
	fi
}

# late FILE [COMMAND...]: run the hook on FILE, and write its status and output to FILE.said once no process can write
# more
late() {
	late_file=$1
	shift
	late_said=$("$@" env -i "$BUILD/smc_bpf" oci-hook <"$late_file" 2>&1)
	printf '%s|%s\n' "$?" "$late_said" >"$late_file.said"
}

# with_full_log DEV COMMAND...: run a command while the system log is full and nobody reads it
with_full_log() {
	with_dev=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands
	unshare -m sh -c 'mount --bind /dev/null "$1/null" && mount --rbind "$1" /dev && shift && exec "$@"' sh "$with_dev" \
		python3 -c '
import socket, subprocess, sys
log, to = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
log.bind("/dev/log")
to.connect("/dev/log")
to.setblocking(False)
try:
    while True:
        to.send(b"x")
except BlockingIOError:
    ended = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    print(ended.stdout, end="")
    sys.exit(ended.returncode)' "$@"
}

# state ANNOTATIONS: print the state of a container "web" that is being created
state() {
	printf '{"ociVersion":"1.0","id":"web",%s,"status":"created","annotations":{%s}}' "$nobody" "$1" >"$tmp/state"
}

for name in podman-crun podman-runc crio containerd; do
	cp "tests/cli/oci/$name.json" "$tmp/state"
	id=$(jq -r .id "$tmp/state")
	like "$(<"$tmp/state")" "$nobody.*\"smc-tools/attach\": *\"true\"" "$name: asks for SMC"
	hook 0 "container $id: process 2147483647: No such process\$" "$name: the container still starts"
	sed -i 's,\("smc-tools/attach": *"\)true,\1strict,' "$tmp/state"
	hook 1 "container $id: process 2147483647: No such process\$" "$name, strict: it does not"
	sed -i 's,smc-tools/attach,smc-tools/other,' "$tmp/state"
	hook 0 '' "$name, without the annotation: nothing is done"
done

if [ -n "${HOOK_RUN-}" ]; then
	is "$(wc -c </run/smc-tools/oci-hook.failures) $(stat -c %a /run/smc-tools/oci-hook.failures)" '8 644' 'each failure is counted'
else
	skip 'each failure is counted' 'needs root, and a /run of its own'
fi
cp tests/cli/oci/podman-stopped.json "$tmp/state"
out=$(env -i "$BUILD/smc_bpf" oci-hook <"$tmp/state" 2>&1)
is "$?" 0 'podman, when the container has ended'
unlike "$out" 'process|annotation' 'whose process nobody looks for'

state '"smc-tools/attach":"yes"'
hook 0 "container web: annotation smc-tools/attach: 'yes' .*true, tcp, smc nor strict\$" 'another value'
state '"smc-tools/attach":"\u001b[2J\n"'
hook 0 "container web: annotation smc-tools/attach: '.x1b\[2J.x0a' is neither" 'one that a terminal would obey'
state '"smc-tools/attach":"tcp"'
hook 0 'container web: process 2147483647: No such process$' 'tcp'
: >"$tmp/state"
hook 0 'standard input is not the state of a container' 'nothing on standard input'
head -c 8000000 /dev/zero | tr '\0' ' ' >"$tmp/state"
hook 0 'cannot read .*container: File too large$' 'a state without end'
printf '{"id":"web","status":"created"}' >"$tmp/state"
hook 0 'container web: .*no process id' 'no process'
printf '{%s}' "$nobody" >"$tmp/state"
hook 0 '.*container has no valid id' 'no id'
state '"smc-tools/attach":"strict"'
env -i "$BUILD/smc_bpf" oci-hook <"$tmp/state" 2>&-
is "$?" 1 'strict, without a reader: the status fails'
env -i "$BUILD/smc_bpf" oci-hook <"$tmp/state" 2>/dev/full
is "$?" 1 'strict, to a full disk'
env -i python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' \
	"$BUILD/smc_bpf" oci-hook <"$tmp/state" >"$tmp/out" 2>&1
is "$?|$(<"$tmp/out")" '1|smc_bpf: container web: process 2147483647: No such process' 'a runtime that ignores SIGCHLD'
if [ -n "${HOOK_RUN-}" ]; then
	chmod 755 "$tmp" && cp "$BUILD/smc_bpf" "$tmp" && chmod 644 "$tmp/state"
	out=$(setpriv --reuid=65534 --regid=65534 --clear-groups prlimit --nproc=0 env -i "$tmp/smc_bpf" oci-hook <"$tmp/state" 2>&1)
	is "$?|$out" '1|smc_bpf: cannot begin: Resource temporarily unavailable' 'strict, where no process can be started'
else
	skip 'strict, where no process can be started' 'needs root'
fi
state '"smc-tools/attach":"true"'
env -i "$BUILD/smc_bpf" oci-hook <"$tmp/state" 2>&-
is "$?" 0 'true, to nobody: it starts'

# Cases that may hang run in parallel, as each takes the hook's time limit.
mkfifo "$tmp/fifo"
exec {pipe}<>"$tmp/fifo"
late "$tmp/fifo" {pipe}>&- &
if [ -n "${HOOK_RUN-}" ]; then
	for wish in true strict; do
		mkdir "$tmp/dev.$wish" && : >"$tmp/dev.$wish/null"
		state "\"smc-tools/attach\":\"$wish\""
		cp "$tmp/state" "$tmp/$wish"
		late "$tmp/$wish" with_full_log "$tmp/dev.$wish" {pipe}>&- &
	done
fi
wait
exec {pipe}>&-
line "$(<"$tmp/fifo.said")" '^0[|]smc_bpf: .* 30 seconds: it starts ' 'a runtime that does not end what it writes'
if [ -n "${HOOK_RUN-}" ]; then
	failed='smc_bpf: container web: process 2147483647: No such process'
	mapfile -t lines <"$tmp/true.said"
	is "${#lines[@]}${lines[0]}" "20|$failed" 'a log that takes nothing: the container starts'
	like "${lines[1]}" '^smc_bpf: container web: .* 30 seconds: it starts ' 'which is said'
	is "$(<"$tmp/strict.said")" "1|$failed
smc_bpf: container web: not done after 30 seconds: it does not start" 'strict: it does not'
else
	skip 'a log that takes nothing: the container starts, which is said' 'needs root, and a /dev of its own'
	skip 'strict: it does not' 'needs root, and a /dev of its own'
fi

for arguments in "--cgroup /" "--unit a"; do
	# shellcheck disable=SC2086 # two words
	out=$("$BUILD/smc_bpf" oci-hook $arguments 2>&1)
	is "$?|$out" "1|smc_bpf: option '${arguments% *}' is only for 'attach', 'detach', 'status' or 'check'; try 'smc_bpf --help'" "smc_bpf oci-hook $arguments"
done
plan_done
