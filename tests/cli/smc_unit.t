#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_unit with a fake systemctl: written files, and refusals.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
smc_unit=$BUILD/smc_unit
unset LD_PRELOAD SMC_DEBUG SMC_STRICT SMC_SNDBUF SMC_RCVBUF SMC_SOCK_FAMILY SMC_INCLUDE SMC_EXCLUDE
mkdir "$tmp/bin" "$tmp/home"
# smc_unit and the library are tested in the build directory, and as copies where users can read them.
lib=$(cd "$BUILD" && pwd)/ld_pre_smc.so

# A fake systemctl. Each unit is a file of properties; "show" prints the file that its last argument names, or
# not-found.
cat >"$tmp/bin/systemctl" <<'END'
#!/bin/sh
for unit; do :; done
echo "$*" >>"$FAKE/log"
case " $* " in
*" daemon-reload "*) [ ! -e "$FAKE/noreload" ] || { echo "Failed to reload: no."; exit 1; } ;;
*" --property=Version "*) echo Version=252 ;;
*) [ ! -e "$FAKE/dead" ] || { echo "Failed to connect to bus: No such file or directory"; exit 1; }
	[ -e "$FAKE/units/$unit" ] || { printf 'Id=%s\nLoadState=not-found\nActiveState=inactive\n' "$unit"; exit; }
	while IFS= read -r line; do printf '%s\n' "$line"; done <"$FAKE/units/$unit" ;;
esac
END
chmod +x "$tmp/bin/systemctl"
FAKE=$tmp PATH=$tmp/bin:$PATH HOME=$tmp/home
export FAKE PATH HOME
unset XDG_CONFIG_HOME
mkdir "$tmp/units"
base=$tmp/home/.config/systemd/user

# unit NAME [PROPERTY]...: systemd knows this unit
unit() {
	name=$1
	shift
	printf '%s\n' "Id=$name" LoadState=loaded ActiveState=inactive MainPID=0 "$@" >"$tmp/units/$name"
}

# run COMMAND ARG...: run smc_unit with --user, which needs no rights; sets $out, $err, $rc
run() {
	command=$1
	shift
	capture "$smc_unit" "$command" --user "$@"
}

# refuse WORDS COMMAND ARG...: 1, one line on stderr with the words, nothing on stdout
refuse() {
	words=$1
	shift
	run "$@"
	refused 1 "^smc_unit $1: .*$words" "refused: smc_unit $*"
}

# wrote NAME: the lines of its drop-in after the first two
wrote() {
	local lines
	mapfile -s 2 lines <"$base/$1.d/zz-smc-tools.conf"
	printf '%s' "${lines[@]}"
}

# ---- command line ----
for unit_name in a/b '' @x .service ../x 'a b' 'x*' "$(printf '%0300d' 0)"; do
	refuse 'is not the name of a unit' enable "$unit_name"
done
refuse "'x.socket' is not a service" enable x.socket
refuse "'x.target' is not a service" status x.target
refuse 'no unit given' enable
refuse 'no unit given' disable
refuse "unknown .*'--all'" enable a --all
refuse "all and unit 'a' exclude" disable a --all
refuse "unexpected argument 'b'" status a b
refuse "'--bpf' and '--preload' exclude" enable --bpf --preload a
refuse "unknown .*'--raise-limits'" enable a --raise-limits
refuse "unknown .*'--seccomp'" enable a --seccomp
refuse "unknown .*'--strict'" disable a --strict
refuse "unknown option '-j'" enable a -j
refuse "no unit 'nginx.service'" enable nginx
refuse "no unit 'nginx.service'" status nginx
refuse "family: 'tcp' .*smc, inet or auto" enable a -f tcp

