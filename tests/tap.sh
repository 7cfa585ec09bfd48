# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Test Anything Protocol for scripts of bash: source it, call ok/is/like/unlike/skip, end with plan_done.
# Starts no programs: most of a suite's time would be theirs.

tap_count=0
tap_failed=0

# ok STATUS TEXT: passes when STATUS is 0.
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $2"
	return 1
}

# diag TEXT: lines that explain a failure.
diag() {
	printf '# %s\n' "${1//$'\n'/$'\n'# }"
}

# is GOT WANT TEXT: passes when both strings are the same.
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: $2"
		return 1
	fi
}

# matches GOT REGEX: some line of GOT matches the extended regular expression.
matches() {
	local line
	while IFS= read -r line; do
		[[ ! $line =~ $2 ]] || return 0
	done <<<"$1"
	return 1
}

# like GOT REGEX TEXT: passes when some line of GOT matches the extended regular expression, which is not empty.
like() {
	if [ -n "$2" ] && matches "$1" "$2"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: a line matching $2"
		return 1
	fi
}

# line GOT REGEX TEXT: passes when GOT is one line that matches.
line() {
	if [[ $1 == *$'\n'* ]]; then is "$1" "one line: $2" "$3"; else like "$@"; fi
}

# unlike GOT REGEX TEXT: passes when no line of GOT matches.
unlike() {
	if matches "$1" "$2"; then
		ok 1 "$3"
		diag "got:  $1"
		diag "want: no line matching $2"
		return 1
	else
		ok 0 "$3"
	fi
}

# status_has LINE: does /proc/self/status have the line, such as 'Seccomp:.2' in a container?
status_has() {
	grep -q "^$1\$" /proc/self/status
}

# slurp VARIABLE FILE: VARIABLE=$(cat FILE)
slurp() {
	local -n text=$1
	IFS= read -r -d '' text <"$2"
	while [[ $text == *$'\n' ]]; do text=${text%$'\n'}; done
}

# capture COMMAND...: what it writes is in $out and $err, its status in $rc. The test has a directory $tmp.
# shellcheck disable=SC2034
capture() {
	"$@" >"${tmp:?}/out" 2>"$tmp/err" </dev/null
	rc=$?
	slurp out "$tmp/out"
	slurp err "$tmp/err"
}

# refused STATUS REGEX TEXT: the command that capture ran has failed with this status, nothing on stdout, and one line
# on stderr that matches.
refused() {
	local lines
	mapfile lines <"$tmp/err"
	if [ "$rc" -eq "$1" ] && [ ! -s "$tmp/out" ] && [ ${#lines[@]} -eq 1 ] && [[ ${lines[0]} == *$'\n' ]]; then
		like "$err" "$2" "$3"
	else
		ok 1 "$3"
		diag "status $rc, stdout: $out"
		diag "stderr: $err"
	fi
}

# some LIST TEXT: passes when it has a word. For lists of loops, and required output.
some() {
	[ -n "${1//[[:space:]]/}" ]
	ok $? "$2"
}

# has_smc: does the kernel have SMC?
has_smc() {
	python3 -c 'import socket; socket.socket(43, socket.SOCK_STREAM, 0)' 2>/dev/null
}

# can_32: 32-bit programs can be made here, and executed; else $why_not says why. The test has a directory $tmp.
# shellcheck disable=SC2034
can_32() {
	why_not='no compiler for 32-bit programs'
	echo 'int main(void) { return 42; }' | ${CC:-cc} -m32 -x c -o "$tmp/can_32" - 2>/dev/null || return
	why_not='32-bit programs cannot be executed here'
	# Some shells take what the kernel refuses for a script.
	"$tmp/can_32" >/dev/null 2>&1
	[ $? -eq 42 ] && why_not=
}

# skip TEXT WHY: counts as neither passed nor failed.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# apart "${1-}" FLAGS: as root, restart the script as "SCRIPT inside", in new namespaces and with an empty /mnt.
apart() {
	if [ "$1" != inside ]; then
		if [ "$(id -u)" -ne 0 ] || ! unshare "$2" mount -t tmpfs none /mnt 2>/dev/null; then
			skip 'services of the system' "needs root, and namespaces: unshare $2"
			plan_done
			exit
		fi
		exec unshare "$2" "$0" inside
	fi
	mount -t tmpfs -o mode=755 none /mnt || exit 1
}

# plan_done: prints the plan; its status is that of the whole script.
plan_done() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}
