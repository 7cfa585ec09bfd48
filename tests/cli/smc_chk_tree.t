#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk doctor and -s over sysfs trees of other machines: devices of IBM Z, cards, addresses.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
chk=$BUILD/smc_chk

# host NAME TREE: a recorded host with SMC, without netlink answers.
host() {
	root=$tmp/$1
	"tests/sysfs/$2" "$root/sys"
	mkdir -p "$root/probes"
	printf '0\n' >"$root/probes/socket-af_smc"
	printf '0\n6.12.95-amd64' >"$root/probes/uname-release"
}

# run ARG...: output of smc_chk is in $out and $err, its status in $rc.
run() {
	capture env SMC_TOOLS_ROOT="$root" "$chk" "$@"
	out=$(tr -s ' ' <"$tmp/out")
}

# finds LINE NAME: the doctor prints a line that equals, or begins with, this.
finds() {
	if printf '%s\n' "$out" | grep -q "^$1"; then
		ok 0 "$2"
	else
		ok 1 "$2"
		printf '%s\n' "$out" | while IFS= read -r line; do diag "$line"; done
	fi
}

# edit COMMAND: change the tree
edit() { (cd "$root/sys" && eval "$1"); }

host s390 s390
run doctor
is "$err" '' 'IBM Z: nothing on stderr'
finds 'ok ism 0000:00:00.0 ISM device, PNET ID NET1' 'an ISM device and its PNET ID'
mkdir -p "$root/sys/kernel/tracing/events/smc"
# events ENABLED RELEASE: a host whose trace events of SMC are enabled, or not
events() {
	echo "$1" >"$root/sys/kernel/tracing/events/smc/enable"
	printf '0\n%s' "$2" >"$root/probes/uname-release"
	capture env SMC_TOOLS_ROOT="$root" "$chk" doctor
	unlike "$out" 'trace events' "trace events: $1, Linux $2: no finding"
}
events 0 6.12.1
events 1 5.15.1
events X 7.1.0
events X 6.12.95
printf '0\n6.12.0-55.el10' >"$root/probes/uname-release"
run doctor
finds 'warning kernel 6.12.0-55.el10 trace events' 'trace events of SMC with SMC-D'
printf '0\n6.12.95-amd64' >"$root/probes/uname-release"
run doctor
finds 'note ism 00000013 PCI function without power' 'a slot without power'
finds ' -> smc_rnics -e 00000013' 'and how to give it some'
finds 'ok pnetid encbdf0 SMC-Rv1 and v2 .* mlx4_0 port 1, SMC-Dv1 .* 0000:00:00.0; PNET ID NET1 .*hardware' \
	'an OSA card shares its PNET ID with a RoCE port and the ISM device'
finds 'ok pnetid encbdf0.5 .*PNET ID NET1 of the lower device' 'the VLAN on it too'
finds 'ok rdma mlx4_0 port 1 is active on eno1; RoCE v1 and v2' 'GIDs of both versions'
finds 'warning rdma mlx4_0 port 2 is DOWN, .* eno1d1 is up' 'the second port has no link'
finds 'warning rdma mlx5_0 port 1 has no GID' 'a port without an address'
finds ' -> ip address add .* dev eno2' 'and how it gets one'
finds 'note bond bond0 bond of eno2 eno1: .* of eno2' 'a bond counts as its first card'

run doctor -i encbdf0.5
finds 'ok ism 0000:00:00.0' 'the ISM device of an interface'
is "$(printf '%s\n' "$out" | grep -c 'eno2\|mlx5_0\|lo\b')" 0 'nothing of other interfaces'
run doctor -i eno2
finds 'problem rdma mlx5_0 port 1 has no GID' 'what is a problem for one interface only'
is "$rc" 1 'is one when that is asked for'

edit 'printf "0x1002\n" >devices/pci/0001:00:00.0/net/eno1d1/flags'
run doctor
finds 'note rdma mlx4_0 port 2 is DOWN: its net device eno1d1 is down' 'down on purpose'
finds ' -> ip link set dev eno1d1 up' 'and how to switch it on'
edit 'echo "IB/RoCE v1" >class/infiniband/mlx4_0/ports/1/gid_attrs/types/1'
run doctor
finds 'ok rdma mlx4_0 port 1 .*GIDs of RoCE v1 only: SMC-Rv1' 'GIDs of RoCE v1 only'
edit 'rm devices/pci/0000:00:00.0/driver'
run doctor
finds 'warning ism 0000:00:00.0 .*driver' 'no driver'

run -s -i encbdf0
is "$rc$err" 0 '-s works'
is "$out" 'encbdf0
 Configuration: SMC-Dv1 (ISMv1 FID 1000), SMC-Rv1 (mlx4_0 port 1)
 PNET ID: NET1
 Advertising SEID: n/a
 Advertising UEIDs: n/a
 Reachable subnets: n/a' 'version 1: FIDs, and addresses that nobody recorded are not made up'
printf '1\n10.1.2.3/16' >"$root/probes/addresses-encbdf0"
for dev in bond0 encbdf0_5 eno1 eno1d1 eno2 lo; do printf '0\n' >"$root/probes/addresses-$dev"; done
run -s -i encbdf0
like "$out" 'Reachable subnets: 10.1.0.0/16$' 'version 1: its own subnet'
run -s -i eno2
is "$rc" 1 'an interface for which there is nothing'
like "$out" '^ Configuration: not configured$' 'which is reported'
run -s -j -i encbdf0
is "$out" '{"schema":"smc-tools/static/1","net_devices":[{"net_device":"encbdf0","configuration":[{"mode":"SMC-D","version":1,"device":"0000:00:00.0","fid":"1000","is_loopback":false},{"mode":"SMC-R","version":1,"device":"mlx4_0","port":1,"gid":"fe80:0000:0000:0000:0000:00ff:fe00:0001","is_loopback":false}],"without_eid":[],"pnetid":"NET1","pnetid_source":"hardware","reach":"own","own_subnets":["10.1.0.0/16"]}]}' 'in JSON'
for what in 'connect localhost' serve '-C localhost' -S -l; do
	# shellcheck disable=SC2086 # words
	run $what
	refused 1 '^smc_chk: .*recorded host.* network' "$what is about this machine"
