#!/bin/bash
# SPDX-License-Identifier: MIT
# What tests inherit from a shell, a runner or a hook changes no result. TAP.
#
# Each inheritance alone is cheap: tests/orderly leaves nothing of it, so a program finds the same as without. The
# tier check runs once, with all of them together and from a directory with a blank in its path.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
chmod 755 "$tmp"
mkdir "$tmp/a b" "$tmp/unreadable" "$tmp/home" && chmod 0 "$tmp/unreadable" || exit 1
export TMPDIR=/tmp

# ---- inheritances: NAME COMMAND... runs the command with one of them ----
descriptors() { "$@" 3</dev/null 4</dev/null 5>"$tmp/five" 9</; }
closed_stdin() { "$@" <&-; }
path() { PATH="$tmp/unreadable:/nonexistent::.:$PATH" "$@"; }
blank_tmpdir() { TMPDIR="$tmp/a b" "$@"; }
no_tmpdir() { TMPDIR=/nonexistent "$@"; }
no_home() { (unset HOME && "$@"); }
masked() { (umask 077 && "$@"); }
limited() { (ulimit -Sn 64 && ulimit -Ss 512 && ulimit -Sf 100 && ulimit -Sc unlimited && "$@"); }
locale() { LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 LANGUAGE=de TZ=Asia/Kathmandu "$@"; }
variables() {
	SMC_DEBUG=1 SMC_STRICT=1 SMC_SNDBUF=1 SMC_LEARN=1 SMC_TOOLS_ROOT=/nonexistent SMC_TOOLS_RECORD=/nonexistent FAKE_SMC=97 \
		MIMIC_SLOW=1 GIT_DIR=/nonexistent CDPATH=/ COLUMNS=20 LINES=5 POSIXLY_CORRECT=1 TAR_OPTIONS=--verbose PYTHONOPTIMIZE=2 \
		MAKEFLAGS=n LD_PRELOAD="$BUILD/ld_pre_smc.so" "$@"
}
# shellcheck disable=SC2317 # for another shell
exported() { (grep() { false; } && export -f grep && "$@"); }
cat >"$tmp/signals" <<-'END'
	#!/usr/bin/env -S python3 -B
	import os, signal, sys
	every = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
	for number in every:
	    signal.signal(number, signal.SIG_IGN)
	signal.pthread_sigmask(signal.SIG_SETMASK, every)
	os.execvp(sys.argv[1], sys.argv[1:])
END
chmod +x "$tmp/signals"
# A new /dev without shm.
# shellcheck disable=SC2016 # the inner shell expands
no_shm() {
	unshare --mount sh -c '
		dev=$1 && shift
		mount -t tmpfs -o mode=755 none "$dev" && mkdir "$dev/pts" && mount --rbind /dev/pts "$dev/pts" || exit
		for name in null zero full tty urandom random; do
			: >"$dev/$name" && mount --bind "/dev/$name" "$dev/$name" || exit
		done
		ln -s pts/ptmx "$dev/ptmx" && ln -s /proc/self/fd "$dev/fd" && mount --rbind "$dev" /dev && exec "$@"' \
		sh "$(mktemp -d -p "$tmp")" "$@"
}
every="descriptors closed_stdin path blank_tmpdir no_tmpdir no_home masked limited locale variables exported $tmp/signals"

# state NAME: descriptors, mode, limits, signals and variables of a program that tests/orderly starts, after an inheritance
state() {
	"$1" tests/orderly python3 -B -c '
import os, resource
names = [fd for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd)]
print(*sorted(names), os.umask(0))
print(*(resource.getrlimit(kind)[0] for kind in range(resource.RLIM_NLIMITS if hasattr(resource, "RLIM_NLIMITS") else 16)))
with open("/proc/self/status") as file:
    print(*(line for line in file if line[:6] in ("SigBlk", "SigIgn")), sep="", end="")
print(*sorted("%s=%s" % item for item in os.environ.items() if item[0] not in ("HOME", "OLDPWD", "PWD", "SHLVL", "_")), sep="\n")' |
		grep -v ': no directory for tests'
}

state env >"$tmp/plain"
for name in $every; do
	state "$name" >"$tmp/state"
	is "$(diff "$tmp/plain" "$tmp/state")" '' "alone: ${name##*/}"
done
some "$(grep ^PATH= "$tmp/plain")" 'the state has variables'
# shellcheck disable=SC2016 # the inner shell expands
is "$(no_home tests/orderly sh -c '[ -d "$HOME" ] && echo there')" there 'no HOME: there is one'

# ---- a path with a blank: refused at once, or with what was built elsewhere ----
clone="$tmp/x y/clone"
mkdir -p "$clone" && tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$clone" || exit 1
for target in check check-source check-vm; do
	capture env -u MAKEFLAGS make -C "$clone" "$target"
	[ ! -e "$clone/build" ] && line "${err%%$'\n'make: *}" "^tests/run: LD_PRELOAD .* '$clone/build'" "make $target in a path with a blank: refused"
done
like "$(env -u MAKEFLAGS make -C "$clone" -n O="$tmp/new" "$tmp/new/bpf/smclife.o")" \
	"'-ffile-prefix-map=$clone=.'" 'make in a path with a blank: the compiler gets it as one'

# Functions before the programs.
read -ra all <<<"$every"
if no_shm true 2>/dev/null; then all=("${all[@]::${#all[@]}-1}" no_shm "${all[-1]}"); else skip 'no /dev/shm' 'needs root, and mounts'; fi
cd "$clone" || exit 1
TEST_LOGS=$tmp/logs "${all[@]}" tests/run --tier check >"$tmp/check.log" 2>&1
is $? 0 'make check with all of them' || diag "$(grep -v '^  skipped' "$tmp/check.log" | grep -B 1 -A 9 'not ok')"
like "$(tail -n 1 "$tmp/check.log")" '^[0-9]{4} passed, 0 failed, ' 'and no test is missing'
plan_done
