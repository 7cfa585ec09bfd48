#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk on any kernel: options, reasons in words, programs, PNET IDs of a recorded sysfs.
# shellcheck disable=SC2013 # the lists are of words
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
build=${BUILD:-$PWD/build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
version=$(cat VERSION)

# run ARG...: what smc_chk writes is in $out and $err, its status in $rc.
run() {
	capture "$build/smc_chk" "$@"
}

# refuse WORDS ARG...: status 1, nothing on stdout, one line on stderr that contains the words.
refuse() {
	words=$1
	shift
	run "$@"
	refused 1 "^smc_chk( [a-z]+)?: .*$words" "refused: smc_chk $*"
}

# prints REGEX ARG...: status 0, nothing on stderr.
prints() {
	pattern=$1
	shift
	run "$@"
	is "$rc$err" 0 "succeeds: $*"
	like "$out" "$pattern" "prints what was asked for: $*"
}

# json FILTER WANT ARG...: what jq finds in the document.
json() {
	filter=$1 want=$2
	shift 2
	run "$@" -j
	is "$(jq -rc "$filter" <"$tmp/out")" "$want" "JSON $filter: $*"
}

# ---- options ----
for word in -v --version --vers; do
	prints "^smc_chk utility, smc-tools-$version\$" $word
done
for word in -h --help; do
	prints '^Usage: smc_chk ' $word
done
"$build/smc_chk" --help >/dev/full 2>"$tmp/err"
is "$?" 1 'a full disk is an error'
refuse "unknown option '-y'" -y
refuse "unknown command 'x'" x
refuse "unknown or ambiguous option '--doctor'" --doctor
refuse "unexpected argument 'doctor'" -j doctor
refuse 'needs an argument' connect -p
refuse 'takes no argument' serve --once=1
refuse 'no host given' connect
refuse "unexpected argument 'x'" connect localhost x
refuse "--port: '0' is not a number from 1 to 65535" connect localhost -p 0
refuse "--port: '65536' is not a number from 1 to 65535" serve -p 65536
refuse "'0' is not a number of seconds" connect localhost -t 0
refuse 'not a number of seconds' connect localhost -t nan
refuse "'--ipv4' and '--ipv6' exclude" connect localhost -4 -6
refuse "'--connect' and '--server' exclude" -C localhost -S
refuse "'--server' and '--static-analysis' exclude" -S -s
refuse "'--connect' and '--pnetid' exclude" -C localhost -i lo
refuse "'--port' is only for" -p 5
refuse "'--ipv6' is only for" -s -6
refuse '--json can be used with only one of -l and -s' -l -s -j
for shape in x rpc rpc: rpc:0 rpc:x rpc:1048577 bulky ''; do
	refuse "'$shape' is not bulk, connections or rpc: with 1 to 1048576 bytes" tune host --shape "$shape"
done
refuse "'--key' is only for '--anonymous'" bundle x --key y
for word in '' 0 0m -1 1d 1.5 m 1mm 169h 10081m 99999999999999999999 ' 1' +1 0x10; do
	refuse 'is not a time from 1s to 168h' advise --for "$word"
done
refuse "unexpected argument 'x'" advise x
refuse "unexpected argument 'x'" program sh x
refuse 'no network namespace' -N there-is-none -s

# ---- letters of smc-tools 1.8.5; tests/cli/smc_chk_live.t has -C, -S and -l ----
run -i lo
is "$out" '' '-i: no PNET ID'
run -s -i lo
like "$out" '^lo$' '-s: an interface'

# ---- a report that nobody takes: the first Ctrl-C ends the watch, another one the program ----
# The full pipe has no reader that reads; signals come until it ends.
status=$(python3 - "$build/smc_chk" <<'EOF'
import os, signal, subprocess, sys, time
reader, writer = os.pipe()
os.set_blocking(writer, False)
try:
    while True:
        os.write(writer, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(writer, True)
process = subprocess.Popen([sys.argv[1], "advise", "--for", "3600"], stdout=writer, stderr=subprocess.PIPE)
end = time.monotonic() + 60
while process.poll() is None and time.monotonic() < end:
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)  # a background job ignores SIGINT
print(process.poll())
process.kill()
EOF
)
# 1: this host does not let it watch.
case $status in
-15 | 1) ok 0 'advise: a signal ends it while its report is not taken' ;;
*) ok 1 'advise: a signal ends it while its report is not taken'; diag "$status" ;;
esac

