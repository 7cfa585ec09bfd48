#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_unit: limit the peers of a service, with fakes of systemctl and smc_conf. In a network and a mount namespace.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
BUILD=$(cd "${BUILD:-build}" && pwd)
LC_ALL=C
export LC_ALL
apart "${1-}" -mn

cp -a /etc /mnt/etc && rm -rf /mnt/etc/smc-tools && mkdir -p /mnt/etc/systemd/system && mount --bind /mnt/etc /etc || exit 1
tmp=/mnt/tmp
mkdir -p $tmp /mnt/opt /mnt/bin /mnt/units
cp "$BUILD/smc_unit" "$BUILD/ld_pre_smc.so" /mnt/opt
# Properties of units are files, those of instances in one.
cat >/mnt/bin/systemctl <<'END'
#!/bin/sh
for unit; do :; done
[ -e "/mnt/units/$unit" ] || { printf '%s\n' "Id=$unit" LoadState=not-found MainPID=0; exit; }
while IFS= read -r line; do echo "$line"; done <"/mnt/units/$unit"
END
# It is only started as 'smc_conf apply': the files of smc_unit's directory are the policy.
cat >/mnt/opt/smc_conf <<'END'
#!/bin/sh
echo applied >>/mnt/log
[ ! -e /mnt/broken ] || { echo 'smc_conf: cannot ask nftables'; exit 1; }
grep -hv '^#' /etc/smc-tools/smc.conf.d/*.conf >/mnt/policy
END
chmod 755 /mnt/bin/* /mnt/opt /mnt/opt/*
PATH=/mnt/bin:$PATH HOME=$tmp
unset XDG_CONFIG_HOME
conf=/etc/smc-tools/smc.conf.d/x.service.conf
dropin=/etc/systemd/system/x.service.d/zz-smc-tools.conf

# A process that listens on the address of each line.
coproc python3 -c '
import socket, sys
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("0.0.0.0", 9001))
kept = []
for line in sys.stdin:
    for sock in kept:
        sock.close()
    kept = []
    words = line.split()
    for address, port in zip(words[::2], words[1::2]):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.bind((address, int(port)))
        sock.listen()
        kept.append(sock)
    print("ready", flush=True)'
pid=$COPROC_PID
trap 'kill "$pid"' EXIT

# listens ADDRESS PORT...: addresses of x.service's listeners until the next call
listens() {
	echo "$*" >&"${COPROC[1]}"
	read -r _ <&"${COPROC[0]}" || diag "cannot listen on $*"
	printf '%s\n' Id=x.service LoadState=loaded ActiveState=active "MainPID=$pid" ControlGroup= Environment= >/mnt/units/x.service
}

# run ARG...: $out, $err, $rc; without the message that SMC is missing here
run() {
	local line
	capture /mnt/opt/smc_unit "$@"
	err=
	while IFS= read -r line; do
		[[ $line == *'x.service will use TCP: '* ]] || err+=${err:+$'\n'}$line
	done </mnt/tmp/err
}

disable() {
	capture /mnt/opt/smc_unit disable "$@"
}

# rules: the lines of the file after the first
rules() {
	local lines
	mapfile -s 1 lines <$conf
	printf '%s' "${lines[@]}"
}

printf '%s\n' Id=x.service LoadState=loaded ActiveState=inactive MainPID=0 Environment= >/mnt/units/x.service
run enable --preload x
is "$rc$err" 0 'enabled'

# ---- refusals ----
# refuse WORDS ARG...: 1, one line, and nothing is written
refuse() {
	words=$1
	shift
	run "$@"
	is "$rc|$out" '1|' "refused: smc_unit $*"
	like "$err" "^smc_unit peers: .*$words" "and it says why"
	[ ! -e /etc/smc-tools ]
	ok $? 'nothing is written'
}
refuse "'x' .*10.0.0.0/8" peers x 10.0.0.0/8,x
refuse 'expected a network such as' peers x ''
refuse "'10.0.0.0/8:0' is not" peers x 10.0.0.0/8:0
refuse 'no networks given' peers x
refuse "unexpected argument 'fd00::/8'" peers x 10.0.0.0/8 fd00::/8
refuse "unknown .*'--user'" peers --user x 10.0.0.0/8
refuse 'x.service is not running, .* ports, as in 10.0.0.0/8:6379' peers x 10.0.0.0/8
listens 0.0.0.0 6379 :: 80 127.0.0.1 81 0.0.0.0 82
rm -r "$dropin"
refuse "x.service is not enabled: .*'smc_unit enable'" peers x 10.0.0.0/8
run enable --preload --quiet x
touch /mnt/broken
run peers x 10.0.0.0/8
is "$rc|$out|$err" '1||smc_unit peers: cannot ask nftables' 'rules that cannot be applied: said'
[ ! -e $conf ]
ok $? 'no rules are left'
if [ -e /usr/bin/smc_conf ]; then
	skip 'without smc-tools-extra' 'it is installed'
else
	mv /mnt/opt/smc_conf /mnt/tmp
	rmdir ${conf%/*}
	run peers x 10.0.0.0/8
	like "$rc|$out|$err" '^1[|][|]smc_unit peers: cannot find smc_conf: .* smc-tools-extra$' 'without smc-tools-extra: said'
	[ ! -e ${conf%/*} ]
	ok $? 'nothing is changed'
	mv /mnt/tmp/smc_conf /mnt/opt
fi
rm /mnt/broken /mnt/log

# ---- written files ----
is "$(/mnt/opt/smc_unit peers x 10.0.0.0/8 2>&1 | sed 's/:.*//' | tr '\n' ' ')" 'x.service smc_unit peers ' 'warnings come after the results'
disable x
run enable --preload --quiet x
rm -f /mnt/log
run peers x 10.0.0.0/8,fd00::/8
line "$rc$out" "^0x.service: .*now limited .*$conf\$" 'it names the file'
line "$err" "^smc_unit peers: .* next boot: 'systemctl enable smc-conf' " \
	'one line if they are not applied at boot'