# ---- written files ----
unit plain.service Environment= 'ExecStart={ path=/bin/sleep ; argv[]=/bin/sleep 9 ; }'
run enable --quiet plain
is "$rc$err" 0 'a plain service'
like "$out" "^plain.service: enabled by preload, $base/plain.service.d/zz-smc-tools.conf\$" 'it names the file'
like "$out" '^Takes effect with: systemctl --user restart plain.service$' 'it names the command to restart'
is "$(wrote plain.service)" "Environment=\"LD_PRELOAD=$lib\"" 'the library alone'
is "$(sed -n 2p "$base/plain.service.d/zz-smc-tools.conf")" '[Service]' 'its section'
is "$(stat -c %a "$base/plain.service.d/zz-smc-tools.conf")" 644 'its mode'
like "$(<"$tmp/log")" '^--user --no-pager daemon-reload$' 'systemd reads it'
is "$(ls -A "$base/plain.service.d")" zz-smc-tools.conf 'nothing else is there'
inode=$(stat -c %i "$base/plain.service.d/zz-smc-tools.conf")
run enable --quiet plain.service
like "$rc$out" '^0plain.service: already enabled' 'again: nothing to do'
is "$(stat -c %i "$base/plain.service.d/zz-smc-tools.conf")" "$inode" 'again: the same file'
SMC_DEBUG=1 SMC_RCVBUF=7 run enable --quiet -r 1M -t 64K -f inet plain --strict -d
is "$(wrote plain.service | sed 1d | sort)" 'Environment="SMC_DEBUG=1"
Environment="SMC_RCVBUF=1048576"
Environment="SMC_SNDBUF=65536"
Environment="SMC_SOCK_FAMILY=inet"
Environment="SMC_STRICT=1"' 'options, before and after the unit'
run enable --quiet --profile bulk plain
is "$(wrote plain.service | sed 1d)" 'Environment="SMC_RCVBUF=1048576"
Environment="SMC_SNDBUF=1048576"' '--profile'
run enable --quiet --profile latency plain
spin=
[ ! -e "${lib%.so}_spin.so" ] || spin=:${lib%.so}_spin.so # not in core
spun="Environment=\"LD_PRELOAD=$lib$spin\"
Environment=\"SMC_SPIN=max:200\""
is "$(wrote plain.service)" "$spun" '--profile latency: two libraries'
unit plain.service "Environment=LD_PRELOAD=$lib:${lib%.so}_spin.so"
run enable --quiet --spin plain
is "$(wrote plain.service)" "$spun" '--spin: the same'
refuse "'--spin' and '--bpf' exclude" enable a --spin --bpf
run enable --quiet --profile bulk -r 2M plain
like "$(wrote plain.service | tr '\n' ' ')" 'SMC_RCVBUF=2097152.*SMC_SNDBUF=1048576' 'an option after --profile overrides it'
printf '# mine\n\nsndbuf 128K\n' >"$tmp/mine"
run enable --quiet --profile "$tmp/mine" plain
like "$(wrote plain.service)" 'SMC_SNDBUF=131072' "--profile: the user's own file"
for line in 'json' 'rcvbuf' 'rcvbuf 1M 2M' 'strict yes' 'profile bulk' 'rcvbuf x' 'r 1M'; do
	echo "$line" >"$tmp/mine"
	refuse '--profile: |--rcvbuf: ' enable --profile "$tmp/mine" plain
done

# ---- units of programs ----
unit redis-server.service
run enable --quiet redis
like "$out" '^redis-server.service: enabled' 'enable redis: the unit of this distribution'
run status redis
like "$rc$out" '^redis-server.service' 'status redis, too'
run disable redis
like "$out" '^redis-server.service: disabled' 'disable redis, too'
unit redis.service
run enable --quiet redis.service
like "$out" '^redis.service: enabled' 'a full name is that unit'
run disable redis.service
run enable --quiet redis-server
like "$out" '^redis-server.service: enabled' 'a unit that is no profile'
run disable redis-server
rm "$tmp/units/redis-server.service" "$tmp/units/redis.service"
refuse "no unit 'redis.service'" enable redis
for name in postgresql@smc-tools postgresql@15-main; do
	unit $name.service 'ExecStart={ path=/usr/bin/pg_ctlcluster ; argv[]=/usr/bin/pg_ctlcluster 15-main start ; }'