# ---- reasons ----
for word in 0x03030000 0X3030000 03030000 3030000 50528256 nosmcdev NOSMCDEV smc_clc_decl_NOSMCDEV; do
	prints '^0x03030000 NOSMCDEV ' explain $word
done
prints '^0x01010000 MEM .*in statistics MEMORY' explain memory
for word in 'TCP 0x05000000/0x03030000' ' 0x05000000 / 0x03030000 ' peerdecl/NOSMCDEV \
	'ACTIVE 00000 0067123 10.0.0.1:80 10.0.0.2:4000 0000 TCP 0x05000000/0x03030000 python/12/3' \
	83886080/50528256; do
	json '[.reason.symbol, .peer_reason.symbol]' '["PEERDECL","NOSMCDEV"]' explain "$word"
	is "$rc$err" 0 "explained: $word"
done
json '[.reason.symbol, .peer_reason.symbol]' '["PEERDECL","NOUEID"]' explain TCP 0x05000000/0x03030008
json .reason.symbol PEERNOSMC explain 'x-1 [000] smc_switch_to_fallback: sk=01 clcsk=02 net=1 fallback_rsn=50397184'
json .peer_reason null explain PEERNOSMC
json '.peer_reason.remedies[].where' 'both
both' explain PEERDECL/NOUEID
json '.reason.remedies[0].where' peer explain PEERNOSMC
json '.peer_reason.remedies[0].where' here explain PEERDECL/PEERNOSMC
json '.peer_reason.remedies[0].where' peer explain PEERDECL/NOSMCDEV
json '.reason.remedies[0].where' here explain NOSMCDEV
json '.situations[] | [.seen_by, .other_side]' '["client","0x03030002"]' explain PEERDECL/NOSMCRDEV
json '.situations[] | [.seen_by, .other_side]' '["server","0x05000000/0x03030002"]' explain NOSMCRDEV
json '.situations | length' 0 explain PEERDECL
json '[.reason.found_by, .reason.since, .reason.code]' '[["server"],"6.6",50528265]' explain RELEASEERR
json .reason.found_by '[]' explain VERSMISMAT
run explain PEERDECL/NOSMCDEV
like "$out" '^  type +on the peer +smc_chk doctor' "what the peer found is mended there"
unlike "$out" '(here|peer) +smcss -e' "what follows from the peer's reason takes the place of advice for PEERDECL"
json .mode SMCR explain SMCR
prints 'SMC-D' explain smcd
prints 'no connection' explain -
refuse 'neither the number nor the name' explain xyz
refuse 'not a reason' explain ''
refuse 'neither the number nor the name' explain 0x1/0x2/0x3
refuse 'not a reason' explain 0x05000000/
refuse 'not a reason' explain 'MEM IPSEC'
refuse 'more than 32 bits' explain 0x100000000
refuse 'an error, not a reason: .*timed out' explain -- -110
refuse '0x03990000 \(configuration\) is not a reason of Linux' explain 0x03990000
refuse '0xff000000 is not a reason of Linux' explain 4278190080
refuse "unknown option '-1'" explain -110
refuse 'too long' explain "$(printf '%2000s' x)"
run explain PEERDECL/0x12345678
is "$rc" 1 'the peer has a reason that Linux has not: 1'
like "$out" '^0x05000000 PEERDECL' 'and the other one is explained'
json '[.reason.symbol, .peer_reason.hex, .peer_reason.symbol]' '["PEERDECL","0x12345678",null]' explain PEERDECL/0x12345678
"$build/smc_chk" explain MEM >/dev/full 2>"$tmp/err"
is "$?" 1 'a full disk is an error with explain'
symbols=$(sed -n 's/^	{ 0x[0-9a-f]*, "\([A-Z_0-9]*\)".*/\1/p' lib/smc/reason.c)
is "$(printf '%s\n' "$symbols" | wc -l)" 36 'reasons in the table'
for symbol in $symbols; do
	run explain "$symbol"
	is "$rc$err$(grep -cE '^  (meaning|found by|since|first|type) +[^ ]' "$tmp/out")" 05 "explained: $symbol"