is "$(rules)" 'allow from 10.0.0.0/8:80
allow from [fd00::]/8:80
allow from 10.0.0.0/8:81
allow from [fd00::]/8:81
allow from 10.0.0.0/8:82
allow from [fd00::]/8:82
allow from 10.0.0.0/8:6379
allow from [fd00::]/8:6379' 'rules for each port'
like "$(sed -n 1p $conf)" '^# Written by smc_unit enable' 'a comment'
is "$(stat -c %a $conf)$(</mnt/log)" '644applied' 'they are applied'
printf '%s\n' Id=smc-conf.service UnitFileState=enabled >/mnt/units/smc-conf.service
inode=$(stat -c %i $conf)
run peers x '10.0.0.0/8,[fd00::]/8'
is "$rc$err$(stat -c %i $conf)" "0$inode" 'again: the same file'
is "$(</mnt/log)" 'applied
applied' 'and applied again, should it have been lost'
run enable --preload x
is "$rc$err$(stat -c %i $conf)" "0$inode" 'enabled again: they stay'
run peers x '10.0.0.0/8:6379,[fd00::]/8:80-90'
is "$rc$(rules)" '0allow from 10.0.0.0/8:6379
allow from [fd00::]/8:80-90' 'other networks, with ports of their own'
run peers x 'dst 10.0.0.0/8 and sport = 6379 or dst fd00::/8 and sport >= 80 and sport <= 90'
is "$rc$(rules)" '0allow from 10.0.0.0/8:6379
allow from [fd00::]/8:80-90' 'the same as a filter'
for word in 'dport 80' 'src 10.0.0.1' 'mode smcd'; do
	run peers x "dst 10.0.0.0/8 and $word"
	line "$rc$err" "^1smc_unit peers: .*'${word% *}'" "$word: refused, by its name"