done
unit postgresql.service
refuse 'eBPF needs root' enable postgresql
refuse 'environment.*eBPF needs root' enable postgresql@15-main
run enable --quiet --preload postgresql@15-main
like "$rc$out" '^0postgresql@15-main.service: enabled by preload' 'enable --preload: for who has the library in the file that the script reads'
run disable postgresql@15-main
rm "$tmp/units/postgresql@smc-tools.service"
run enable --quiet postgresql
like "$out" '^postgresql.service: enabled by preload' 'enable postgresql: elsewhere it has the plain name'
run disable postgresql
rm "$tmp/units/postgresql.service"
SMC_DEBUG=1 SMC_STRICT=1 SMC_RCVBUF=7 run enable --quiet plain
is "$(wrote plain.service)" "Environment=\"LD_PRELOAD=$lib\"" 'the shell'"'"'s own variables are not written'

# As printed by systemd 252, and by 254.
# shellcheck disable=SC2016 # $LIB is meant
for value in '"LD_PRELOAD=/a b/\"x\\\\.so:/usr/$LIB/50%.so"' "\$'LD_PRELOAD=/a b/\"x\\\\\\\\.so:/usr/\$LIB/50%.so'"; do
	unit plain.service "Environment=A=1 $value B=2"
	run enable --quiet plain
	is "$(wrote plain.service)" "Environment=\"LD_PRELOAD=/a:b/\\\"x\\\\\\\\.so:/usr/\$LIB/50%%.so:$lib\"" \
		'LD_PRELOAD of the unit: taken apart, extended, quoted'
done
unit plain.service "Environment=LD_PRELOAD=/old/ld_pre_smc.so:/x.so:libsmc-preload.so"
run enable --quiet plain
is "$(wrote plain.service)" "Environment=\"LD_PRELOAD=/x.so:$lib\"" 'an older library of ours is replaced'
long=$(printf '/%04000d' 0)
unit plain.service "Environment=LD_PRELOAD=$long LD_PRELOAD=$long LD_PRELOAD=$long LD_PRELOAD=/y.so"
run enable --quiet plain
is "$rc$(wrote plain.service)" "0Environment=\"LD_PRELOAD=/y.so:$lib\"" 'LD_PRELOAD more than once: the last one counts'
unit plain.service "Environment=LD_PRELOAD=/y.so LD_PRELOAD=$(printf '/%02100d.so:/%02100d.so' 1 2)"
refuse 'LD_PRELOAD is too long' enable --preload plain
unit plain.service 'RestrictAddressFamilies=AF_INET AF_SMC AF_UNIX'
run enable --quiet plain
is "$(wrote plain.service | tail -n 1)" 'RestrictAddressFamilies=AF_INET AF_UNIX AF_SMC' 'families: all, and AF_SMC once'
unit plain.service 'RestrictAddressFamilies=~AF_PACKET'
run enable --quiet plain
is "$(wrote plain.service)" "Environment=\"LD_PRELOAD=$lib\"" 'forbidden families: none is added'

unit foo@smc-tools.service
run enable --quiet foo@
like "$rc$out" '^Takes effect with: .* restart foo@INSTANCE.service$' 'a template'
[ -f "$base/foo@.service.d/zz-smc-tools.conf" ]
ok $? 'its drop-in is the template'"'"'s'
run disable --quiet foo@
run enable --quiet foo@smc-tools
is "$(cd "$base" && echo foo@*)" foo@smc-tools.service.d 'an instance with the name of the dummy is no template'
run status foo@smc-tools
like "$out" '^foo@smc-tools.service .* inactive' 'nor in its status'
run disable --quiet foo@smc-tools
run enable --quiet foo@
unit 'a\x2db@smc-tools.service'
run enable --quiet 'a\x2db@'
is "$rc$err" 0 'a name with a backslash, as systemd-escape makes them'
run disable --quiet 'a\x2db@'
unit alias.service
sed -i 's/^Id=.*/Id=real.service/' "$tmp/units/alias.service"
run enable --quiet alias
[ -f "$base/real.service.d/zz-smc-tools.conf" ]
ok $? 'an alias leads to the unit'