done
# Commands that name tools of ours name what these have.
for tool in smcss smc_pnet smc_rnics smc_dump smcd smcr smc_chk smc_run; do
	help=$("$build/$tool" --help)
	commands=$(sed -n "s/.*[[:space:]][A-Z]*, \"$tool \([^\"]*\)\".*/\1/p" lib/smc/remedy.c)
	some "$commands" "remedies: $tool is among them"
	for word in $(printf '%s' "$commands" | tr ' ' '\n' | grep -E '^(-|[a-z])' | sort -u); do
		like "$help" "(^|[ |,])$word([ ,|]|\$)" "remedies: $tool has $word"
	done
done

# ---- programs ----
# program NAME FLAG...: compiled here, since a build machine may lack what it takes
echo 'int main(void) { return 0; }' >"$tmp/main.c"
program() {
	name=$1
	shift
	${CC:-cc} -o "$tmp/$name" "$@" "$tmp/main.c" 2>/dev/null
}
# Only the kernel knows whether eBPF can do it here.
if "$build/smc_chk" doctor -j | jq -e '.findings[] | select(.check == "ebpf" and .level == "ok")' >/dev/null; then bpf=0; else bpf=2; fi
# way WANT FILTER WANT FILE: preload or bpf, in whose place seccomp may be, with its exit status
way() {
	json "[(.way | sub(\"seccomp\"; \"bpf\")), $2]" "[\"$1\",$3]" program "$4"
	case $1$out in preload* | *'"seccomp"'*) want=0 ;; *) want=$bpf ;; esac
	is "$rc$err" "$want" "its exit status: $4"
}
program plain
way preload .kind '"dynamic"' "$tmp/plain"
json '[.program, .library, .raises, .is_secure, .is_possible, .notes]' \
	"[\"$tmp/plain\",\"$(cd "$build" && pwd)/ld_pre_smc.so\",[],false,true,[]]" program "$tmp/plain"
prints "^  type +smc_run $tmp/plain\$" program "$tmp/plain"
for kind in static static-pie; do
	if program $kind -$kind; then
		way bpf .kind "\"$kind\"" "$tmp/$kind"
	else
		skip "a $kind program" 'no static libc'
	fi
done
for go in go_note go_info; do
	way bpf .why '"Go programs make their own system calls"' "$build/tests/preload/$go"
done
run program "$build/tests/preload/go_note"
like "$out" '^  type +smc_run --(bpf|seccomp) ' 'the command that reaches a Go program'
# lacks STATUS SOCKET PARTS WORDS: what program says on a kernel with these answers, and the doctor alike.
lacks() {
	mkdir -p "$tmp/kernel/probes"
	printf '%s\n' "$2" >"$tmp/kernel/probes/socket-ipproto_smc"
	printf '%s\n' "$3" >"$tmp/kernel/probes/bpfway"
	printf '0\n' >"$tmp/kernel/probes/socket-af_smc"
	printf '%s\n' -22 >"$tmp/kernel/probes/seccomp-notify"
	printf '0\n6.12.1' >"$tmp/kernel/probes/uname-release"
	out=$(SMC_TOOLS_ROOT=$tmp/kernel "$build/smc_chk" program -j "$build/tests/preload/go_note")
	is "$?$(printf '%s' "$out" | jq -r '.is_possible, .notes[]')" "$1" "a kernel that lacks: $4"
	like "$(SMC_TOOLS_ROOT=$tmp/kernel "$build/smc_chk" doctor)" " ebpf .*$4" 'so says the doctor'
	[ "$1" = 0true ] && return
	printf '0\n' >"$tmp/kernel/probes/seccomp-notify"
	out=$(SMC_TOOLS_ROOT=$tmp/kernel "$build/smc_chk" program -j "$build/tests/preload/go_note")
	is "$?$(printf '%s' "$out" | jq -c '[.way, .is_possible]')" '0["seccomp",true]' 'and seccomp takes its place'
}
lacks 0true 0 7 'can give SMC to static programs'
lacks '2false
eBPF needs IPPROTO_SMC (kernel 6.11), which this kernel does not have
smc_run --seccomp needs seccomp user notification (kernel 5.14), which this kernel does not have' -93 7 'the kernel lacks IPPROTO_SMC'
lacks '2false
eBPF needs BTF (CONFIG_DEBUG_INFO_BTF), which this kernel does not have
smc_run --seccomp needs seccomp user notification (kernel 5.14), which this kernel does not have' 0 -2 'the kernel lacks BTF'
lacks '2false
eBPF needs the function update_socket_protocol (kernel 6.6), which this kernel does not have
smc_run --seccomp needs seccomp user notification (kernel 5.14), which this kernel does not have' 0 6 'the kernel lacks the function'
lacks '2false
eBPF needs CONFIG_MPTCP, which this kernel does not have
smc_run --seccomp needs seccomp user notification (kernel 5.14), which this kernel does not have' 0 5 'the kernel lacks CONFIG_MPTCP'
lacks '2false
eBPF needs CONFIG_BPF_JIT, which this kernel does not have
smc_run --seccomp needs seccomp user notification (kernel 5.14), which this kernel does not have' 0 3 'the kernel lacks CONFIG_BPF_JIT'
if ! can_32; then
	skip '32-bit programs' "$why_not"