done
run -s -i eth9
is "$rc$out$err" "1smc_chk: no net device 'eth9'" 'an interface that is not there'

host x86 x86
run doctor
finds 'note rdma siw0 .* RNIC' 'iWARP'
finds 'note rdma ibp94s0 .* port 1: .*InfiniBand' 'InfiniBand'
finds 'ok rdma rxelo .*GIDs of RoCE v2 only: SMC-Rv2' 'soft-RoCE'
finds 'note ism - no ISM device' 'no ISM device'
finds 'note pnetid - neither .* for eth0, eth2' 'devices that SMC has nothing for'
finds 'ok mtu ens1f0 MTU 1500: RoCE packets of mlx5_0 port 1 carry 1024 bytes' 'the MTU of a card'
edit 'echo "4: RNIC" >class/infiniband/erdma_0/node_type; echo 9000 >class/net/ens1f0/mtu'
printf '1024\n' >"$root/probes/roce-mtu-mlx5_0-1"
mkdir -p "$root/proc/net/vlan" "$root/proc/sys/net/ipv6"
printf '0\n6.1.0-40-amd64' >"$root/probes/uname-release"
echo 1 >"$root/proc/sys/net/ipv6/bindv6only"
printf 'ens1f0.7  VID: 7\t REORDER_HDR: 1  dev->priv_flags: 1021\n' >"$root/proc/net/vlan/ens1f0.7"
edit 'mkdir class/infiniband/mlx5_1/ports/2 class/infiniband/mlx5_1/ports/3; echo "4: ACTIVE" >class/infiniband/mlx5_1/ports/2/state'
run doctor
finds 'note rdma erdma_0 eRDMA as iWARP' 'eRDMA that only some kernels use'
finds 'note mtu ens1f0 RoCE packets of mlx5_0 port 1 carry 1024 bytes, MTU 9000 would allow 4096' 'a port that lags behind its MTU'
finds 'problem soft-roce rxelo' 'soft-RoCE on a kernel on which it hangs'
is "$(printf '%s\n' "$out" | grep -c ' rdma rxelo')" 0 'that is said once'
finds 'note pnetid lo no SMC-R: rxelo port 1 is soft-RoCE, which hangs' 'and why its net device has no SMC'
finds 'note rdma mlx5_1 .* 1 and 2 of the 3' 'more ports than SMC takes'
finds 'note vlan ens1f0.7 VLAN 7 on ens1f0' 'a VLAN'
finds 'ok pnetid ens1f0.7 SMC-Rv2 over mlx5_0 port 1' 'for which only its own GIDs count'
finds 'ok bindv6only -' 'one socket for each family'
echo 0 >"$root/proc/sys/net/ipv6/bindv6only"
run doctor
unlike "$out" bindv6only 'one socket for both families, and none listens'
# Names of interfaces are untrusted; the printed commands are pasted into a shell.
mkdir "$tmp/bin"
# shellcheck disable=SC2016 # the script's own
printf '#!/bin/sh\nfor word; do printf "%%s\\001" "$word"; done\n' >"$tmp/bin/ip"
chmod +x "$tmp/bin/ip"
rm "$root/probes/roce-mtu-mlx5_0-1"
was=ens1f0 n=0
# shellcheck disable=SC2016 # no expansion is meant
for name in 'a;reboot' "a';id>&2;'b" '-rf' '$(id)' "$(printf 'a\033[2J')" "$(printf 'a\nid')" "$(printf 'a\233')" '"'; do
	# shellcheck disable=SC2016 # edit expands it
	old=$was name=$name edit 'mv "class/net/$old" "class/net/$name"; echo 400 >"class/net/$name/mtu"; printf "%s\n" "$name" |
		tee class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/* >/dev/null'
	was=$name n=$((n + 1))
	run doctor
	typed=$(sed -n 's/^ *-> \(ip link set .* mtu 1500\)$/\1/p' "$tmp/out")
	run doctor -j
	is "$(jq -r '.findings[] | select(.check == "mtu") | .remedy // empty' "$tmp/out")" "$typed" \
		"name $n: the same in JSON"
	for shell in sh bash; do
		is "$(PATH=$tmp/bin:$PATH $shell -c "$typed" 2>&1 | tr '\001' '|')" "link|set|dev|$name|mtu|1500|" "name $n: a word for $shell"
	done
done

host loopback x86
edit 'rm -r class/infiniband; mkdir -p class/dibs/lo; echo 0xffff >class/dibs/lo/fabric_id'
run doctor
finds 'ok ism loopback SMC-D between sockets of this host' 'loopback of the DIBS layer'
finds 'ok pnetid eth0 SMC-Dv2 .* host' 'serves all net devices'
run -s -i eth0
like "$out" '^ Configuration: SMC-Dv2 \(loopback\)$' 'in -s'
like "$out" '^ Reachable subnets: this host$' 'and reaches this host only'

host none x86
edit 'rm -r class/infiniband'
run doctor
finds 'note rdma - no RDMA device' 'no RDMA device'
finds ' -> for a test: modprobe rdma_rxe' 'and how to make one'
finds 'problem device - .*neither .*RDMA .*ISM ' 'without ISM either, a problem'
plan_done