# ---- directories with characters of patterns ----
XDG_CONFIG_HOME=$tmp/"x[$(printf '%0100d' 0)]*?"
export XDG_CONFIG_HOME
other=$tmp/x0ab/systemd/user/plain.service.d
mkdir -p "$XDG_CONFIG_HOME" "$other"
unit plain.service
run enable --quiet plain
echo "DropInPaths=$(printf '%s' "$XDG_CONFIG_HOME"/systemd/user/plain.service.d/*)" >>"$tmp/units/plain.service"
run status
like "$rc$err${out//$'\n'/ }" '^0.* plain.service .* preload' 'a service below a directory with *, ? and [ ] is found'
cp "$XDG_CONFIG_HOME/systemd/user/plain.service.d/zz-smc-tools.conf" "$other"
run disable --all
like "$rc$out" '^0plain.service: disabled' 'and disabled'
is "$(find "$tmp"/x* -type f)" "$other/zz-smc-tools.conf" 'and no other'
unset XDG_CONFIG_HOME

# ---- several at once ----
unit one.service
unit two.service
run enable --quiet one two --strict
is "$rc$err$(wrote one.service | tail -n 1)$(wrote two.service | tail -n 1)" \
	'0Environment="SMC_STRICT=1"Environment="SMC_STRICT=1"' 'two units, and an option after them'
run disable --quiet one gone two
is "$rc$(echo "$out" | grep -c ': disabled$')$(echo "$out" | grep -c '^gone.service: is not enabled$')" 021 'all that are named are disabled'
run enable --quiet one none two
is "$rc$err" "1smc_unit enable: no unit 'none.service'" 'one that is not there: said'
[ -f "$base/two.service.d/zz-smc-tools.conf" ]
ok $? 'one that is not there: the others are done'

# ---- messages ----
unit sock.service TriggeredBy='sock.timer other.socket'
run enable sock
like "$err" '^smc_unit enable: connections to other.socket stay TCP' 'a socket unit'
unlike "$err" 'timer' 'a timer is none'
printf 'Accept=yes\n' >"$tmp/units/foo.socket"
run enable foo@
like "$err" '^smc_unit enable: connections to foo.socket stay TCP' 'a socket unit that accepts'
touch "$tmp/noreload"
run enable sock -d
like "$err" "daemon-reload failed: Failed to reload: no.; .*'systemctl --user daemon-reload'" 'no reload: said'
is "$rc" 0 'no reload: the file is still written'
rm "$tmp/noreload"
[ "$(uname -m)" != x86_64 ] || if [ ! -e "/proc/sys/net/smc" ]; then
	like "$err" 'sock.service will use TCP' 'a kernel without SMC'
else
	skip 'a kernel without SMC' 'this one has it'
fi

limit=$(cat /proc/sys/net/core/rmem_max 2>/dev/null || echo 2147483647)
if [ "$limit" -lt 1073741824 ]; then
	run enable sock -r 1024M
	like "$rc$err" "^0?smc_unit enable: .*receive buffer of 1073741824 bytes .* net.core.rmem_max, and sock.service .* root: .* $limit \\(see sysctl.d\\(5\\)\\)\$" \
		'a buffer above the limit, which the service may not exceed'
	run enable --quiet sock -r 1024M
	is "$rc$err" 0 'a buffer above the limit: --quiet'
else
	skip 'a buffer above the limit' 'no such limit here'
fi

