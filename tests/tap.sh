# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Test Anything Protocol for shell scripts: source it, call ok/is/like/unlike/skip, end with plan_done.

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
	printf '%s\n' "$1" | sed 's/^/# /'
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

# like GOT REGEX TEXT: passes when some line of GOT matches the extended regular expression.
like() {
	if printf '%s\n' "$1" | grep -qE -- "$2"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: a line matching $2"
		return 1
	fi
}

# unlike GOT REGEX TEXT: passes when no line of GOT matches.
unlike() {
	if printf '%s\n' "$1" | grep -qE -- "$2"; then
		ok 1 "$3"
		diag "got:  $1"
		diag "want: no line matching $2"
		return 1
	else
		ok 0 "$3"
	fi
}

# skip TEXT WHY: counts as neither passed nor failed.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# plan_done: prints the plan; its status is that of the whole script.
plan_done() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}