elif program plain32 -m32; then
	if [ -e "$build/32/ld_pre_smc.so" ]; then
		way preload .library "\"$(cd "$build" && pwd)/32/ld_pre_smc.so\"" "$tmp/plain32"
	fi
	mkdir "$tmp/only64" && cp "$build/smc_chk" "$build/ld_pre_smc.so" "$tmp/only64"
	"$tmp/only64/smc_chk" program "$tmp/plain32" >"$tmp/out"
	is "$?" $bpf 'a 32-bit program, only the 64-bit library'
	like "$(<"$tmp/out")" 'why +the program is for i386, the library for x86-64' 'and why'
fi
cp "$tmp/plain" "$tmp/strange"
printf '\377\177' | dd of="$tmp/strange" bs=1 seek=18 conv=notrunc 2>/dev/null
strange=$(od -An -tu2 -j18 -N2 "$tmp/strange" | tr -d ' ')
own=$("$build/smc_chk" program "$tmp/plain" | sed -n 's/^  kind .*, //p')
refuse "/strange' cannot be started: this kernel does not execute programs for machine $strange, 64 bits\$" program "$tmp/strange"
# A record decides on the kernel, and knows of programs what it asked for.
echo 1 >"$tmp/kernel/probes/executes-$strange-64"
capture env SMC_TOOLS_ROOT="$tmp/kernel" "$build/smc_chk" program "$tmp/strange"
like "$out" "^  kind +dynamic, machine $strange, " 'a machine that has no name here'
like "$out" "^  why +the program is for machine $strange, 64 bits, the library for $own\$" 'and no library'
echo 0 >"$tmp/kernel/probes/executes-$strange-64"
capture env SMC_TOOLS_ROOT="$tmp/kernel" "$build/smc_chk" program "$tmp/strange"
refused 1 'this kernel does not execute' 'on a recorded kernel that does not execute it'
# A C library, a loader of its own.
mkdir "$tmp/own" && touch "$tmp/own/libc.so.6"
# shellcheck disable=SC2016 # for the loader
for flag in '$ORIGIN/own' '${ORIGIN}/own' "$tmp/own" "/nowhere:$tmp/own:/nix"; do
	for tags in enable disable; do
		program rpath "-Wl,--$tags-new-dtags" "-Wl,-rpath,$flag"
		way preload .runpath "\"$flag\"" "$tmp/rpath"
		like "$out" "brings a C library of its own, $tmp(/[$][A-Z{}]*)?/own/libc.so.6" "with its own libc: $flag"
	done