# ---- refusals ----
unit bad.service RootDirectory=/srv/root
refuse "bad.service runs in '/srv/root'" enable bad
unit bad.service RootImage=/srv/image
refuse "bad.service runs in '/srv/image'" enable bad
unit bad.service UnsetEnvironment='X LD_PRELOAD'
refuse 'UnsetEnvironment=LD_PRELOAD' enable bad
unit bad.service RestrictAddressFamilies='~AF_PACKET AF_SMC'
refuse 'RestrictAddressFamilies=~AF_SMC' enable bad
unit bad.service "InaccessiblePaths=/nowhere -${lib%/*}"
refuse "its InaccessiblePaths= forbids '$lib'" enable bad
unit bad.service NoExecPaths=/ ExecPaths=/usr
refuse "its NoExecPaths= forbids '$lib'" enable bad
unit good.service NoExecPaths=/ "ExecPaths=/usr ${lib%/*}"
run enable --quiet good
is "$rc" 0 'ExecPaths= allows it'
static=${lib%/*}/tests/programs/sockets-static
unit bad.service "ExecStart={ path=$static ; argv[]=static ; }"
refuse "'$static': the program is static, .*; no eBPF either: eBPF needs root" enable bad
refuse "'$static': the program is static, [^;]*\$" enable --preload bad
refuse 'eBPF needs root: .*system units' enable --bpf bad
# ld.so ignores LD_PRELOAD if a program gains rights over the service's user.
cp /bin/true "$tmp/setuid"
chmod 4755 "$tmp/setuid"
for user in User=nobody DynamicUser=yes; do
	unit bad.service "ExecStart={ path=$tmp/setuid ; argv[]=setuid ; }" "$user"
	refuse "'$tmp/setuid': set-uid, .*preloaded\$" enable --preload bad
done
unit bad.service "ExecStart={ path=$tmp/setuid ; argv[]=setuid ; }" User=nobody NoNewPrivileges=yes
run enable --quiet bad
is "$rc$err" 0 'NoNewPrivileges= takes the rights away'
run disable --quiet bad
printf '#!/usr/bin/env -S -i /bin/sleep\n' >"$tmp/env-i"
chmod 755 "$tmp/env-i"
unit bad.service "ExecStart={ path=$tmp/env-i ; argv[]=env-i ; }"
refuse "'.*': .*'env -i', .*LD_PRELOAD\$" enable --preload bad
unit bad.service
sed -i s/loaded/masked/ "$tmp/units/bad.service"
refuse 'masked' enable bad
is "$(find "$base" -name 'bad*')" '' 'nothing was written'

# ---- foreign files, other people's directories ----
unit foreign.service
mkdir -p "$base/foreign.service.d"
echo '[Service]' >"$base/foreign.service.d/zz-smc-tools.conf"
refuse 'not written by smc_unit: left unchanged' enable foreign
refuse 'not written by smc_unit: left unchanged' disable foreign
is "$(<"$base/foreign.service.d/zz-smc-tools.conf")" '[Service]' 'a foreign file is kept'
rm "$base/foreign.service.d/zz-smc-tools.conf"
cp "$base/plain.service.d/zz-smc-tools.conf" "$tmp/target"
ln -s "$tmp/target" "$base/foreign.service.d/zz-smc-tools.conf"
refuse 'not written by smc_unit: left unchanged' enable foreign
refuse 'not written by smc_unit: left unchanged' disable foreign
[ -L "$base/foreign.service.d/zz-smc-tools.conf" ]
ok $? 'a symbolic link is not followed'
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 test -x "$smc_unit" 2>/dev/null; then
	mkdir "$tmp/config"
	chmod 755 "$tmp" "$tmp/config"
	chmod 666 "$tmp/log"
	XDG_CONFIG_HOME=$tmp/config setpriv --reuid 65534 --clear-groups "$smc_unit" enable --user plain \
		>"$tmp/out" 2>"$tmp/err"
	is "$?$(cat "$tmp/out" "$tmp/err")" \
		"1smc_unit enable: cannot create directory '$tmp/config/systemd': Permission denied: try with sudo" 'without rights'
else
	skip 'without rights' 'needs root, and a build directory that everybody may read'
fi

# ---- disable, status ----
touch "$base/plain.service.d/other.conf"
run disable plain
like "$rc$out" '^0plain.service: disabled$' 'disable'
is "$(ls -A "$base/plain.service.d")" other.conf 'what others have there stays'
run disable real
[ ! -e "$base/real.service.d" ]
ok $? 'an empty directory goes'
run disable real
is "$rc$out" '0real.service: is not enabled' 'nothing to disable'
run disable gone
is "$rc$out" '0gone.service: is not enabled' 'a unit that is not there'
run enable --quiet sock
rm "$tmp/units/sock.service"
run disable sock
like "$rc$out" '^0sock.service: disabled' 'a unit that has been removed meanwhile'
mkdir -p "$base/foreign.service.d"
echo '[Service]' >"$base/foreign.service.d/zz-smc-tools.conf"
touch "$tmp/dead"
run disable --quiet --all
rm "$tmp/dead"
line "$rc$err" "^1smc_unit disable: '$base/foreign.service.d/zz-smc-tools.conf' .*not written by smc_unit" \
	'disable --all: what is not ours is said and stays'
is "$(find "$base" -name zz-smc-tools.conf)" "$base/foreign.service.d/zz-smc-tools.conf" \
	'disable --all: nothing else is left, without systemd, too'
rm -r "$base/foreign.service.d"
run disable --all
line "$rc$out$err" '^0no service ' 'disable --all: nothing to do'
rm -rf "$base"
run status
is "$rc$err$(echo "$out" | tr -s ' ')" '0Unit Way State SMC PID' 'nothing enabled: a header'
run status -j
is "$rc$out" '0{"schema":"smc-tools/services/1","services":[]}' 'nothing enabled: JSON'
unit plain.service
run enable --quiet plain
unit 'plain.service' "DropInPaths=/etc/x.conf $base/plain.service.d/zz-smc-tools.conf" "MainPID=$$" ActiveState=active
sed -i '/^MainPID=0/d; /^ActiveState=inactive/d' "$tmp/units/plain.service"
run status
is "$(echo "$out" | tail -n 1 | tr -s ' ')" "plain.service preload active restart needed $$" 'status: a row'
# own NAME PROPERTY: status of a unit whose own file sets the property
own() {
	unit "$@"
	sed -i "s/^MainPID=0/MainPID=$$/" "$tmp/units/$1"
	run status "$1"
	echo "$out" | tail -n 1 | tr -s ' '
}
is "$(own own.service 'ExecStart={ path=/usr/bin/smc_run ; argv[]=smc_run -r 1M redis-server ; }')" \
	"own.service own inactive n/a $$" 'status: a unit that starts smc_run'
is "$(own own.service 'Environment=A=1 LD_PRELOAD=/x.so:libsmc-preload.so')" "own.service own inactive n/a $$" \
	'status: a unit that preloads the library'
is "$(own own.service 'ExecStart={ path=/usr/bin/not_smc_run ; argv[]=x ; }' 'Environment=LD_PRELOAD=/x.so')" \
	"own.service none inactive - $$" 'status: one that does neither'
{ cat "$tmp/units/plain.service"; echo; cat "$tmp/units/own.service"; echo; } >"$tmp/units/*.service"
printf '%s\n' Id=own2.service LoadState=loaded ActiveState=active MainPID=0 'ExecStart={ path=/bin/smc_run ; }' >>"$tmp/units/*.service"
run status
is "$(echo "$out" | sed 1d | tr -s ' ')" "plain.service preload active restart needed $$
own2.service own active - -" 'status: the list has those, too, and each once'
rm "$tmp/units/*.service"
run status plain -j
is "$out" "{\"schema\":\"smc-tools/services/1\",\"services\":[{\"enabled\":true,\"unit\":\"plain.service\",\"state\":\"active\",\"way\":\"preload\",\"drop_in\":\"$base/plain.service.d/zz-smc-tools.conf\",\"pid\":$$,\"smc\":\"restart\"}]}" \
	'status UNIT -j'
# A process with the library, to which its unit or a security module denies SMC.
LD_PRELOAD=$lib sleep 1000 &
sleeper=$!
until grep -q ld_pre_smc "/proc/$sleeper/maps"; do sleep 0.05; done
mkdir -p "$tmp/record/probes"
printf '1\nSELinux denies smc_socket to redis_t' >"$tmp/record/probes/confined-plain_service"
sed -i "s/^MainPID=.*/MainPID=$sleeper/" "$tmp/units/plain.service"
run status plain
is "$(echo "$out" | tail -n 1 | tr -s ' ')" "plain.service preload active in use $sleeper" 'status: nobody denies SMC'
use=denied
! python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM, 256)' 2>/dev/null || use="in use"
for list in '~AF_SMC AF_PACKET' 'AF_INET AF_INET6'; do
	echo "RestrictAddressFamilies=$list" >>"$tmp/units/plain.service"
	run status plain
	is "$(echo "$out" | sed -n 2p | tr -s ' ')" "plain.service preload active $use $sleeper" "status: families $list, denied without IPPROTO_SMC"
	sed -i '$d' "$tmp/units/plain.service"
