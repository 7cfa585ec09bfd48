# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# smc_run; sourced by run, after shim.sh. Below smc_run itself lies the fake libc, too: a kernel with SMC.
run=$BUILD/smc_run
out=$tmp/out err=$tmp/err

# smc COMMAND...: smc_run with a fake SMC kernel; sets status, fills $out and $err
smc() {
	LD_PRELOAD=$fake "$run" "$@" >"$out" 2>"$err"
	status=$?
}

# one_line STATUS TEXT: exit status, and one line on stderr
one_line() {
	mapfile -t lines <"$err"
	is "$status${#lines[@]}" "${1}1" "$2"
}

# ---- exit status and streams ----
smc true
says 0 '' '' 'smc_run true: silence'
smc sh -c 'echo out; echo err >&2; exit 7'
says 7 out err 'the command'"'"'s own status and streams'
smc sh -c 'kill -TERM $$'
is "$status" 143 'the command'"'"'s own signal'
smc no-such-command
says 127 '' "smc_run: cannot run 'no-such-command': No such file or directory" 'not found: 127'
smc /no/such/file
says 127 '' "smc_run: cannot run '/no/such/file': No such file or directory" 'not found by path: 127'
smc ''
says 127 '' "smc_run: cannot run '': No such file or directory" 'the empty command: 127'
echo 'echo hello' > "$tmp/plain"
smc "$tmp/plain"
says 126 '' "smc_run: cannot run '$tmp/plain': Permission denied" 'not executable: 126'
smc "$tmp"
is "$status" 126 'a directory: 126'
chmod +x "$tmp/plain"
smc "$tmp/plain"
says 0 hello '' 'a script without #! runs, as with execvp'
smc
says 125 '' "smc_run: no command given; try 'smc_run --help'" 'no command: 125'
smc -x true
says 125 '' "smc_run: unknown option '-x'; try 'smc_run --help'" 'unknown option: one line, 125'
smc -r
one_line 125 'option without its argument: one line, 125'
smc -f tcp true
message 125 "smc_run: --family: 'tcp' .*smc, inet or auto; try 'smc_run --help'\$" 'unknown family: 125'
smc sh -c 'exec true' -x --help
says 0 '' '' 'options end at the command'
# shellcheck disable=SC2016 # for sh
smc -- sh -c 'echo "$0"' -d
says 0 -d '' '-- ends the options'

# ---- environment ----
# shellcheck disable=SC2016
show='echo "$LD_PRELOAD|$SMC_DEBUG|$SMC_STRICT|$SMC_RCVBUF|$SMC_SNDBUF|$SMC_SOCK_FAMILY"'
smc sh -c "$show"
says 0 "$fake:$shim|||||" '' 'appended to LD_PRELOAD, nothing else set'
is "$("$run" --quiet sh -c "$show")" "$shim|||||" 'no leading colon'
is "$(LD_PRELOAD='' "$run" --quiet sh -c "$show")" "$shim|||||" 'no leading colon after an empty LD_PRELOAD'
is "$("$run" --quiet "$run" --quiet sh -c "$show")" "$shim|||||" 'smc_run in smc_run: once'
is "$(LD_PRELOAD="$shim $fake" "$run" sh -c "$show")" "$shim $fake|||||" 'there already, with blanks between'
smc -d -r 64K -t 1000 -f auto --strict sh -c "$show"
says 0 "$fake:$shim|1|1|65536|1000|auto" "smc_run: '$(command -v sh)' by preload: $shim" \
	'every option reaches the library; -d names the way'
smc --debug --rcvbuf=1M --sndbuf 2k --family=inet sh -c "$show"
is "$status$(cut -d'|' -f2- "$out" | tail -1)" '01||1048576|2048|inet' 'long options'
SMC_DEBUG=0 SMC_RCVBUF=5 SMC_SOCK_FAMILY=smc smc sh -c "$show"
says 0 "$fake:$shim|0||5||smc" '' 'what the caller set is kept'
LD_PRELOAD=$shim:$fake "$run" -d "$bin/sock" call 2 1 0 >"$out" 2>"$err"
like "$(<"$err")" '^ld_pre_smc\[[0-9]+\]: socket\(AF_INET, SOCK_STREAM, 0\) -> AF_SMC fd [0-9]+$' \
	'the program really gets an SMC socket'
