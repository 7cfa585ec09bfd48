#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/run reports every suite that fails, in a tree of known suites.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
tree=$tmp/tree
mkdir -p "$tree/tests/unit" "$tree/tests/cli" "$tree/tests/kernel" "$tree/build/tests/unit"
cp tests/run "$tree/tests/"
touch "$tree/tests/unit/test_good.c" "$tree/tests/kernel/good.t"
ln -s all "$tree/build/tests/unit/good"
printf 'unit check 1 -\ncli/good check 2 -\ncli/odd other 2 -\nkernel/good vm 1 -\n' >"$tree/tests/suites"

# suite FILE LINES [STATUS]: a script that prints these lines
suite() {
	printf '#!/bin/sh\nprintf "%s"\nexit %d\n' "$2" "${3:-0}" >"$tree/$1"
	chmod +x "$tree/$1"
}

# ends STATUS COUNTS TEXT ARG...: of tests/run; the last line has the counts of passed and failed tests
ends() {
	BUILD=$tree/build capture "$tree/tests/run" "${@:4}"
	is "$rc $(tail -n 1 <<<"$out")" "$1 ${2% *} passed, ${2#* } failed, 0 skipped" "$3" || diag "$out$err"
}

suite build/tests/unit/all 'ok 1 - fine\n1..1\n'
suite tests/cli/good.t 'ok 1 - fine\n1..1\n'
ends 0 '2 0' 'without arguments: the tier check'
ends 0 '1 0' 'one suite' unit/all
for name in nosuch '--tier nosuch'; do
	# shellcheck disable=SC2086 # one or two words
	BUILD=$tree/build capture "$tree/tests/run" cli $name
	like "$rc$err" "^1tests/run: no .* 'nosuch'\$" "unknown: $name"
done
suite tests/cli/odd.t 'not ok 1 - broken\n1..1\n' 1
ends 1 '1 1' 'a failed test' cli
suite tests/cli/odd.t '1..0\n'
ends 1 '1 1' 'no tests at all' cli
suite tests/cli/odd.t ''
ends 1 '1 1' 'no output' cli
suite tests/cli/odd.t 'ok 1 - fine\n1..2\n'
ends 1 '2 1' 'fewer tests than planned' cli
suite tests/cli/odd.t 'ok 1 - fine\n1..1\n' 3
ends 1 '2 1' 'a status without a failed test' cli
chmod -x "$tree/tests/cli/odd.t"
ends 1 '1 1' 'a test that cannot be executed' cli
rm "$tree/build/tests/unit/all"
ends 1 '0 1' 'unit tests that were not built' unit
suite tests/cli/more.t 'ok 1 - fine\n1..1\n'
BUILD=$tree/build capture "$tree/tests/run"
is "$rc:$err" '1:tests/run: tests/cli/more.t is not in tests/suites' 'a test that no row names'
plan_done