done
SMC_TOOLS_ROOT=$tmp/record run status plain
is "$(echo "$out" | sed -n 2p | tr -s ' ')" "plain.service preload active denied $sleeper" 'status: SELinux denies it'
is "$(echo "$out" | sed 1,2d)" 'plain.service: SELinux denies smc_socket to redis_t: see docs/confinement.md' 'with the reason'
SMC_TOOLS_ROOT=$tmp/record run status plain -j
is "$(jq -c '.services[0] | [.smc, .why]' <<<"$out")" '["denied","SELinux denies smc_socket to redis_t"]' 'in JSON, too'
sed -i 's/^Environment=.*/ExecStartPre=smc_bpf/' "$base/plain.service.d/zz-smc-tools.conf"
SMC_TOOLS_ROOT=$tmp/record run status plain
is "$(echo "$out" | sed -n 2p | tr -s ' ')" "plain.service ebpf active denied $sleeper" 'status: eBPF'
kill $sleeper
sed -i "s/^MainPID=.*/MainPID=$$/" "$tmp/units/plain.service"
"$smc_unit" status --user >/dev/full 2>"$tmp/err"
line "$?$(<"$tmp/err")" '^1smc_unit status: .*standard output: No space left on device$' 'a full device'

# ---- callers with odd habits ----
rm -rf "$base"
mkdir -p "$base/plain.service.d"
touch "$base/plain.service.d/zz-smc-tools.conf.1"
if unshare -pf true 2>/dev/null; then
	unshare -pf "$smc_unit" enable --user --quiet plain >"$tmp/out" 2>"$tmp/err"
	is "$?$(<"$tmp/err")" 0 'what another one of the same process id left behind is in nobody'"'"'s way'
