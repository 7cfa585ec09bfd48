#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk program: the kind of a program file, and the way to reach it.
cd "$(dirname "$0")/../.." || exit 1
tool=smc_chk
. tests/cli/tool.sh

# program NAME FLAG...: compiled here, since a build machine may lack the parts
echo 'int main(void) { return 0; }' >"$tmp/main.c"
program() {
	name=$1
	shift
	${CC:-cc} -o "$tmp/$name" "$@" "$tmp/main.c" 2>/dev/null
}
# Only the kernel knows whether eBPF is available.
if "$BUILD/smc_chk" doctor -j | jq -e '.findings[] | select(.check == "ebpf" and .level == "ok")' >/dev/null; then bpf=0; else bpf=2; fi
# way WANT FILTER WANT FILE: smc_chk program recommends preload or bpf, and FILTER gives the second WANT. Where eBPF is
# not available, seccomp may replace it; the exit status says which.
way() {
	json "[(.way | sub(\"seccomp\"; \"bpf\")), $2]" "[\"$1\",$3]" program "$4"
	case $1$out in preload* | *'"seccomp"'*) want=0 ;; *) want=$bpf ;; esac
	is "$rc$err" "$want" "its exit status: $4"
}
program plain
way preload .kind '"dynamic"' "$tmp/plain"
json '[.program, .library, .raises, .is_secure, .is_possible, .notes]' \
	"[\"$tmp/plain\",\"$(cd "$BUILD" && pwd)/ld_pre_smc.so\",[],false,true,[]]" program "$tmp/plain"
prints "^  type +smc_run $tmp/plain\$" program "$tmp/plain"
for kind in static static-pie; do
	if program $kind -$kind; then
		way bpf .kind "\"$kind\"" "$tmp/$kind"
	else
		skip "a $kind program" 'no static libc'
	fi
done
for go in go_note go_info; do
	way bpf '(.why | contains("system calls"))' true "$BUILD/tests/preload/$go"
