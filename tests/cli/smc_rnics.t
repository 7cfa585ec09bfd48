#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_rnics over recorded hosts: streams, exit codes, columns.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
tool=smc_rnics rnics=$BUILD/smc_rnics
cp -r "$BUILD"/tests/hosts/* "$tmp"
mkdir "$tmp/empty" "$tmp/no-ids"
cp -r "$tmp/x86/sys" "$tmp/no-ids"

# run HOST ARG...: output of smc_rnics is in $out and $err, its status in $rc; HOST - is this machine.
run() {
	host=$1
	shift
	if [ "$host" = - ]; then
		unset SMC_TOOLS_ROOT
	else
		SMC_TOOLS_ROOT=$tmp/$host
		export SMC_TOOLS_ROOT
	fi
	capture "$rnics" "$@"
}

# words: output without the rulers, one blank between words
words() { printf '%s\n' "$out" | grep -v '^-*$' | sed 's/^ *//' | tr -s ' '; }

err=$(SMC_TOOLS_ROOT=$tmp/x86 "$rnics" 2>&1 >/dev/full)
line "$?$err" '^1smc_rnics: .*standard output: No space left on device$' 'a full device'

# ---- usage ----
refuse "unknown option '-x'" - -x
refuse "'--enable' and '--json' exclude" - -e 1 -j
refuse "'xyz' is not a function ID" - xyz
refuse "'' is not a function ID" - ''
refuse "'-1' is not a function ID" - -- -1
refuse "'100000000' is not a function ID" - 100000000
refuse "unexpected argument '12'" s390 11 12
refuse "unexpected argument '12'" s390 -e 11 12
refuse "'--enable' and '--disable' exclude" s390 -e 11 -d 11
refuse "'--enable' needs an argument" s390 -e
case $(uname -m) in
s390*) skip 'no power elsewhere' 'this is IBM Z' ;;
*)
	refuse 'only on IBM Z' - -e 11
	refuse 'only on IBM Z' - -d 11
	;;
esac

# ---- IBM Z ----
run s390
is "$rc$err" 0 'a list'
is "$(words)" 'FID Power PCI_ID PCHID Type PFT VF PPrt PNET_ID Net-Dev
11 1 0001:00:00.0 0100 RoCE_Express ROC n 1 NET1 eno1
11 1 0001:00:00.0 0100 RoCE_Express ROC n 2 NET2 eno1d1
12 1 0002:00:00.0 0140 RoCE_Express3 ROC2 n 1 ABCDEFGHIJKLSTU9 eno2
15 1 0004:00:00.0 07c1 ISM ISM n n/a NET2 n/a
1000 1 0000:00:00.0 07c0 ISM ISM n n/a NET1 n/a' 'header and rows: the second port has its own PNET ID'
run s390 -a
like "$(words)" '^13 0 n/a' '-a shows a slot without power'
like "$(words)" '^14 1 0003:00:00.0 0180 nvme 0x0b' '-a shows functions of other kinds'
run s390 -I
is "$(words | head -n 3)" 'FID Power PCI_ID PCHID Type PFT VF IPrt PNET_ID IB-Dev
11 1 0001:00:00.0 0100 RoCE_Express ROC n 1 NET1 mlx4_0
11 1 0001:00:00.0 0100 RoCE_Express ROC n 2 NET2 mlx4_0' '-I shows RDMA devices'
run s390 -r
is "$(words | sed -n '1p;6p')" 'FID Power PCI_ID PCHID Type PFT VFN PPrt PNET_ID Net-Dev
1000 1 0000:00:00.0 07c0 1014:04ed ISM 0000 n/a NET1 n/a' '-r shows numbers'
for fid in 12 0x12 00000012; do
	run s390 $fid
	is "$rc $(words | wc -l)" '0 2' "FID $fid: one row, status 0"
done
run s390 -w 15
like "$(words)" '^15 .* ISM ISM .* vfio-pci$' '-w: the driver shows that an ISM function is a guest'"'"'s'
run s390 13
like "$(words)" '^13 0 ' 'a FID without power is shown without -a'
refuse 'no FID 99' s390 99
refuse 'recorded host' s390 -e 13
is "$(<"$tmp/s390/sys/bus/pci/slots/00000013/power")" 0 'and the slot stays off'

# ---- elsewhere ----
run x86 -w
like "$(words)" '^n/a n/a 0000:3b:00.1 n/a ConnectX-5 n/a n 1 n/a ens1f1 mlx5_1 ACTIVE Ethernet 1500 n/a mlx5_core$' \
	'-w: mlx5, named by the PCI ids database'
like "$(words)" '^n/a n/a n/a n/a Soft-RoCE n/a n/a 1 n/a lo rxelo ACTIVE Ethernet 1500 n/a rxe$' '-w: rxe'
like "$(words)" '^n/a n/a n/a n/a Soft-iWARP n/a n/a 1 n/a n/a siw0 DOWN Ethernet n/a n/a siw$' '-w: siw'
like "$(words)" 'Elastic_RDMA_Adapter .* eth1 erdma_0 ACTIVE' '-w: erdma'
run no-ids
like "$(words)" '0000:3b:00.0 n/a mlx5_core ' 'without the database the driver names a card'
run x86 -j
printf '%s' "$out" | python3 -c 'import json, sys
doc = json.load(sys.stdin)
rxe = [r for r in doc["rnics"] if r["ib_device"] == "rxelo"]
assert doc["schema"] == "smc-tools/rnics/1" and len(doc["rnics"]) == 6
assert rxe == [{"type": "Soft-RoCE", "port": 1, "ib_port": 1, "net_device": "lo", "ib_device": "rxelo",
    "state": "ACTIVE", "link_layer": "Ethernet", "mtu": 1500, "driver": "rxe"}], rxe'
ok $? '-j: what is not known is left out'
refuse 'no FID 11' x86 11

# ---- nothing there ----
run empty
is "$rc$err $(words)" '0 FID Power PCI_ID PCHID Type PFT VF PPrt PNET_ID Net-Dev' 'no card: a header, status 0'
run empty -j
is "$rc$out" '0{"schema":"smc-tools/rnics/1","rnics":[]}' 'no card in JSON'
plan_done