else
	skip 'what another one of the same process id left behind' 'needs a PID namespace'
fi
rm -rf "$base"
env --ignore-signal=CHLD "$smc_unit" enable --user --quiet plain >"$tmp/out" 2>"$tmp/err"
is "$?$(<"$tmp/err")" 0 'SIGCHLD is ignored'
rm -rf "$base"
"$smc_unit" enable --user --quiet plain 2>"$tmp/err" >&-
line "$?$(<"$tmp/err")" '^1smc_unit enable: .*standard output: Input/output error$' 'stdout is closed'
[ -f "$base/plain.service.d/zz-smc-tools.conf" ]
ok $? 'stdout is closed: systemctl had one'
if [ "$(id -u)" -eq 0 ]; then
	cp "$smc_unit" "$tmp/bin"
	printf '#!/bin/sh\necho "Scope State"\n' >"$tmp/bin/smc_bpf"
	chmod +x "$tmp/bin/smc_bpf"
	sed -i 's/^Environment=.*/ExecStartPre=smc_bpf/' "$base/plain.service.d/zz-smc-tools.conf"
	env --ignore-signal=CHLD "$tmp/bin/smc_unit" status --user plain >"$tmp/out" 2>&1
	like "$(tr -s ' ' <"$tmp/out")" '^plain.service ebpf active in use' 'SIGCHLD is ignored: what smc_bpf says counts'
else
	skip 'SIGCHLD is ignored: what smc_bpf says counts' 'needs root'
fi
mkdir "$tmp/core" && cp "$smc_unit" "$lib" "$tmp/core"
if [ -e /usr/bin/smc_bpf ]; then
	skip 'enable --bpf without smc-tools-extra' 'it is installed'
else
	capture "$tmp/core/smc_unit" enable --bpf plain
	refused 1 '^smc_unit enable: cannot find smc_bpf: .* smc-tools-extra$' 'enable --bpf without smc-tools-extra'
fi
touch "$tmp/dead"
refuse 'systemctl show failed: Failed to connect to bus' enable plain
refuse 'systemctl show failed: Failed to connect to bus' status
rm "$tmp/bin/systemctl"
err=$(PATH=$tmp/bin "$smc_unit" enable --user plain 2>&1)
line "$?$err" '^1smc_unit enable: no systemctl here' 'without systemd'
plan_done