if mkdir "$tmp/a b" && cp "$run" "$shim" "$tmp/a b/"; then
	"$tmp/a b/smc_run" true >"$out" 2>"$err"
	status=$?
	message 125 "smc_run: LD_PRELOAD cannot hold '$tmp/a b/ld_pre_smc.so': .*blank" 'a library path with a blank: 125'
fi
mkdir "$tmp/alone" && cp "$run" "$tmp/alone/"
if strings "$run" 2>/dev/null | grep -q '^/usr/lib' && ls /usr/lib*/ld_pre_smc.so /usr/lib/*/ld_pre_smc.so >/dev/null 2>&1; then
	skip 'no library: 125' 'smc-tools is installed here'
else
	like "$("$tmp/alone/smc_run" true 2>&1; echo $?)" '^125$' 'no library: 125'
fi

# ---- rules ----
# shellcheck disable=SC2016
rules='echo "$SMC_INCLUDE|$SMC_EXCLUDE"'
smc --include 6379,listen:80-90 --exclude '[fd00::]/8:*' --include=10.0.0.0/8 sh -c "$rules"
says 0 '6379,listen:80-90,10.0.0.0/8|fd00::/8' '' '--include twice goes on with the list'
SMC_INCLUDE=1 SMC_EXCLUDE=2 smc --exclude 3 sh -c "$rules"
says 0 '1|3' '' 'an option replaces what the caller set, no option keeps it'
for rule in 80x 80,x,90 65536 10.0.0.1/33 fd00::g; do
	bad=${rule#80,}
	smc --include "$rule" true
	message 125 "smc_run: --include: '${bad%,90}' .*rule .*; try 'smc_run --help'\$" "--include $rule: 125, and the item"
done
smc --include 'dport = 6379 and dst 10.0.0.0/8' --exclude 'sport < 90' sh -c "$rules"
says 0 '10.0.0.0/8:6379|listen:1-89' '' 'filters become lists'
SMC_INCLUDE='not dport 80' smc sh -c "$rules"
says 0 '1-79,81-65535|' '' 'a filter in the environment, too'
smc --include 'mode smcd' true
message 125 "smc_run: --include: 'mode' .*; try 'smc_run --help'\$" 'a test that the library cannot serve is named'
smc --include "$(seq -s, 60)" --exclude 1,2,3,4,5 true
says 125 '' "smc_run: --exclude: more than 64 rules; try 'smc_run --help'" 'too many rules in both lists: 125'

# ---- sizes ----
for size in 0 4096 64k; do
	smc -r "$size" -t "$size" true
	is "$status$(<"$err")" 0 "-r $size -t $size"
done
for size in 64KB '' ' 1' -1; do
	smc -r "$size" true
	message 125 "smc_run: --rcvbuf: '$size' .* 64K or 1M; try 'smc_run --help'\$" "-r '$size': 125"
done
for size in 2147483648 99999999999999999999; do
	smc -t "$size" true
	message 125 "smc_run: --sndbuf: size '$size' .* 2147483647 bytes; try 'smc_run --help'\$" "-t $size: 125"
done
for which in r t; do
	case $which in r) limit=rmem_max what=receive ;; t) limit=wmem_max what=transmit ;; esac
	if [ ! -r "/proc/sys/net/core/$limit" ] || [ "$(<"/proc/sys/net/core/$limit")" -ge 2147483647 ]; then
		skip "-$which above net.core.$limit" 'no such limit here'
		continue
	fi
	before=$(<"/proc/sys/net/core/$limit")
	smc "-$which" 2147483647 true
	message 0 "smc_run: the $what buffer of 2147483647 bytes .* net.core.$limit: .* $before .*--raise-limits" "-$which above net.core.$limit: a warning that names it"
	is "$(<"/proc/sys/net/core/$limit")" "$before" "net.core.$limit is not touched"
	smc --quiet "-$which" 2147483647 true
	says 0 '' '' "-$which above net.core.$limit, --quiet"
done

# A kernel's limit that is a file of this test, in a new mount namespace.
limit=/proc/sys/net/core/rmem_max
echo 1000 > "$tmp/limit"
if [ -e "$limit" ] && unshare -m mount --bind "$tmp/limit" "$limit" 2>/dev/null; then
	# shellcheck disable=SC2016
	in_limit='mount --bind "$1" "$2" && shift 2 && exec "$@"'
	run_before=$run run=unshare
	smc -m sh -c "$in_limit" sh "$tmp/limit" "$limit" "$run_before" --raise-limits -r 5M true
	says 0 '' 'smc_run: raised net.core.rmem_max from 1000 to 5242880' '--raise-limits raises and reports it'
	is "$(<"$tmp/limit")" 5242880 '--raise-limits: the new limit'
	smc -m sh -c "$in_limit" sh "$tmp/limit" "$limit" "$run_before" --raise-limits -r 5M true
	says 0 '' '' '--raise-limits where nothing needs raising'
	# stays TEXT OPTION...: a command that is refused leaves the limit as it is
	stays() {
		stays_text=$1
		shift
		echo 1000 >"$tmp/limit"
		smc -m sh -c "$in_limit" sh "$tmp/limit" "$limit" "$run_before" --strict --raise-limits -r 5M "$@"
		is "$status $(<"$tmp/limit") $(grep -c raised "$err")" '125 1000 0' "--strict --raise-limits, $stays_text: nothing is raised" ||
			diag "$(<"$err")"
	}
	stays 'a program that the library does not reach' --preload "$bin/go_note"
	FAKE_SMC=97 FAKE_INET=97; export FAKE_SMC FAKE_INET
	stays 'a kernel without SMC' true
	stays 'no seccomp without SMC' --seccomp true
	unset FAKE_SMC FAKE_INET
	run=$run_before
else
	skip '--raise-limits' 'needs root'
fi

# ---- warnings ----
# warns WORDS TEXT COMMAND...: one line with the words, the command runs if the kernel executes it; 125 with --strict
warns() {
	local words=$1 text=$2 line lines=()
	shift 2
	smc "$@"
	while IFS= read -r line; do
		[[ $line != smc_run:* || $line == *'Exec format error' ]] || lines+=("$line")
	done <"$err"
	like "${lines[*]}" "^smc_run: '[^']*' will use TCP: .*$words" "$text: a warning"
	is ${#lines[@]} 1 "$text: one line"
	smc --strict "$@"
	like "$status$(<"$err")" "^125smc_run: no SMC for '.*': .*$words" "$text: --strict ends with 125"
}

FAKE_SMC=97 FAKE_INET=97; export FAKE_SMC FAKE_INET
warns 'this kernel has no SMC' 'kernel without SMC' true
smc --quiet true
says 0 '' '' 'kernel without SMC: --quiet'
smc --bpf --quiet true
says 0 '' '' 'kernel without SMC: --bpf --quiet'
smc --bpf true
is "$(cut -c 1-52 "$err")" "smc_run: 'true' will use TCP: this kernel has no SMC" 'kernel without SMC: --bpf, one message'
run_before=$run run=python3
smc -c 'import ctypes, os, struct, sys
allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
program = struct.pack("HL", 1, ctypes.addressof(allow))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
    sys.exit(3)
os.execv(sys.argv[1], sys.argv[1:])' "$run_before" true
if [ "$status" -eq 3 ]; then
	skip 'under a filter of system calls' 'this kernel has no filters'
else
	like "$(<"$err")" "a system call filter forbids AF_SMC and IPPROTO_SMC \(a unit's RestrictAddressFamilies=\).* 'smc_chk doctor'$" \
		'under a filter of system calls, which answers as such a kernel does, both are named'
fi
run=$run_before
SMC_STRICT=1 smc true
is "$status" 125 'SMC_STRICT=1 is --strict'
unset FAKE_INET
for family in '' smc inet auto; do
	smc --strict ${family:+-f $family} true
	says 0 '' '' "IPPROTO_SMC is enough: ${family:-no family given}"
done
FAKE_INET=97; export FAKE_INET
smc -f inet no-such-command
one_line 127 'no warning for a command that is not there'
FAKE_SMC=1
warns 'cannot be opened here: Operation not permitted' 'sandbox' true
unset FAKE_SMC
FAKE_INET=93
smc -f inet --strict true
says 0 '' '' '-f inet without IPPROTO_SMC: AF_SMC is SMC, too'
unset FAKE_INET

# ---- the core packages alone ----
mkdir "$tmp/core" && cp "$run" "$shim" "$tmp/core"
run=$tmp/core/smc_run
if [ -e /usr/bin/smc_bpf ] || [ -e /usr/libexec/smc-tools/smc_supervise ]; then
	skip 'without smc-tools-extra' 'it is installed'
else
	for option in --quiet --strict; do
		smc --bpf $option true
		message 125 "smc_run: no eBPF for 'true': cannot find smc_bpf: .* smc-tools-extra\$" "no smc_bpf: --bpf $option"
		smc --seccomp $option true
		message 125 "smc_run: no seccomp for 'true': cannot find smc_supervise: .* smc-tools-extra\$" "no smc_supervise: --seccomp $option"
	done
fi
smc --spin=50 true
message 0 "smc_run: no ld_pre_smc_spin.so beside $tmp/core/ld_pre_smc.so (.*): --spin has no effect\$" 'no ld_pre_smc_spin.so: a warning'
run=$run_before

# Programs that need more than the library: eBPF or seccomp replace it if possible.
# program NAME FLAGS SOURCE: compiled here, since a build machine may lack what it takes
program() {
	# shellcheck disable=SC2086
	${CC:-cc} -o "$tmp/$1" $2 "$3" 2>/dev/null
}
echo 'int main(void) { return 3; }' > "$tmp/three.c"
for kind in static static-pie; do
	if program "$kind" "-$kind" "$tmp/three.c"; then
		warns 'the program is static' "$kind program" --preload "$tmp/$kind"
		smc "$tmp/$kind"
		is "$status" 3 "$kind program: it runs"
	else
		skip "$kind program" 'no static libc'
	fi
done
# A loader cannot load a library that needs a later glibc: it would end the program.
cat >"$tmp/preload.c" <<-END
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	int main(void) { return puts(strstr(getenv("LD_PRELOAD"), "ld_pre_smc") ? "with" : "without") < 0; }
END
mkdir "$tmp/own" && cp "$(readelf -lW "$bin/sock" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')" "$tmp/own/ld.so"
program own/program "-Wl,--dynamic-linker=$tmp/own/ld.so" "$tmp/preload.c"
smc --preload "$tmp/own/program"
says 0 with '' 'a loader of its own: the library'
printf 'GLIBC_2.2.5\0GLIBC_2.16\0' >"$tmp/own/libc.so.6"
warns 'older than 2[.]17' 'an old glibc beside its loader' --preload "$tmp/own/program"
smc --preload --quiet "$tmp/own/program"
says 0 without '' 'and no library'
warns Go 'Go program, by its note' --preload "$bin/go_note"
warns Go 'Go program, by its build info' --preload "$bin/go_info"
loader=$(readelf -lW "$bin/sock" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
smc "$loader" "$bin/sock" call 2 1 0
says 0 'ok errno kept' '' 'the loader started by hand is not a static program'

# patched OFFSET OCTAL...: "sock" with other bytes in its ELF header
patched() {
	cp "$bin/sock" "$tmp/patched"
	# shellcheck disable=SC2059
	printf "$2" | dd of="$tmp/patched" bs=1 seek="$1" conv=notrunc 2>/dev/null
	chmod +x "$tmp/patched"
}
patched 18 '\026\000'
warns 'the program is for s390x, the library for' 'other architecture' --preload "$tmp/patched"
patched 18 '\377\177'
warns 'the program is for machine 32767, 64 bits, the library for' 'unknown architecture' --preload "$tmp/patched"
smc --quiet "$tmp/patched"
says 126 '' "smc_run: cannot run '$tmp/patched': Exec format error" 'a program that the kernel does not execute is not given to a shell: 126'
if [ -x "$tmp/32/sock" ]; then
	is "$("$run" --quiet -d "$tmp/32/sock" call 2 1 0 2>&1 | grep -c 'ld_pre_smc.*AF_SMC')" 1 \
		'a 32-bit program gets the 32-bit library'
	mkdir -p "$tmp/only64" && cp "$run" "$shim" "$tmp/only64/"
	like "$(LD_PRELOAD=$fake "$tmp/only64/smc_run" --preload "$tmp/32/sock" quiet 2>&1)" \
		"the program is for i386, the library for x86-64" 'a 32-bit program, only the 64-bit library: a warning'
else
	skip 'a 32-bit program gets the 32-bit library' "${why_not:-no 32-bit library}"
fi

printf '#!/usr/bin/env -S -i sh -c :\n' >"$tmp/env-i" && chmod +x "$tmp/env-i"
warns "'env -i', .*LD_PRELOAD" 'a script that clears the environment' --preload "$tmp/env-i"

# scripts, up to four levels
echo "#!$bin/go_note" > "$tmp/s1"
for n in 2 3 4 5; do
	echo "#! $tmp/s$((n - 1)) x" > "$tmp/s$n"
done
chmod +x "$tmp"/s[1-5]
warns Go 'script of a Go program' --preload "$tmp/s1"
smc --preload "$tmp/s4"
like "$(<"$err")" "'$bin/go_note' will use TCP: Go" 'scripts of scripts, four levels'
smc --preload "$tmp/s5"
unlike "$(<"$err")" Go 'five levels are not followed'
for line in 'go_note' '-S go_note -x' '-S A=1 B=2 go_note'; do
	printf '#!/usr/bin/env %s\n' "$line" > "$tmp/env"
	chmod +x "$tmp/env"
	PATH=$PATH:$bin smc --preload "$tmp/env"
	like "$(<"$err")" "'$bin/go_note' will use TCP: Go" "#!/usr/bin/env $line"
done
printf '#!' > "$tmp/short"
chmod +x "$tmp/short"
smc "$tmp/short"
[ "$status" -lt 128 ]
ok $? 'a script that ends after #!: nothing dies of it'
unlike "$(<"$err")" 'Sanitizer|signal' 'a script that ends after #!'
(cd "$bin" && LD_PRELOAD=$fake PATH=":$PATH" "$run" --preload go_note) 2>"$err"
like "$(<"$err")" Go 'an empty PATH entry is the current directory'

# raised privileges: visible only to users other than root
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && chmod 755 "$tmp" && status_has 'NoNewPrivs:.0' &&
	mkdir "$tmp/suid" && cp "$run" "$shim" "$bin/sock" "$fake" "$tmp/suid/" &&
	chmod 755 "$tmp/suid" && cp "$tmp/suid/sock" "$tmp/suid/4755" && chmod 4755 "$tmp/suid/4755" &&
	cp "$tmp/suid/sock" "$tmp/suid/2755" && chmod 2755 "$tmp/suid/2755" &&
	! findmnt -no OPTIONS -T "$tmp" 2>/dev/null | grep -qw nosuid; then
	real_run=$run
	cat > "$tmp/suid/as" <<-END
		#!/bin/sh
		LD_PRELOAD=$tmp/suid/fake.so exec setpriv --reuid=65534 --regid=65534 --clear-groups $tmp/suid/smc_run "\$@"
	END
	chmod 755 "$tmp/suid/as"
	fake_before=$fake fake='' run=$tmp/suid/as
	if [ "$(cat "$limit" 2>/dev/null || echo 2147483647)" -lt 2147483647 ]; then
		smc --raise-limits -r 2147483647 "$tmp/suid/sock" call 1 1 0
		says 125 '' "smc_run: cannot raise net.core.rmem_max from $(<"$limit") to 2147483647: Permission denied" \
			'--raise-limits by somebody who may not: 125'
		FAKE_SMC=97 FAKE_INET=97 smc --raise-limits -r 2147483647 "$tmp/suid/sock" call 1 1 0
		message 125 'smc_run: cannot raise net.core.rmem_max' 'and before a warning that the kernel has no SMC'
	fi
	for mode in 4755 2755; do
		warns 'set-uid, set-gid or file capabilities' "mode $mode, other user" "$tmp/suid/$mode" call 1 1 0
		LD_PRELOAD=$fake_before "$real_run" "$tmp/suid/$mode" call 1 1 0 2>"$err" >"$out"
		status=$?
		says 0 'ok errno kept' '' "mode $mode, started by its owner: no warning"
		smc sh -c "setpriv --no-new-privs '$tmp/suid/smc_run' '$tmp/suid/$mode' call 1 1 0"
		is "$(<"$err")" '' "mode $mode with no_new_privs: no warning"
	done
	if command -v setcap >/dev/null && setcap cap_net_raw+ep "$tmp/suid/sock" 2>/dev/null; then
		warns 'set-uid, set-gid or file capabilities' 'file capabilities' "$tmp/suid/sock" call 1 1 0
	else
		skip 'file capabilities' 'setcap is missing'
	fi
	run=$real_run fake=$fake_before
else
	skip 'set-uid programs' 'needs root, setpriv, a file system without nosuid and a process without no_new_privs'
fi
# Images with one program have it in "/".
# shellcheck disable=SC2016
top='mount -t tmpfs none /mnt && cp "$1" "$2" /mnt && shift 2 && for dir in /usr /proc /bin /lib*; do
	if [ -L "$dir" ]; then cp -P "$dir" /mnt; else mkdir "/mnt$dir" && mount --rbind "$dir" "/mnt$dir"; fi || exit
done; exec chroot /mnt "$@"'
if unshare -m sh -c "$top" sh "$run" "$shim" true 2>/dev/null; then
	is "$(unshare -m sh -c "$top" sh "$run" "$shim" /smc_run --quiet printenv LD_PRELOAD 2>&1)" /ld_pre_smc.so \
		'the library is beside an smc_run in the root directory'
else
	skip 'smc_run in the root directory' 'needs root'
fi

# An administrator may install the library set-uid, for programs with raised privileges: they
# ignore the caller's environment. Installed here in a new mount namespace.
libdir=$(strings "$BUILD/smc_run" 2>/dev/null | grep -E '^/.*/lib[^ ]*$' | sort -r | while read -r dir; do [ ! -d "$dir" ] || { echo "$dir"; break; }; done)
# glibc names the directories in which it looks for those; rpmbuild on Debian builds for another one.
loader=$(readelf -lW "$bin/sock" 2>/dev/null | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
searched=$("${loader:-false}" --list-diagnostics 2>/dev/null | sed -n 's,^path\.system_dirs.*="\(.*\)/"$,\1,p')
# shellcheck disable=SC2016
installed='mount -t overlay -o "lowerdir=$1:$2" overlay "$2" && shift 2 && exec "$@"'
mkdir -p "$tmp/lib" && cp "$shim" "$tmp/lib/" && chmod 755 "$tmp/lib" && chmod 4755 "$tmp/lib/ld_pre_smc.so"
if [ -d "$libdir" ] && [ -n "$searched" ] && ! grep -qxF "$libdir" <<<"$searched"; then
	skip 'set-uid library' "the loader looks for none in '$libdir'"
elif [ -n "${real_run:-}" ] && [ -d "$libdir" ] &&
	unshare -m sh -c "$installed" sh "$tmp/lib" "$libdir" true 2>/dev/null; then
	cp "$(command -v grep)" "$tmp/suid/grep" && chmod 4755 "$tmp/suid/grep"
	cp "$run" "$tmp/alone/smc_run" && cp "$bin/sock" "$tmp/alone/" && chmod 755 "$tmp/alone"
	# secure PROGRAM...: somebody else starts a set-uid program under the smc_run that has no library beside it
	secure() {
		unshare -m sh -c "$installed" sh "$tmp/lib" "$libdir" setpriv --reuid=65534 --regid=65534 \
			--clear-groups env SMC_DEBUG=1 "$tmp/alone/smc_run" "$@" 2>"$err" >"$out"
		status=$?
	}
	secure --quiet "$tmp/suid/grep" -qw ld_pre_smc.so /proc/self/maps
	is "$status" 0 'set-uid library: it is in a set-uid program'
	secure "$tmp/suid/4755" call 2 1 0
	is "$status$(<"$out")" '0ok errno kept' 'set-uid library: the set-uid program runs'
	unlike "$(<"$err")" 'set-uid|ld_pre_smc\[' 'set-uid library: no warning, and SMC_DEBUG has no effect'
	secure "$tmp/alone/sock" call 2 1 0
	like "$(<"$err")" '^ld_pre_smc\[' 'set-uid library: SMC_DEBUG works in other programs'
else
	skip 'set-uid library' 'needs root, setpriv, overlay mounts and strings'
fi
