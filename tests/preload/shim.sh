# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# The preload library alone; sourced by run.
# under ENV... -- ARGUMENT...: the program "sock" with the shim and the fake libc below it
under() {
	local vars=()
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	shift
	: >"$tmp/log"
	# The last one of a name counts: the test's.
	(
		export LD_PRELOAD="${preload:-$shim:$fake}" FAKE_LOG="$tmp/log" "${vars[@]}"
		exec "${sock:-$bin/sock}" "$@"
	)
}

# try ENV... -- ARGUMENT...: its output, on any descriptor, without process ID, is in $got; the calls of the fake libc
# are in $asked, in one line, without the sockets that show what the control group does
# shellcheck disable=SC2034
try() {
	under "$@" >"$tmp/got" 2>&1
	slurp got "$tmp/got"
	[[ ! $got =~ ld_pre_smc(\[[0-9]+\]) ]] || got=${got//"${BASH_REMATCH[1]}"/}
	slurp asked "$tmp/log"
	asked=${asked//$'\n'/;}${asked:+;}
	all=$asked
	asked=${asked//socket 2 524289 0;/} asked=${asked//socket 10 524289 0;/}
}

# ---- mapping ----
mapping() {
	is "$(under FAKE_LOG= -- table)" '9240 rows, 0 wrong' "$1: mapping table, AF_SMC"
	is "$(under FAKE_LOG= SMC_SOCK_FAMILY=smc -- table)" '9240 rows, 0 wrong' "$1: mapping table, family smc"
	is "$(under FAKE_LOG= SMC_SOCK_FAMILY=inet -- table inet)" '9240 rows, 0 wrong' \
		"$1: mapping table, IPPROTO_SMC"
	is "$(under FAKE_LOG= SMC_SOCK_FAMILY=auto -- table inet)" '9240 rows, 0 wrong' \
		"$1: mapping table, family auto"
	is "$(under FAKE_LOG= SMC_DEBUG=1 -- table 2>/dev/null)" '9240 rows, 0 wrong' \
		"$1: mapping table, with debug lines"
}
# lists NAME: exec with arguments that stand one after the other, and with an environment
lists() {
	is "$(under -- list execl; under -- list execlp; under -- list execle 2>&1)" '2 one two before
2 one two before
2 one two execle' "$1: execl(), execlp(), execle()"
}
mapping 64-bit
lists 64-bit
is "$(preload=$fake under FAKE_LOG= -- table | tail -1)" '9240 rows, 32 wrong' \
	'without the library the table fails: it can'

# ---- fallback: errno, name ----
while read -r err name; do
	# EACCES of AF_SMC, a security module's, counts for IPPROTO_SMC, too.
	inet4='socket 2 1 256;' inet6='socket 10 2049 256;'
	[ "$err" != 13 ] || inet4='' inet6=''
	try SMC_DEBUG=1 FAKE_SMC="$err" FAKE_INET="$err" -- call 2 1 0 10 2049 6
	is "$got" "ld_pre_smc: socket(AF_INET, SOCK_STREAM, 0) -> TCP fd ${fds[0]} (AF_SMC: $name; IPPROTO_SMC: $name)
ok errno kept
ld_pre_smc: socket(AF_INET6, SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) -> TCP fd ${fds[1]} (AF_SMC: $name; IPPROTO_SMC: $name)
ok errno kept" "$name: TCP instead, errno kept; the debug lines name it"
	is "$asked" "socket 43 1 0;${inet4}socket 2 1 0;socket 43 2049 1;${inet6}socket 10 2049 6;" \
		"$name: SMC asked, then TCP as the program wrote it"
	try -- late "$err"
	is "$got|$asked" "ok errno kept
error 24
ok errno kept
ok errno kept|socket 43 1 0;socket 43 1 0;socket 43 1 0;socket 43 1 0;${inet4}socket 2 1 0;socket 2 1 6;" \
		"$name after SMC worked: TCP, errno kept; remembered"
done <<-LIST
	97 EAFNOSUPPORT
	93 EPROTONOSUPPORT
	94 ESOCKTNOSUPPORT
	1 EPERM
	13 EACCES
	38 ENOSYS
	95 EOPNOTSUPP
LIST
for err in 97 1; do
	try FAKE_SMC="$err" FAKE_INET="$err" SMC_STRICT=1 -- call 2 1 0
	is "$got|$asked" "error $err|socket 43 1 0;socket 2 1 256;" "$err: SMC_STRICT=1 refuses with it, and asks for no TCP socket"
	try FAKE_SMC="$err" -- call 2 1 0 10 1 0
	is "$got|$asked" 'ok errno kept
ok errno kept|socket 43 1 0;socket 2 1 256;socket 43 1 1;socket 10 1 256;' "$err for AF_SMC: IPPROTO_SMC instead"
	# EPERM may be the answer of a program of the control group, which does not see AF_SMC.
	af_smc4='socket 43 1 0;' af_smc6='socket 43 1 1;'
	[ "$err" != 1 ] || af_smc4='socket 2 1 0;' af_smc6=
	try SMC_SOCK_FAMILY=inet FAKE_INET="$err" -- call 2 1 0
	is "$got|$asked" "ok errno kept|socket 2 1 256;$af_smc4" "$err for IPPROTO_SMC: AF_SMC or TCP instead"
	try SMC_SOCK_FAMILY=inet FAKE_INET="$err" FAKE_SMC="$err" -- call 10 1 0
	is "$got|$asked" "ok errno kept|socket 10 1 256;${af_smc6}socket 10 1 0;" "$err for both: TCP"
done

# EMFILE, ENFILE, ENOBUFS, ENOMEM, EINVAL
for err in 24 23 105 12 22; do
	try FAKE_SMC="$err" -- call 2 1 0
	is "$got|$asked" "error $err|socket 43 1 0;" "$err: handed to the program, no TCP"
done
# tries GOT TEXT ENV... -- ARGUMENT...
tries() {
	try "${@:3}"
	is "$got" "$1" "$2"
}
tries 'error 24' 'no SMC and no TCP: errno of the TCP attempt' FAKE_SMC=97 FAKE_INET=97 FAKE_TCP=24 -- call 2 1 0
tries 'error 97' 'sockets that are not mapped keep their errors' FAKE_TCP=97 -- call 1 1 0
tries 'ok errno kept' 'SMC_STRICT=0 is off' SMC_STRICT=0 FAKE_SMC=97 FAKE_INET=97 -- call 2 1 0
tries 'ok errno kept' 'SMC_STRICT empty is off' SMC_STRICT= FAKE_SMC=97 FAKE_INET=97 -- call 2 1 0

# ---- what is remembered ----
# asks ASKED TEXT ENV... -- ARGUMENT...
asks() {
	try "${@:3}"
	is "$asked" "$1" "$2"
}
asks 'socket 43 1 0;socket 2 1 256;socket 2 1 0;socket 2 1 0;socket 43 1 1;socket 10 1 256;socket 10 1 0;socket 10 1 0;' \
	'a kernel without SMC is asked once for each family' FAKE_SMC=97 FAKE_INET=97 -- call 2 1 0 2 1 0 10 1 0 10 1 0
try FAKE_TCP=1 SMC_STRICT=1 -- call 10 1 0 10 1 0
is "$got|$all" 'error 1
error 1|socket 10 524289 0;socket 10 524289 0;' 'a refusal of TCP is one of SMC'
try -- call 2 1 0 2 1 0 10 1 0 10 1 0
is "$all" 'socket 2 524289 0;socket 43 1 0;socket 43 1 0;socket 10 524289 0;socket 43 1 1;socket 43 1 1;' \
	'TCP is asked once for each family'
asks 'socket 2 1 256;socket 43 1 0;socket 43 1 0;' 'auto decides at the first socket' \
	SMC_SOCK_FAMILY=auto FAKE_INET=93 -- call 2 1 0 2 1 0

remembers='socket 43 1 0;socket 2 1 256;socket 2 1 0;socket 2 1 0;'
asks "${remembers}socket 43 1 0;" 'a module loaded later is found' FAKE_SMC=97 FAKE_INET=97 -- retry 12
asks "${remembers}socket 2 1 0;" 'but not tried again within ten seconds' FAKE_SMC=97 FAKE_INET=97 -- retry 8

# ---- security modules ----
# A profile of AppArmor that cannot be read, and a filter that refuses AF_SMC alone.
veto='profile;socket 43 1 0;socket 2 1 256;setsockopt 1 8 65536;setsockopt 1 72 0;'
more='socket 2 1 256;setsockopt 1 8 65536;setsockopt 1 72 0;'
asks "$veto$more$more" 'a filter that refuses AF_SMC: the profile is read once' \
	FAKE_PROFILE=13 FAKE_SMC=1 SMC_SOCK_FAMILY=inet SMC_RCVBUF=64K -- call 2 1 0 2 1 0 2 1 0
asks "profile;socket 43 1 0;socket 2 1 0;socket 2 1 0;" 'a profile that denies AF_SMC: TCP, and it is read once' \
	FAKE_PROFILE=13 FAKE_SMC=13 SMC_SOCK_FAMILY=inet -- call 2 1 0 2 1 0
asks "profile;socket 43 1 0;socket 2 1 0;socket 2 1 0;profile;socket 43 1 0;socket 2 1 256;" 'and once more after ten seconds' \
	FAKE_PROFILE=13 FAKE_SMC=13 SMC_SOCK_FAMILY=inet -- retry 12
asks "socket 2 1 256;socket 2 1 256;" 'no profile: AF_SMC is not asked' FAKE_SMC=1 SMC_SOCK_FAMILY=inet -- call 2 1 0 2 1 0
try SMC_DEBUG=1 FAKE_CONTEXT=system_u:system_r:redis_t:s0 FAKE_SMC=13 FAKE_INET=13 -- call 2 1 0 2 1 0
is "$(grep -c 'redis_t' <<<"$got") $(grep -c EACCES <<<"$got")" '1 2' 'SMC_DEBUG: whom SELinux denies it, once'
try SMC_DEBUG=1 FAKE_CONTEXT=redis_t FAKE_SMC=1 FAKE_INET=1 -- call 2 1 0
unlike "$got" redis_t 'EPERM is not of SELinux'
try SMC_DEBUG=1 FAKE_CONTEXT="$(printf '%0200d' 0)" FAKE_SMC=13 FAKE_INET=13 -- call 2 1 0
like "$got" 'denied to 0{127},' 'SMC_DEBUG: a long context is cut'
try SMC_DEBUG=1 FAKE_CONTEXT= FAKE_SMC=13 FAKE_INET=13 -- call 2 1 0
unlike "$got" denied 'SMC_DEBUG: an empty context is nobody'

# ---- buffer sizes ----
asks 'socket 43 1 0;setsockopt 1 7 65536;setsockopt 1 8 1048576;setsockopt 1 72 0;socket 2 2 0;socket 1 1 0;socket 16 3 0;socket 43 1 0;socket 2 1 262;' \
	'buffer sizes only on sockets that are mapped, and not locked: TCP after a fallback has its own' \
	SMC_SNDBUF=64K SMC_RCVBUF=1M -- call 2 1 0 2 2 0 1 1 0 16 3 0 43 1 0 2 1 262
asks 'socket 43 1 0;socket 2 1 256;socket 2 1 0;' 'no buffer size on a TCP socket' SMC_SNDBUF=64K FAKE_SMC=97 FAKE_INET=97 -- call 2 1 0
tries 'ok errno kept' 'a size that is refused costs neither socket nor errno' SMC_SNDBUF=64K FAKE_OPT=22 -- call 2 1 0
asks 'socket 43 1 0;setsockopt 1 7 65536;setsockopt 1 8 1048576;setsockopt 1 72 0;socket 43 1 0;setsockopt 1 8 1048576;setsockopt 1 72 0;socket 43 1 0;' \
	'SIZE:BELOW is for descriptors less than that, which costs no system call' \
	SMC_SNDBUF=64K:$((fds[0] + 1)) SMC_RCVBUF=1M:$((fds[1] + 1)) -- call 2 1 0 2 1 0 2 1 0
asks 'socket 43 1 0;setsockopt 1 7 1048576;setsockopt 1 32 1048576;setsockopt 1 8 1024;setsockopt 1 72 0;' \
	'a size above its limit is set as root can' SMC_SNDBUF=1M SMC_RCVBUF=1K FAKE_LIMIT=524288 FAKE_FORCE=0 -- call 2 1 0
is "$got" 'ok errno kept' 'and is not an error where root cannot'
asks 'socket 43 1 0;setsockopt 1 7 1048576;setsockopt 1 32 1048576;setsockopt 1 8 1024;setsockopt 1 72 0;socket 43 1 0;setsockopt 1 32 1048576;setsockopt 1 8 1024;setsockopt 1 72 0;' \
	'a second socket gets what the first one had to find out' \
	SMC_SNDBUF=1M SMC_RCVBUF=1K FAKE_LIMIT=65536 FAKE_FORCE=1 -- call 2 1 0 2 1 0
while read -r size bytes; do
	try SMC_RCVBUF="$size" -- call 2 1 0
	is "$asked$got" "socket 43 1 0;${bytes:+setsockopt 1 8 $bytes;setsockopt 1 72 0;}ok errno kept" "SMC_RCVBUF=$size"
done <<-LIST
	1 1
	2k 2048
	2K 2048
	2047M 2146435072
	2147483647 2147483647
	000016 16
	0
LIST
for size in 2147483648 2097152K 99999999999999999999 8\| 64KB 1G K -1 +1 0x10 1.5M '64K,'; do
	try SMC_SNDBUF="$size" -- call 2 1 0 10 1 0 2 1 0
	is "$asked$got" "socket 43 1 0;socket 43 1 1;socket 43 1 0;\
ld_pre_smc: SMC_SNDBUF is not a size up to 2147483647, such as 65536, 64K or 1M: ignored
ok errno kept
ok errno kept
ok errno kept" "SMC_SNDBUF=$size is ignored, with one line"
done
tries 'ld_pre_smc: SMC_SOCK_FAMILY is not smc, inet or auto: ignored
ok errno kept' 'SMC_SOCK_FAMILY=tcp: one line' SMC_SOCK_FAMILY=tcp -- call 2 1 0
try SMC_NO_REPAIRS=identity,wrong -- call 2 1 0
like "$got" '^ld_pre_smc: SMC_NO_REPAIRS names .* ignored$' 'SMC_NO_REPAIRS=identity,wrong: one line'
tries 'ok errno kept' 'SMC_NO_REPAIRS: names of repairs' SMC_NO_REPAIRS=' late_error,,unsent identity, ' -- call 2 1 0
tries 'ok errno kept' 'no line about sizes without a socket they matter for' SMC_SNDBUF=8x -- call 1 1 0

# ---- debug lines ----
tries "ld_pre_smc: socket(AF_INET, SOCK_STREAM, 0) -> AF_SMC fd ${fds[0]}, SO_SNDBUF 65536
ok errno kept
ld_pre_smc: socket(AF_INET6, SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC, IPPROTO_TCP) -> AF_SMC fd ${fds[1]}, SO_SNDBUF 65536
ok errno kept
ok errno kept" 'debug: one line a decision, flags and buffer sizes in it' SMC_DEBUG=1 SMC_SNDBUF=64K -- call 2 1 0 10 526337 6 2 2 0
# said REGEX TEXT ENV... -- ARGUMENT...
said() {
	try SMC_DEBUG=1 "${@:3}"
	like "$got" "$1" "debug: $2"
}
said "AF_SMC fd ${fds[0]}, SO_RCVBUF 1024: EPERM\$" 'a size that is refused' SMC_RCVBUF=1K FAKE_OPT=1 -- call 2 1 0
said 'AF_SMC fd 0, SO_SNDBUF 65536$' 'number 0' SMC_SNDBUF=64K -- call 2 1 0 <&-
said ' -> error EMFILE$' 'an error' FAKE_SMC=24 -- call 2 1 0
said ' -> error errno 71$' 'an error without a name' FAKE_SMC=71 -- call 2 1 0
said ' -> error EAFNOSUPPORT \(AF_SMC: EAFNOSUPPORT; IPPROTO_SMC: EAFNOSUPPORT\)$' 'refused by SMC_STRICT' \
	SMC_STRICT=1 FAKE_SMC=97 FAKE_INET=97 -- call 2 1 0
said '\(IPPROTO_SMC: EPROTONOSUPPORT, seen before; AF_SMC: EAFNOSUPPORT, seen before\)$' 'both kinds refused' \
	SMC_SOCK_FAMILY=inet FAKE_INET=93 FAKE_SMC=97 -- call 2 1 0 2 1 0
said "-> IPPROTO_SMC fd ${fds[0]}\$" 'IPPROTO_SMC' SMC_SOCK_FAMILY=auto -- call 2 1 0
said AF_SMC 'SMC_DEBUG=yes is on' SMC_DEBUG=yes -- call 2 1 0
for value in '' 0 00 0x; do
	tries 'ok errno kept' "SMC_DEBUG='$value' is off" SMC_DEBUG="$value" -- call 2 1 0
done
like "$(under SMC_DEBUG=1 -- call 2 1 0 2>&1 >/dev/null)" '^ld_pre_smc\[[0-9]+\]: ' 'debug: the pid in front'
if command -v strace >/dev/null; then
	strace -f -o "$tmp/strace" -e trace=write -E SMC_DEBUG=1 -E SMC_SNDBUF=64K -E LD_PRELOAD="$shim:$fake" \
		"$bin/sock" quiet 2>/dev/null
	is "$(grep -c 'write(2' "$tmp/strace")" 1 'debug: one write'
else
	skip 'debug: one write' 'strace is missing'
fi
under SMC_DEBUG=1 -- fd2 "$tmp/data" 2>/dev/null
is "$?$(<"$tmp/data")" 0 'debug: fd 2 closed and open again as a data file stays clean'
rm -f "$tmp/data"
under SMC_DEBUG=1 -- open2 "$tmp/data" 2>&-
is "$?$(<"$tmp/data")" 0 'debug: started without fd 2, which becomes a data file'
is "$(under SMC_DEBUG=1 -- call 2 1 0 2>&-)" 'ok errno kept' 'debug: fd 2 closed'
is "$(under SMC_DEBUG=1 -- call 2 1 0 2>/dev/full)" 'ok errno kept' 'debug: nothing can be written'
mkfifo "$tmp/fifo"
: < "$tmp/fifo" &
exec {pipe}> "$tmp/fifo"
wait $!
is "$(under SMC_DEBUG=1 -- pipe2 2>&$pipe {pipe}>&-)" 'fd ok, SIGPIPE none, raised pending' \
	'debug: nobody reads fd 2, no SIGPIPE of ours, a pending one stays'
exec {pipe}>&-

# ---- threads, processes, handlers, constructors ----
many=${SHORT:+10}
many=${many:-200}
is "$(under FAKE_LOG= -- threads 64 "$many")" "$((64 * many)) opened" '64 threads, 12800 sockets'
is "$(under FAKE_LOG= FAKE_SMC=97 FAKE_INET=97 -- threads 64 "$many")" "$((64 * many)) opened" '64 threads without SMC'
is "$(under FAKE_LOG= SMC_SNDBUF=64K SMC_DEBUG=1 -- threads 32 100 2>"$tmp/err")" '3200 opened' \
	'32 threads with debug lines'
is "$(grep -cE '^ld_pre_smc\[[0-9]+\]: socket\(AF_INET6?, SOCK_STREAM, (0|IPPROTO_TCP)\) -> AF_SMC fd [0-9]+, SO_SNDBUF 65536$' "$tmp/err")/$(wc -l < "$tmp/err")" \
	3200/3200 'no line is torn'
is "$(under FAKE_LOG= -- signal)" '200 in handlers' 'sockets in signal handlers'
try -- fork
is "$got|$asked" 'fork 0
vfork 0
exec 0|socket 43 1 0;socket 43 1 1;socket 43 1 0;' 'fork, vfork, exec'
for place in before after; do
	case $place in
	before) preload=$bin/early.so:$shim:$fake ;;
	after) preload=$shim:$bin/early.so:$fake ;;
	esac
	is "$(under FAKE_LOG= -- quiet)" 'early: 2 opened, 2 mapped' \
		"constructor of a library $place: sockets there and in its signal handler"
	is "$(under FAKE_LOG= EARLY_THREADS=60 -- quiet)" 'early: 62 opened, 62 mapped' \
		"60 threads of a constructor $place, at once"
	is "$(under FAKE_LOG= EARLY_THREADS=60 SMC_DEBUG=1 SMC_SNDBUF=64K -- quiet 2>"$tmp/err"; grep -c '65536$' "$tmp/err")" \
		'early: 62 opened, 62 mapped
63' "the same with debug lines, $place"
done
preload=$bin/wrap.so:$shim:$fake
try -- call 2 1 0
is "$got|$asked" 'wrap 2 1 0
ok errno kept|socket 43 1 0;' 'a second preload library above sees the program'"'"'s call'
preload=$shim:$bin/wrap.so:$fake
try -- call 2 1 0 2 2 0
is "$got|$asked" 'wrap 2 524289 0
wrap 43 1 0
ok errno kept
wrap 2 2 0
ok errno kept|socket 43 1 0;socket 2 2 0;' 'a second preload library below is not passed over'
preload=$shim:$bin/uring.so:$fake
try SMC_DEBUG=1 -- call 2 1 0
like "$got" bypasses 'a program with liburing: the debug line'
try -- call 2 1 0
is "$got" 'ok errno kept' 'and only then'
preload=$shim:$bin/nodlsym.so
like "$(under -- call 2 1 0)" '^ok errno kept$' 'no function below: system calls'
every=$("$bin/sock" every)
is "$(under -- every)" "$every" 'every one of them'
like "$every" '^every$' 'up to execve()'
preload=
is "$(LD_PRELOAD=$shim "$bin/sock" call 2 1 0 10 1 6)" 'ok errno kept
ok errno kept' 'this kernel, whatever it has: sockets'

# ---- the library as a file ----
exports=$(sed -n '/global:/,/local:/s/^\t\t\([A-Za-z_0-9]*\);$/\1/p' "$here/../../ld_pre_smc/ld_pre_smc.map" | LC_ALL=C sort | tr '\n' ' ')
is "$exports" '_Exit __read __read_chk __recv_chk __recvfrom_chk __send __write _exit accept accept4 bind close close_range closefrom '\
'connect dl_iterate_phdr dup dup2 dup3 epoll_create epoll_create1 execl execle execlp execv execve execveat execvp execvpe fclose fcntl '\
'fcntl64 fexecve fork getpeername getsockopt ioctl listen pidfd_getfd prctl preadv2 preadv64v2 pwritev2 pwritev64v2 quick_exit read readv recv recvfrom recvmmsg '\
'recvmsg send sendfile sendfile64 sendmmsg sendmsg sendto setsockopt shutdown smc_shim_view_1 socket splice write writev ' \
	'what it takes over'
is "$(nm -D --defined-only "$shim" | awk '{ print $3 }' | LC_ALL=C sort | tr '\n' ' ')" "$exports" 'exports that and nothing else'
is "$(nm -D --undefined-only "$shim" | awk '$1 == "U" { print $2 }' | sed 's/@.*//' |
	grep -vxE '__errno_location|(__)?environ|bcmp|clock_gettime|clone|dl_iterate_phdr|dlsym|epoll_ctl|fflush|fileno|get(auxval|env|euid|peername|pid|ppid|rlimit|rlimit64|sockname|uid)|__stack_chk_fail|[hn]to[hn][sl]|inet_pton|madvise|mem(chr|cmp|cpy|mem|move|set)|mmap(64)?|munmap|nanosleep|open(64)?|p?poll|(__progname|program_invocation_short_name)|read|recv|shm(at|ctl|dt|get)|sig(action|addset|emptyset|ismember|pending|procmask|timedwait)|pthread_setcancelstate|str(chr|cmp|cspn|len|ncmp|rchr|spn|str)|sysconf|syscall|uname|write')" \
	'' 'imports only functions that are good in signal handlers, or used at start'
