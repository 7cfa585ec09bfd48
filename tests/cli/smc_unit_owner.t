#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_unit enable for system services: only with files that root alone can change. In a mount namespace.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
BUILD=$(cd "${BUILD:-build}" && pwd)
LC_ALL=C
export LC_ALL
apart "${1-}" -m

if [ ! -d /etc/systemd/system ]; then
	cp -a /etc /mnt/all && mkdir -p /mnt/all/systemd/system && mount --bind /mnt/all /etc || exit 1
fi
tmp=/mnt/tmp
mkdir -p /mnt/etc $tmp /mnt/opt/smc /mnt/opt/good /mnt/bin
mount --bind /mnt/etc /etc/systemd/system || exit 1
cat >/mnt/bin/systemctl <<'END'
#!/bin/sh
for unit; do :; done
printf '%s\n' "Id=$unit" LoadState=loaded ActiveState=inactive MainPID=0 Environment=
END
printf '#!/bin/sh\ntouch /mnt/asked\n' >/mnt/bin/smc_bpf
chmod 755 /mnt/bin/*
PATH=/mnt/bin:$PATH
file=/mnt/etc/x.service.d/zz-smc-tools.conf

# fresh: smc_unit, its library and a fake smc_bpf, correctly installed
fresh() {
	rm -rf /mnt/etc/x.service.d /mnt/opt /mnt/asked
	mkdir -p /mnt/opt/smc /mnt/opt/good
	cp "$BUILD/smc_unit" "$BUILD/ld_pre_smc.so" /mnt/bin/smc_bpf /mnt/opt/smc
	chmod 755 /mnt/opt /mnt/opt/* /mnt/opt/smc/*
}

# refuses CULPRIT FILE OPTION...: one message that names both, nothing is written or run
refuses() {
	culprit=$1 used=$2
	shift 2
	capture /mnt/opt/smc/smc_unit enable "$@" --quiet x
	refused 1 "^smc_unit enable: x.service .*'$used', but other users .* '$culprit': .*only root" "refused: $* $culprit"
	[ ! -e $file ] && [ ! -e /mnt/asked ]
	ok $? "and nothing is done"
}

# enables WHAT OPTION...: writes the drop-in
enables() {
	what=$1
	shift
	capture /mnt/opt/smc/smc_unit enable "$@" --quiet x
	is "$rc$err" 0 "allowed: $what"
	[ -f $file ]
	ok $? "and it is written"
}

library=/mnt/opt/smc/ld_pre_smc.so
fresh
enables 'only root may write'
fresh
chmod 664 $library
refuses $library $library --preload
chmod 646 $library
refuses $library $library --preload
fresh
chown 65534 $library
refuses $library $library --preload
for mode in 775 757 1777; do
	fresh
	chmod $mode /mnt/opt
	refuses /mnt/opt $library --preload
	refuses /mnt/opt /mnt/opt/smc/smc_bpf --bpf
done
fresh
chown 65534 /mnt/opt/smc
refuses /mnt/opt/smc $library --preload
refuses /mnt/opt/smc /mnt/opt/smc/smc_bpf --bpf
fresh
chmod 775 /mnt/opt/smc/smc_bpf
refuses /mnt/opt/smc/smc_bpf /mnt/opt/smc/smc_bpf --bpf
fresh
enables 'a fake smc_bpf of root' --bpf

# The recorded host has a security module that denies SMC to the unit: enabling it by eBPF would break it.
fresh
mkdir -p /mnt/record/probes
printf '1\nSELinux denies rawip_socket to redis_t' >/mnt/record/probes/confined-x_service
capture env SMC_TOOLS_ROOT=/mnt/record /mnt/opt/smc/smc_unit enable --bpf --quiet x
is "$rc$out" 1 'eBPF, and SELinux denies the sockets'
like "$err" '^smc_unit enable: x.service: .*redis_t: see docs/confinement.md$' 'it says that'
[ ! -e $file ] && [ ! -e /mnt/asked ]
ok $? 'and nothing is done'

# Links: both their targets and their directories count.
fresh
mv $library /mnt/opt/good/real.so
ln -s ../good/./real.so $library
enables 'a link to a good place'
rm -r /mnt/etc/x.service.d
chmod 777 /mnt/opt/good
refuses /mnt/opt/good $library --preload
chmod 755 /mnt/opt/good
mkdir -m 777 /mnt/opt/bad
ln -s /mnt/opt/good/real.so /mnt/opt/bad/link.so
ln -sf /mnt/opt/bad/link.so $library
refuses /mnt/opt/bad $library --preload
ln -sf $library $library
capture /mnt/opt/smc/smc_unit enable --preload --quiet x
is "$rc$out" 1 'a link to itself'

# A user's manager may load files of the user.
fresh
chmod 777 /mnt/opt
capture env HOME=/mnt/tmp XDG_CONFIG_HOME= /mnt/opt/smc/smc_unit enable --user --quiet x
is "$rc$err" 0 'a service of a user'
plan_done
