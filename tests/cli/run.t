#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/run itself, in a tree of known tests.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
tree=$tmp/tree
mkdir -p "$tree/tests/unit" "$tree/tests/cli" "$tree/tests/kernel" "$tree/tests/preload" "$tree/tests/fuzz" "$tree/lab" \
	"$tree/build/tests/unit"
cp tests/run "$tree/tests/"

# suite FILE LINES [STATUS]: a script that prints these lines
suite() {
	printf '#!/bin/sh\nprintf "%s"\nexit %d\n' "$2" "${3:-0}" >"$tree/$1"
	chmod +x "$tree/$1"
}

good='ok 1 - fine\\n1..1\\n'
for file in tests/cli/good.t tests/preload/run tests/fuzz/run lab/selftest build/tests/unit/all tests/kernel/good.t; do
	suite $file "$good"
done
printf '#!/bin/sh\necho "$*" >>"%s/lab/asked"\n' "$tree" >"$tree/lab/smc-lab"
chmod +x "$tree/lab/smc-lab"
touch "$tree/tests/unit/test_good.c"
ln -s all "$tree/build/tests/unit/good"
cp tests/kernel/suite tests/kernel/lab.sh "$tree/tests/kernel/"
cat >"$tree/tests/suites" <<'END'
# suite tier seconds also command
unit        check  1   -
preload     check  20  -  tests/preload/run
fuzz        source 30  -  tests/fuzz/run
lab         all    60  -  lab/selftest --quick
cli/good    check  2   -
cli/odd     other  2   -
kernel/good vm     10  -
END

run() { BUILD=$tree/build capture "$tree/tests/run" "$@"; }
rows() { sed -i "$1" "$tree/tests/suites"; }

# red WORDS TEXT: the suite cli/odd fails with these words, and so does the whole run.
red() {
	run cli
	is "$rc $(tail -n 1 <<<"$out")" '1 1 passed, 1 failed, 0 skipped' "$2: failed" || diag "$out$err"
	like "$out$err" "$1" "$2: said"
}

run
is "$rc $(tail -n 1 <<<"$out")" '0 3 passed, 0 failed, 0 skipped' 'without arguments: the tier check' || diag "$out$err"
like "$out" '^All tests passed\.$' 'and it says so'
is "$(grep -c 's of processor: ' <<<"$out")" 3 'the slowest, at most ten'
run --tier vm --tier source unit
is "$rc $(tail -n 1 <<<"$out")" '0 3 passed, 0 failed, 0 skipped' 'two tiers and a suite' || diag "$out$err"
run unit/all kernel
is "$rc $(tail -n 1 <<<"$out")" '0 2 passed, 0 failed, 0 skipped' 'one suite, and all of a kind'
run cli nosuch
is "$rc:$err" "1:tests/run: no suite 'nosuch'" 'a suite that is not there'
run --tier nosuch
is "$rc:$err" "1:tests/run: no tier 'nosuch'" 'a tier that is not there'
is "$(<"$tree/lab/asked")" $'setup lo\nsetup lo' 'runs with guests have the lab set up, once, and others have not'
suite tests/cli/more.t "$good"
run
is "$rc:$err" "1:tests/run: tests/cli/more.t is not in tests/suites" 'a test that no row names'
rm "$tree/tests/cli/more.t"
suite tests/cli/odd.t 'not ok 1 - broken\n1..1\n' 1
red 'not ok 1 - broken' 'a failed test'
suite tests/cli/odd.t '1..0\n'
red 'ran 0 of 0 tests' 'no tests at all'
suite tests/cli/odd.t ''
red 'ran 0 of an unknown number' 'no output'
suite tests/cli/odd.t 'ok 1 - fine\n1..2\n'
run cli
is "$rc $(tail -n 1 <<<"$out")" '1 2 passed, 1 failed, 0 skipped' 'fewer tests than planned'
suite tests/cli/odd.t 'ok 1 - fine\n1..1\n' 3
run cli
like "$rc $out$err" 'ended with status 3' 'a status without a failed test'
is "$(tail -n 1 <<<"$out")" '2 passed, 1 failed, 0 skipped' 'which is a failure'
suite tests/cli/odd.t ''
chmod -x "$tree/tests/cli/odd.t"
red 'cli/odd ran 0' 'a test that cannot be executed'
rm "$tree/tests/cli/odd.t" "$tree/build/tests/unit/all"
run unit
is "$rc $(tail -n 1 <<<"$out")" '1 0 passed, 1 failed, 0 skipped' 'a unit test that was not built'