is "$(nm -D --undefined-only "$shim" | sed -n 's/^ *[Uw] \(.*\)@GLIBC_2\.\([0-9]*\).*/\2 \1/p' | awk '$1 > 17')" '' \
	'of glibc nothing later than 2.17'
is "$(readelf -d "$shim" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^lib(c|dl)\.')" '' 'needs libc only'
like "$(readelf -d "$shim")" 'SONAME.*\[ld_pre_smc.so.1\]' 'its soname'
unlike "$(readelf -lW "$shim")" 'GNU_STACK.*RWE' 'no executable stack'

# next.h says in which file of calls/ each function is.
objects=$BUILD/obj/shim/ld_pre_smc/calls
if [ -d "$objects" ]; then
	is "$(cd "$objects" && nm --defined-only -- *.o | awk -v exports="$exports" '
		BEGIN { n = split(exports, names, " "); while (n) is_export[names[n--]] = 1 }
		/^[^ ]*[.]o:$/ { file = $1; sub(/[.]o:$/, ".c", file) }
		$2 == "T" && $3 in is_export { print file, $3 }' | LC_ALL=C sort)" \
		"$(awk '
		/^\tROW\(/ { sub(/^\tROW\(/, ""); gsub(",", ""); print $1 ".c", $3 }
		END { print "recv.c __read\nsend.c __send\nsend.c __write\nexec.c execl\nexec.c execle\nexec.c execlp\nexec.c execv\nexec.c execvp\nexit.c _Exit" }' \
		"$here/../../ld_pre_smc/next.h" | LC_ALL=C sort)" 'each is defined where next.h says'
else
	skip 'where each is defined' 'the library was not built here'
fi

# ---- 32 bits ----
if [ -e "$BUILD/32/ld_pre_smc.so" ]; then
	is "$(nm -D --defined-only "$BUILD/32/ld_pre_smc.so" | awk '{ print $3 }' | LC_ALL=C sort | tr '\n' ' ')" \
		"$(echo "${exports}__fcntl_time64 __getsockopt64 __ioctl_time64 __prctl_time64 __recvmsg64 __sendmmsg64 __sendmsg64 __setsockopt64" | tr ' ' '\n' | LC_ALL=C sort |
			tr '\n' ' ')" '32-bit: exports'
fi
if ! can_32 || ! [ -e "$BUILD/32/ld_pre_smc.so" ]; then
	skip '32-bit library' "${why_not:-no 32-bit library}"
elif mkdir -p "$tmp/32" &&
	${CC:-cc} -m32 -D_GNU_SOURCE -O2 -I"$here/../.." -o "$tmp/32/sock" "$here/sock.c" -pthread 2>/dev/null &&
	${CC:-cc} -m32 -D_GNU_SOURCE -O2 -fPIC -shared -I"$here/../.." -o "$tmp/32/fake.so" "$here/fake_lib.c" 2>/dev/null; then
	sock=$tmp/32/sock preload=$BUILD/32/ld_pre_smc.so:$tmp/32/fake.so
	mapping 32-bit
	lists 32-bit
	is "$(under FAKE_LOG= -- threads 16 200)" '3200 opened' '32-bit: threads'
	asks 'socket 43 1 0;socket 2 1 256;socket 2 1 0;' '32-bit: fallback' FAKE_SMC=97 FAKE_INET=97 -- call 2 1 0
	asks 'socket 43 1 0;setsockopt 1 7 1048576;setsockopt 1 72 0;' '32-bit: buffer size' SMC_SNDBUF=1M -- call 2 1 0
	: > "$tmp/big" && truncate -s 3G "$tmp/big"
	under SMC_DEBUG=1 -- call 2 1 0 >/dev/null 2>>"$tmp/big"
	like "$(tail -c 200 "$tmp/big" | tr -d '\0')" '^ld_pre_smc.* AF_SMC fd' '32-bit: debug lines into a large file'
	rm -f "$tmp/big"
	sock='' preload=''
else
	skip '32-bit library' 'the compiler lacks headers for 32-bit programs'
fi
