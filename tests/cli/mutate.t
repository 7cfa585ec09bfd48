#!/bin/bash
# SPDX-License-Identifier: MIT
# make mutate, in a tree so small that everything about its mutants is known.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

mkdir -p "$tmp/tests/unit" "$tmp/lib"
cp tests/mutate "$tmp/tests/"
cat >"$tmp/Makefile" <<'MAKE'
build/tests/unit/%: build/%.o build/test_%.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ build/$*.o build/test_$*.o
build/%.o: lib/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ lib/$*.c
build/test_%.o: tests/unit/test_%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ tests/unit/test_$*.c
.SECONDARY:
MAKE
cat >"$tmp/lib/num.c" <<'C'
int sum(int a, int b)
{
	return a + b;
}

int turns(int n)
{
	int i = 0;

	while (i != n)
		i += 1;
	return i;
}

int untested(int a)
{
	return a * 3;
}

int loose(int a)
{
	return a > 7;
}
C
cat >"$tmp/tests/unit/test_num.c" <<'C'
#include <stdio.h>
int sum(int, int);
int turns(int);
int loose(int);
int main(void)
{
	int bad = sum(2, 3) != 5 || turns(4) != 4 || loose(1) || !loose(100);

	printf("%sok 1 - numbers\n1..1\n", bad ? "not " : "");
	return bad;
}
C
(cd "$tmp" && git init -q . && git add -A)
out=$(cd "$tmp" && tests/mutate -n 100 lib/num.c 2>"$tmp/err")
is "$?" 0 'it runs'

# survives REGEX: a diff on stdout has the line
survives() {
	is "$(echo "$out" | grep -cxE "\\+	+$1")" 1 "survives: $1"
}
killed() {
	is "$(echo "$out" | grep -cxE "\\+	+$1")" 0 "is killed: $1"
}
killed 'return a - b;'
killed 'i += 0;'
killed 'while \(!\(i != n\)\)'
survives 'return a / 3;'
survives 'return a \* 4;'
survives 'return a >= 7;'
survives 'return a > 8;'
killed 'return a <= 7;'
like "$out" '^# survived: lib/num.c:17: no test runs it$' 'a line that no test runs'
like "$out" '^# survived: lib/num.c:22: 1 tests run it$' 'a line that a test runs'
like "$out" '^total +[0-9]+ +[0-9]+ +[0-9]+ %$' 'the rate in total'
is "$(git -C "$tmp" diff)" '' 'the tree itself stays as it is'
again() {
	(cd "$tmp" && tests/mutate -n 5 -s "$1" lib/num.c 2>/dev/null)
}
is "$(again 1)" "$(again 1)" 'the same seed, the same mutants'

sed -i 's/return a + b/return a - b/' "$tmp/lib/num.c"
(cd "$tmp" && tests/mutate -n 1 lib/num.c) >"$tmp/out" 2>"$tmp/err"
like "$(<"$tmp/err")" 'unit/num fails without a mutant: numbers' 'a test that fails anyhow is told of'
plan_done
