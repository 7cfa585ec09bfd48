# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# errno after every interposed function, compared with the same program without the library; sourced by run.
mimic=$bin/mimic.so

# errnos FILE [VARIABLE=VALUE]...
errnos() {
	file=$tmp/$1
	shift
	env "$@" "$bin/errnos" >"$file"
	ok $? "errno: all calls return, ${*:-without the library}"
}

# changed FILE: lines that differ from the program without the library
changed() {
	diff "$tmp/errnos" "$tmp/$1" | sed -n 's/^> //p'
}
errnos errnos
errnos errnos-tcp "LD_PRELOAD=$shim"
errnos errnos-smc "LD_PRELOAD=$shim:$mimic"
errnos errnos-inet "LD_PRELOAD=$shim:$mimic" SMC_SOCK_FAMILY=inet
# Keep af_smc(7), which lists refused and ignored calls, in step with this.
refused=$(printf 'setsockopt %s: -1 Operation not supported\n' {stream,stream6,listener,connected}' zerocopy')
is "$(changed errnos-tcp)" '' 'errno: the same, whatever this kernel has'
is "$(changed errnos-smc)" "setsockopt listener reuseport: -1 Operation not supported
$refused" 'errno: the same, AF_SMC'
is "$(changed errnos-inet)" "$refused" 'errno: the same, IPPROTO_SMC'

is "$(cut -d' ' -f 1 "$tmp/errnos" | LC_ALL=C sort -u)" \
	"$(sed -n '/global:/,/local:/s/^\t\t\([A-Za-z_0-9]*\);$/\1/p' "$here/../../ld_pre_smc/ld_pre_smc.map" | grep -v smc_shim_view | LC_ALL=C sort)" \
	'errno: every function that the library takes over has been called'
is "$(cut -d' ' -f 2 "$tmp/errnos" | sort | uniq -c | awk '{ print $1 }' | sort -u | wc -l)" 1 'errno: on every kind of file'
# Calls that succeed, or end the process, return nothing here; fork() and closefrom() never fail.
is "$(awk -F': ' '{ split($1, call, " "); all[call[1]]; how[call[1], $2 ~ /^0/] }
	END { for (name in all) if (!((name, 0) in how && (name, 1) in how)) print name }' "$tmp/errnos" | LC_ALL=C sort | tr '\n' ' ')" \
	'_Exit _exit closefrom execl execle execlp execv execve execveat execvp execvpe fexecve fork quick_exit ' \
	'errno: every other function succeeds and fails'