done
run program "$BUILD/tests/preload/go_info"
like "$out" '^  note +Go 1.24 .*MPTCP.*GODEBUG=multipathtcp=0' 'a Go that listens with MPTCP'
run program "$BUILD/tests/preload/go_note"
unlike "$out" MPTCP 'one whose version is not known'
like "$out" '^  type +smc_run --(bpf|seccomp) ' 'the command that reaches a Go program'
# lacks STATUS SOCKET PARTS WORDS: on a kernel with these recorded answers, "program" and the doctor report the same.
lacks() {
	mkdir -p "$tmp/kernel/probes"
	printf '%s\n' "$2" >"$tmp/kernel/probes/socket-ipproto_smc"
	printf '%s\n' "$3" >"$tmp/kernel/probes/bpfway"
	printf '0\n' >"$tmp/kernel/probes/socket-af_smc"
	printf '%s\n' -22 >"$tmp/kernel/probes/seccomp-notify"
	printf '0\n6.12.1' >"$tmp/kernel/probes/uname-release"
	out=$(SMC_TOOLS_ROOT=$tmp/kernel "$BUILD/smc_chk" program -j "$BUILD/tests/preload/go_note")
	is "$?$(printf '%s' "$out" | jq -r '.is_possible, (.notes[] | sub(", which.*"; "") | sub("user.*[(]"; "("))')" "$1" "a kernel that lacks: $4"
	like "$(SMC_TOOLS_ROOT=$tmp/kernel "$BUILD/smc_chk" doctor)" " ebpf .*$4" 'so says the doctor'
	[ "$1" = 0true ] && return
	printf '0\n' >"$tmp/kernel/probes/seccomp-notify"
	out=$(SMC_TOOLS_ROOT=$tmp/kernel "$BUILD/smc_chk" program -j "$BUILD/tests/preload/go_note")
	is "$?$(printf '%s' "$out" | jq -c '[.way, .is_possible]')" '0["seccomp",true]' 'and seccomp takes its place'
}
seccomp=$'\nsmc_run --seccomp needs seccomp (kernel 5.14)'
lacks 0true 0 15 'can give SMC to static programs'
lacks "2false
eBPF needs IPPROTO_SMC (kernel 6.11)$seccomp" -93 15 'the kernel lacks IPPROTO_SMC'
lacks "2false
eBPF needs BTF (CONFIG_DEBUG_INFO_BTF)$seccomp" 0 -2 'the kernel lacks BTF'
lacks "2false
eBPF needs the function update_socket_protocol (kernel 6.6)$seccomp" 0 14 'the kernel lacks the function'
lacks "2false
eBPF needs CONFIG_MPTCP$seccomp" 0 13 'the kernel lacks CONFIG_MPTCP'
lacks "2false
eBPF needs CONFIG_BPF_JIT$seccomp" 0 11 'the kernel lacks CONFIG_BPF_JIT'
lacks "2false
eBPF needs CONFIG_SECURITY_NETWORK$seccomp" 0 7 'the kernel lacks CONFIG_SECURITY_NETWORK'
# Confinement of smc_chk itself is no lack of the kernel.
notes() {
	printf '%s\n' "$1" >"$tmp/kernel/probes/socket-af_smc"
	SMC_TOOLS_ROOT=$tmp/kernel "$BUILD/smc_chk" program -j "$2" | jq -r '.notes[]'
}
for file in "$tmp/plain" "$BUILD/tests/preload/go_note"; do
	like "$(notes -13 "$file")" "denies .*'smc_chk doctor'" "a security module confines smc_chk: ${file##*/}"
	unlike "$(notes -13 "$file")" 'kernel does not' 'the kernel lacks nothing'
done
is "$(notes 0 "$tmp/plain")" '' 'nothing is confined'
if ! can_32; then
	skip '32-bit programs' "$why_not"
elif program plain32 -m32; then
	if [ -e "$BUILD/32/ld_pre_smc.so" ]; then
		way preload .library "\"$(cd "$BUILD" && pwd)/32/ld_pre_smc.so\"" "$tmp/plain32"
	fi
	mkdir "$tmp/only64" && cp "$BUILD/smc_chk" "$BUILD/ld_pre_smc.so" "$tmp/only64"
	"$tmp/only64/smc_chk" program "$tmp/plain32" >"$tmp/out"
	is "$?" $bpf 'a 32-bit program, only the 64-bit library'
	like "$(<"$tmp/out")" 'why +the program is for i386, the library for x86-64' 'and why'
fi
cp "$tmp/plain" "$tmp/strange"
printf '\377\177' | dd of="$tmp/strange" bs=1 seek=18 conv=notrunc 2>/dev/null
strange=$(od -An -tu2 -j18 -N2 "$tmp/strange" | tr -d ' ')
own=$("$BUILD/smc_chk" program "$tmp/plain" | sed -n 's/^  kind .*, //p')
capture "$BUILD/smc_chk" program "$tmp/strange"
like "$out" "^  kind +dynamic, machine $strange, " 'a machine that has no name here'
like "$out" "^  why +the program is for machine $strange, 64 bits, the library for $own\$" 'and no library'
# A program with its own loader.
cp "$(readelf -lW "$tmp/plain" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')" "$tmp/ld-own"
program loader "-Wl,--dynamic-linker=$tmp/ld-own"
way preload '.loader, (.notes | length)' "\"$tmp/ld-own\",0" "$tmp/loader"
printf 'GLIBC_2.2.5\0GLIBC_2.16\0' >"$tmp/libc.so.6"
way bpf '(.why | contains("2.17"))' true "$tmp/loader"
printf 'GLIBC_2.17\0GLIBC_2.4\0' >>"$tmp/libc.so.6"
way preload .loader "\"$tmp/ld-own\"" "$tmp/loader"
rm "$tmp/libc.so.6"
cp "$tmp/plain" "$tmp/uring" && printf 'liburing.so.2' >>"$tmp/uring"
way preload '(.notes[0] | contains("io_uring"))' true "$tmp/uring"
cp "$tmp/plain" "$tmp/uring" && printf '\270\251\1\0\0UH\17\5' >>"$tmp/uring"
way preload '(.notes[0] | contains("io_uring"))' true "$tmp/uring"
cp "$tmp/plain" "$tmp/uring" && printf '\270\251\1\0\0%60s\17\5' '' >>"$tmp/uring"
way preload '(.notes | length)' 0 "$tmp/uring"
way preload .kind '"loader"' "$tmp/ld-own"
mv "$tmp/ld-own" "$tmp/ld-musl-x86_64.so.1"
program musl "-Wl,--dynamic-linker=$tmp/ld-musl-x86_64.so.1"
way preload '(.notes[0] | contains("musl"))' true "$tmp/musl"
rm "$tmp/ld-musl-x86_64.so.1"
refuse "its loader '.*ld-musl-x86_64.so.1' does not exist" program "$tmp/musl"
# The command is pasted into a shell.
cp "$tmp/plain" "$tmp/it's \$one"
like "$("$BUILD/smc_chk" program "$tmp/it's \$one")" "^  type +smc_run '$tmp/it'.''s [$]one'\$" 'a name with blanks and quotes'
# Scripts.
printf '#!%s\n' "$tmp/plain" >"$tmp/script"
printf '#!/usr/bin/env -S A=1 plain\n' >"$tmp/env"
printf '#!/usr/bin/env -S -i plain\n' >"$tmp/clean"
printf '#!/nowhere/sh\n' >"$tmp/nowhere"
printf 'MZ\0\0' >"$tmp/windows"
chmod +x "$tmp/script" "$tmp/env" "$tmp/clean" "$tmp/nowhere" "$tmp/windows"
way preload '.program, (.notes[0] | contains("script"))' "\"$tmp/plain\",true" "$tmp/script"
old_path=$PATH PATH=$tmp:$PATH
way preload .program "\"$tmp/plain\"" "$tmp/env"
way preload .program "\"$tmp/plain\"" plain
way bpf '(.why | contains("env -i"))' true "$tmp/clean"
PATH=$old_path
refuse 'its interpreter does not exist' program "$tmp/nowhere"
refuse 'is not a program: neither' program "$tmp/windows"
cp "$BUILD/ld_pre_smc.so" "$tmp/lib.so"
refuse 'is not a program: neither' program "$tmp/lib.so"
refuse 'is not a program: it is a directory' program "$tmp"
refuse 'is not a program: it is not a regular file' program /dev/null
refuse "cannot find '$tmp/none': No such file" program "$tmp/none"
refuse 'is not executable' program "$tmp/main.c"
refuse "no command 'no-such-command' in PATH$" program no-such-command
refuse "no command '' in PATH$" program ''
cd "$tmp" || exit 1
refuse "no command 'plain' in PATH; .* needs ./" program plain
way preload .program '"./plain"' ./plain
cd - >/dev/null || exit 1
# The user who starts it matters.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && chmod 755 "$tmp" && status_has 'NoNewPrivs:.0' &&
	! findmnt -no OPTIONS -T "$tmp" 2>/dev/null | grep -qw nosuid; then
	mkdir "$tmp/tools" && cp "$BUILD/smc_chk" "$BUILD/ld_pre_smc.so" "$tmp/tools" && chmod 755 "$tmp/tools"
	# as_other WANT FILTER WANT FILE: way, as another user
	as_other() {
		is "$(setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/tools/smc_chk" program -j "$4" |
			jq -c "[.way, $2]")" "[\"$1\",$3]" "started by another user: $4"
	}
	for mode in 4755 2755; do
		cp "$tmp/plain" "$tmp/$mode" && chmod $mode "$tmp/$mode"
		case $mode in 4755) raises=set-uid ;; *) raises=set-gid ;; esac
		way preload '.raises, .is_secure' "[\"$raises\"],false" "$tmp/$mode"
		like "$out" 'if others start it' "mode $mode: others are mentioned"
		as_other bpf '.raises, .is_secure' "[\"$raises\"],true" "$tmp/$mode"
	done
	if command -v setcap >/dev/null && cp "$tmp/plain" "$tmp/caps" && setcap cap_net_raw+ep "$tmp/caps" 2>/dev/null; then
		way preload .raises '["capabilities"]' "$tmp/caps"
		as_other bpf .raises '["capabilities"]' "$tmp/caps"
	else
		skip 'file capabilities' 'setcap is missing'
	fi
	cp "$tmp/plain" "$tmp/secret" && chmod 711 "$tmp/secret"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/tools/smc_chk" program "$tmp/secret" 2>"$tmp/err"
	is "$?$(<"$tmp/err")" "1smc_chk: cannot read '$tmp/secret': Permission denied" 'not readable: 1'
	mkdir "$tmp/mnt"
	# shellcheck disable=SC2016 # for sh
	mounted='mount -t tmpfs -o "$1" tmpfs "$2" && cp -p "$3" "$2/x" && shift 3 && exec "$@"'
	if unshare -m sh -c "$mounted" sh nosuid "$tmp/mnt" "$tmp/4755" true 2>/dev/null; then
		is "$(unshare -m sh -c "$mounted" sh nosuid,mode=755 "$tmp/mnt" "$tmp/4755" setpriv --reuid=65534 \
			--regid=65534 --clear-groups "$tmp/tools/smc_chk" program -j "$tmp/mnt/x" |
			jq -c '[.way, (.notes[0] | test("^set-uid, but .* nosuid$"))]')" '["preload",true]' 'a nosuid mount'
		unshare -m sh -c "$mounted" sh noexec "$tmp/mnt" "$tmp/plain" "$BUILD/smc_chk" program "$tmp/mnt/x" 2>"$tmp/err"
		like "$(<"$tmp/err")" 'mounted noexec' 'a noexec mount'
	else
		skip 'nosuid and noexec mounts' 'needs a mount namespace'
	fi
else
	skip 'programs that raise rights' 'needs root, setpriv, a file system without nosuid and a process without no_new_privs'
fi

plan_done