done
touch /mnt/broken
run peers x 10.9.0.0/16
is "$rc$(rules)" '1allow from 10.0.0.0/8:6379
allow from [fd00::]/8:80-90' 'what cannot be applied leaves the rules as they were'
rm /mnt/broken
printf '%s\n' Id=foo@smc-tools.service LoadState=loaded MainPID=0 Environment= >/mnt/units/foo@smc-tools.service
{ printf '%s\n' MainPID=0 ControlGroup= '' "MainPID=$pid" ControlGroup=; } >'/mnt/units/foo@?*.service'
run enable --preload --quiet foo@
run peers foo@ 10.0.0.0/8
like "$rc$(cat '/etc/smc-tools/smc.conf.d/foo@.service.conf')" '^allow from 10.0.0.0/8:6379$' 'a template: ports of its instances'

# ---- removal ----
run peers x all
line "$rc$out$err" '^0x.service: .*no longer limited$' 'all: the limit is lifted'
[ ! -e $conf ] && [ -e $dropin ]
ok $? 'and the service is enabled'
run peers x all
is "$rc$out" '0x.service: its peers are not limited' 'again: nothing to do'
run peers x 10.0.0.0/8
disable x
is "$rc$out" '0x.service: disabled
Takes effect with: systemctl restart x.service' 'disable'
[ ! -e $conf ] && [ ! -e $dropin ] && [ -d /etc/smc-tools/smc.conf.d ]
ok $? 'the rules are gone, their directory is not'
is "$(grep -c '^exclusive policy$' /mnt/policy)" 1 'and without them the other files say all of the policy'
disable x
is "$rc$out" '0x.service: is not enabled' 'again: nothing to do'
# limit: x is enabled for 10.0.0.0/8
limit() {
	run enable --preload --quiet x
	run peers x 10.0.0.0/8
}
limit
echo 'deny port 22' >/etc/smc-tools/smc.conf.d/mine.service.conf
disable --all
is "$rc$err$(ls /etc/smc-tools/smc.conf.d)" 0mine.service.conf 'disable --all: all of ours, and nobody else'"'"'s'
limit
touch /mnt/broken
disable x
is "$rc$err" '1smc_unit disable: cannot ask nftables' 'disable: what is still in force is said'
[ ! -e $conf ] && [ ! -e $dropin ]
ok $? 'and gone at the next boot'
echo 'deny port 22' >$conf
limit
line "$rc$err$(<$conf)" "^1smc_unit peers: '$conf' .*not written by smc_unit: .*deny port 22\$" 'a foreign file is kept'

# ---- smc_conf reads the directory, with and without smc.conf ----
[ -x "$BUILD/smc_conf" ] || { plan_done; exit; } # not in core
rm -f /etc/smc-tools/smc.conf.d/*
printf 'netns x\n' >/etc/smc-tools/smc.conf.d/1.conf
printf 'eid A\nallow from x\n' >/etc/smc-tools/smc.conf.d/2.conf
echo nonsense >/etc/smc-tools/smc.conf.d/3.conf.bak
for with in 'without smc.conf' 'with smc.conf'; do
	capture "$BUILD/smc_conf" diff
	refused 1 'smc_conf: /etc/smc-tools/smc.conf.d/2.conf:2: x: expected networks|smc.conf.d/2.conf:2: x: expected a network' \
		"its files are read, each outside of all sections, $with"
	echo 'eid B' >/etc/smc-tools/smc.conf
done
echo 'eid' >/etc/smc-tools/smc.conf
capture "$BUILD/smc_conf" diff
refused 1 'smc_conf: /etc/smc-tools/smc.conf:1: end of line' 'smc.conf first'
ln -sf /no/such/file /etc/smc-tools/smc.conf
capture "$BUILD/smc_conf" diff
refused 1 'smc_conf: cannot open /etc/smc-tools/smc.conf: No such file' 'smc.conf is a link that leads nowhere: that is said'
rm /etc/smc-tools/smc.conf
chmod 777 /etc/smc-tools/smc.conf.d
echo 'eid B' >/etc/smc-tools/smc.conf
capture "$BUILD/smc_conf" apply
refused 1 '/etc/smc-tools/smc.conf.d/1.conf as root: other users .* /etc/smc-tools/smc.conf.d$' \
	'a directory that others may change'
plan_done