done
program rpath "-Wl,-rpath,/nowhere"
way preload .notes '[]' "$tmp/rpath"
cp "$(readelf -lW "$tmp/plain" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')" "$tmp/ld-own"
program loader "-Wl,--dynamic-linker=$tmp/ld-own"
way preload .loader "\"$tmp/ld-own\"" "$tmp/loader"
like "$out" 'brings a loader of its own' 'a loader elsewhere'
way preload .kind '"loader"' "$tmp/ld-own"
mv "$tmp/ld-own" "$tmp/ld-musl-x86_64.so.1"
program musl "-Wl,--dynamic-linker=$tmp/ld-musl-x86_64.so.1"
way preload '(.notes[0] | contains("musl"))' true "$tmp/musl"
rm "$tmp/ld-musl-x86_64.so.1"
refuse "its loader '.*ld-musl-x86_64.so.1' does not exist" program "$tmp/musl"
# The command is pasted into a shell.
cp "$tmp/plain" "$tmp/it's \$one"
like "$("$build/smc_chk" program "$tmp/it's \$one")" "^  type +smc_run '$tmp/it'.''s [$]one'\$" 'a name with blanks and quotes'
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
cp "$build/ld_pre_smc.so" "$tmp/lib.so"
refuse 'is not a program: neither' program "$tmp/lib.so"
refuse 'is not a program: it is a directory' program "$tmp"
refuse 'is not a program: it is not a regular file' program /dev/null
refuse "cannot find '$tmp/none': No such file" program "$tmp/none"
refuse 'is not executable' program "$tmp/main.c"
refuse "no command 'no-such-command' in PATH$" program no-such-command
refuse "no command '' in PATH$" program ''
build=$(cd "$build" && pwd)
cd "$tmp" || exit 1
refuse "no command 'plain' in PATH; a file in this directory needs ./" program plain
way preload .program '"./plain"' ./plain
cd - >/dev/null || exit 1
# Whoever starts it decides.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && chmod 755 "$tmp" && status_has 'NoNewPrivs:.0' &&
	! findmnt -no OPTIONS -T "$tmp" 2>/dev/null | grep -qw nosuid; then
	mkdir "$tmp/tools" && cp "$build/smc_chk" "$build/ld_pre_smc.so" "$tmp/tools" && chmod 755 "$tmp/tools"
	# as_other WANT FILTER WANT FILE: way, for somebody else
	as_other() {
		is "$(setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/tools/smc_chk" program -j "$4" |
			jq -c "[.way, $2]")" "[\"$1\",$3]" "started by another user: $4"
	}
	for mode in 4755 2755; do
		cp "$tmp/plain" "$tmp/$mode" && chmod $mode "$tmp/$mode"
		case $mode in 4755) raises=set-uid ;; *) raises=set-gid ;; esac
		way preload '.raises, .is_secure' "[\"$raises\"],false" "$tmp/$mode"
		like "$out" 'when others start it' "mode $mode: others are mentioned"
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
			jq -c '[.way, .notes[0]]')" \
			'["preload","set-uid, but that has no effect on its file system, which is mounted nosuid"]' 'a nosuid mount'
		unshare -m sh -c "$mounted" sh noexec "$tmp/mnt" "$tmp/plain" "$build/smc_chk" program "$tmp/mnt/x" 2>"$tmp/err"
		like "$(<"$tmp/err")" 'mounted noexec' 'a noexec mount'
	else
		skip 'nosuid and noexec mounts' 'needs a mount namespace'
	fi
else
	skip 'programs that raise rights' 'needs root, setpriv, a file system without nosuid and a process without no_new_privs'
fi

# ---- PNET IDs of a recorded host: firmware's ----
sh tests/sysfs/s390 "$tmp/host/sys"
SMC_TOOLS_ROOT=$tmp/host
export SMC_TOOLS_ROOT
prints '^NET1$' -i encbdf0
prints '^NET1$' --pnetid encbdf0.5
prints '^NET2$' -i eno1d1
prints '^ABCDEFGHIJKLSTU9$' -i bond0
json '[.net_device, .base_device, .pnetid, .source]' '["encbdf0.5","encbdf0","NET1","hardware"]' -i encbdf0.5
for name in encbdf encbdf0.50 encbdf0x5 '' ../encbdf0 abcdefghijklmnopq; do
	refuse 'no net device' -i "$name"
done
refuse 'no PNET ID from hardware, and' -i lo
unset SMC_TOOLS_ROOT
plan_done