# Requirements of tests.
suite build/tests/unit/all "$good"
run_with() { BUILD=$tree/build capture "$@" "$tree/tests/run" unit; }
# shellcheck disable=SC2016
run_with bash -c 'ulimit -n 512; exec "$@"' bash
is "$rc:$err" "1:tests/run: a process may have 512 descriptors here, tests need 1024: raise 'ulimit -Hn'" 'too few descriptors: said'
noexec='mount -t tmpfs -o noexec none /mnt && exec "$@"'
if unshare -rm sh -c "$noexec" sh true 2>/dev/null; then
	run_with env TMPDIR=/mnt unshare -rm sh -c "$noexec" sh
	is "$rc:$(head -n 1 <<<"$out")" "0:/tmp, or TMPDIR, lets no program run: tests use $tree/build/tests/tmp" 'no programs in /tmp: elsewhere'
else
	skip 'a /tmp without programs' 'needs user and mount namespaces'
fi
rm "$tree/build/tests/unit/all"

# A crash of an emulated processor is not the test's fault: retry once.
cat >"$tree/tests/cli/odd.t" <<'END'
#!/bin/sh
echo 'not ok 1 - broken'
echo '[   10.663276] Oops: int3: 0000 [#1]'
[ -e "$0.tripped" ] || { : >"$0.tripped"; exit 125; }
echo 'ok 2 - fine'
echo '1..2'
exit 1
END
chmod +x "$tree/tests/cli/odd.t"
run cli
is "$rc $(tail -n 1 <<<"$out")" '1 2 passed, 1 failed, 0 skipped' 'the emulator tripped twice: a failure'
like "$out" 'this is the second time' 'and it says that there was a first time'
sed -i "s/^echo 'not ok.*/echo 'ok 1 - fine'/; s/^exit 1$/exit 0/" "$tree/tests/cli/odd.t"
rm "$tree/tests/cli/odd.t.tripped"
run cli
is "$rc $(tail -n 1 <<<"$out")" '0 3 passed, 0 failed, 0 skipped' 'the emulator tripped once: a success'
rm "$tree/tests/cli/odd.t" "$tree/tests/cli/odd.t.tripped"

# Interpreters of suites.
printf '#!/usr/bin/no-such-python\n' >"$tree/tests/cli/odd.t"
chmod +x "$tree/tests/cli/odd.t"
run cli/odd
is "$rc $(grep skipped: <<<"$out")" '1   skipped: ok 1 - cli/odd # SKIP no-such-python is not installed' 'no interpreter: skipped, with its name' || diag "$out$err"
rm "$tree/tests/cli/odd.t"

# Guests: the slowest of the last run first.
suite build/tests/unit/all "$good"
for name in a b c; do
	suite tests/kernel/$name.t "$good"
	echo "kernel/$name vm 1 -" >>"$tree/tests/suites"
done
for name in a:5 b:20 c:10 good:1; do printf "%s 0 0\n0\n" "${name#*:}" >"$tree/build/tests/logs/kernel-${name%:*}.end"; done
run kernel
is "$(sed -n 's/^-- kernel.\(.*\) starts/\1/p' <<<"$out" | tr '\n' ' ')" 'b c a good ' 'what took longest starts first'
plan_done
