#!/bin/bash
# SPDX-License-Identifier: MIT
# A kernel that executes 32-bit programs, and one booted without: answers of the tools, and reality.
. "$(dirname "$0")/lab.sh"
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/root/usr/lib"

# The doctor looks for the target of the 32-bit loader.
if [ "$(uname -m)" != x86_64 ] || ! echo 'int main(void) { return 42; }' | gcc -m32 -static -x c -o "$tmp/static32" - 2>/dev/null ||
	! cp -L "$(gcc -m32 -print-file-name=ld-linux.so.2)" "$tmp/root/usr/lib/" 2>/dev/null; then
	skip '32-bit programs' 'no compiler for static 32-bit programs'
	plan_done
	exit
fi

cat >"$tmp/script" <<END
"$tmp/static32"; echo "program \$?"
"$BUILD/smc_chk"
"$BUILD/smc_chk" program "$tmp/static32"; echo "smc_chk \$?"
"$BUILD/smc_run" --quiet "$tmp/static32"; echo "smc_run \$?"
END

# in_guest ON|OFF
in_guest() {
	out=$(SMC_LAB_APPEND=ia32_emulation=$1 lab/smc-lab run -t 1200 --cpus 1 --see "$BUILD" --see "$tmp" --install "$tmp/root" -- \
		sh "$tmp/script" 2>&1)
}

in_guest on
like "$out" '^program 42$' 'with 32-bit programs: one runs'
like "$out" '^(ok|note) +shim .*(serves 32-bit programs|32-bit programs stay on TCP)' 'the doctor looks for their library'
like "$out" '^  kind +static, i386$' 'smc_chk program looks at it'
like "$out" '^smc_run 42$' 'smc_run starts it'
in_guest off
unlike "$out" '^program 42$' 'without: it does not run'
like "$out" '^note +shim .*32-bit programs cannot run: this kernel does not execute them' 'the doctor says why'
like "$out" 'static32. cannot be started: this kernel does not execute programs for i386$' 'so does smc_chk program'
like "$out" '^smc_chk 1$' 'with status 1'
like "$out" "^smc_run: cannot run '$tmp/static32': Exec format error$" 'smc_run cannot start it'
like "$out" '^smc_run 126$' 'with status 126'
plan_done
