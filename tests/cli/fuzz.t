#!/bin/bash
# SPDX-License-Identifier: MIT
# "make fuzz": what it makes of the ends of its targets, which are scripts here; then a real one.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/bin" "$tmp/fuzz/tests/fuzz"

# script FILE LINE...: an executable
script() {
	printf '%s\n' '#!/bin/sh' "${@:2}" >"$1"
	chmod +x "$1"
}

# campaign MINUTES TARGET...: its exit status in $rc, words in $out and $err
campaign() {
	out=$(PATH=$tmp/bin:$PATH FUZZ_CC=cc tests/fuzz/campaign "$tmp/fuzz" "$@" 2>"$tmp/err")
	rc=$? err=$(<"$tmp/err")
}

script "$tmp/bin/make" 'exit 0'
script "$tmp/bin/cc" 'exit 0'
# shellcheck disable=SC2016 # for the scripts
script "$tmp/fuzz/tests/fuzz/size" 'echo "stat::number_of_executed_units: 1234"; echo "$@"'
script "$tmp/fuzz/tests/fuzz/sock" 'echo "ERROR: AddressSanitizer: overflow"' 'echo "Test unit written to x"' \
	'echo "stat::number_of_executed_units: 77"' 'exit 77'
script "$tmp/fuzz/tests/fuzz/inet" 'exit 3'
campaign 0 size
is "$rc:$err" 0: 'without findings: exit status 0'
like "$out" '^size +1234 +0$' 'inputs and findings of a target'
like "$(<"$tmp/fuzz/size.log")" '^-runs=0 .*-timeout=.*-rss_limit_mb=.* tests/fuzz/corpus/size$' 'no minutes: only the corpus'
campaign 2 size sock
is "$rc" 1 'a finding: exit status 1'
like "$out" '^sock +77 +1$' 'it is in the table'
like "$out" '^all +1311 +1$' 'and in the sum'
like "$err" '^sock: ERROR: AddressSanitizer: overflow, see ' 'with the sanitizer'\''s words'
like "$(<"$tmp/fuzz/size.log")" '^-max_total_time=[1-9][0-9]* ' 'minutes are shared'
campaign 0 inet
is "$rc" 1 'a target that only fails: exit status 1'
like "$err" '^inet: exit status 3, see ' 'with its exit status'
campaign x size
is "$rc:$err" '1:make fuzz: MINUTES=x is not a number of minutes' 'no number of minutes'
campaign 1 nosuch
is "$rc:$err" "1:make fuzz: no target 'nosuch'" 'no such target'
script "$tmp/bin/make" 'echo "error: no such header"; exit 2'
campaign 0 size
is "$rc" 1 'targets that do not build: exit status 1'
like "$err" 'no such header' 'with the compiler'\''s words'
script "$tmp/bin/cc" 'exit 1'
campaign 1 size
is "$rc" 1 'without libFuzzer: exit status 1'
like "$err" '^make fuzz: cc cannot link with libFuzzer: install clang' 'without libFuzzer: one sentence'

# The real one.
if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -fsanitize=fuzzer -x c -o "$tmp/fuzzer" - 2>/dev/null; then
	skip 'make fuzz' 'clang has no libFuzzer'
else
	make "-j$(nproc)" O="$tmp/build" fuzz FUZZ='size client server' MINUTES=0 >"$tmp/log" 2>&1
	ok $? 'make fuzz compiles and runs' || diag "$(tail -n 20 "$tmp/log")"
	like "$(<"$tmp/log")" '^size +[1-9][0-9]* +0$' 'make fuzz: a table of inputs and findings'
fi
plan_done
