#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk on any kernel: options, reasons in words, PNET IDs of a recorded sysfs.
# shellcheck disable=SC2013 # the lists are of words
cd "$(dirname "$0")/../.." || exit 1
tool=smc_chk
. tests/cli/tool.sh

# ---- options ----
refuse "unknown option '-y'" -y
refuse "unknown command 'x'" x
refuse "unknown command 'advise'" advise
refuse "unknown command 'dcotor' .*'doctor'" dcotor
refuse 'no host given' conn
refuse "unknown .*'--doctor'" --doctor
refuse "unknown .*'--verbose'" --verbose
refuse "'--verbose' and '--json' exclude" doctor -v -j
refuse "'--verbose' and '--problems' exclude" doctor --problems --verbose
refuse "--color: 'red' is not auto, always or never" doctor --color red
refuse "unexpected argument 'doctor'" -j doctor
refuse 'needs an argument' connect -p
refuse 'takes no argument' serve --once=1
refuse 'no host given' connect
refuse "unexpected argument 'x'" connect localhost x
refuse "--port: '0' .* from 1 to 65535" connect localhost -p 0
refuse "--port: '65536' .* from 1 to 65535" serve -p 65536
refuse "--port: 'no-such' .* from 1 to 65535" connect localhost:no-such
refuse "--port: '' .* from 1 to 65535" -C '[::1]:'
refuse "'0' is not a number of seconds" connect localhost -t 0
refuse 'not a number of seconds' connect localhost -t nan
refuse "'--ipv4' and '--ipv6' exclude" connect localhost -4 -6
refuse "'--connect' and '--server' exclude" -C localhost -S
refuse "'--server' and '--static-analysis' exclude" -S -s
refuse "'--connect' and '--pnetid' exclude" -C localhost -i lo
refuse "'--port' is only for" -p 5
refuse "'--ipv6' is only for" -s -6
refuse '--json .*only one of -l and -s' -l -s -j
refuse "'--key' is only for '--anonymous'" bundle x --key y
refuse "unexpected argument 'x'" program sh x
refuse 'no network namespace' -N there-is-none -s

# ---- letters of smc-tools 1.8.5; tests/cli/smc_chk_live.t has -C, -S and -l ----
run -i lo
is "$out" '' '-i: no PNET ID'
run -s -i lo
like "$out" '^lo$' '-s: an interface'

# ---- reasons ----
for word in 0x03030000 0X3030000 03030000 3030000 50528256 nosmcdev NOSMCDEV smc_clc_decl_NOSMCDEV; do
	prints '^0x03030000 NOSMCDEV ' explain $word
done
prints '^0x01010000 MEM .*in statistics MEMORY' explain memory
for word in 'TCP 0x05000000/0x03030000' ' 0x05000000 / 0x03030000 ' peerdecl/NOSMCDEV \
	83886080/50528256; do
	json '[.reason.symbol, .peer_reason.symbol]' '["PEERDECL","NOSMCDEV"]' explain "$word"
	is "$rc$err" 0 "explained: $word"
done
json '[.reason.symbol, .peer_reason.symbol]' '["PEERDECL","NOUEID"]' explain TCP 0x05000000/0x03030008
json .peer_reason null explain PEERNOSMC
json '.peer_reason.remedies[].where' 'both
both' explain PEERDECL/NOUEID
json '.reason.remedies[0].where' peer explain PEERNOSMC
json '.peer_reason.remedies[0].where' here explain PEERDECL/PEERNOSMC
json '.peer_reason.remedies[0].where' peer explain PEERDECL/NOSMCDEV
json '.reason.remedies[0].where' here explain NOSMCDEV
json '[.reason.found_by, .reason.since, .reason.code]' '[["server"],"6.6",50528265]' explain RELEASEERR
json .reason.found_by '[]' explain VERSMISMAT
run explain PEERDECL/NOSMCDEV
like "$out" '^  type +on the peer +smc_chk doctor' "what the peer found is mended there"
unlike "$out" '(here|peer) +smcss -e' "what follows from the peer's reason takes the place of advice for PEERDECL"
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
"$BUILD/smc_chk" explain MEM >/dev/full 2>"$tmp/err"
is "$?" 1 'a full disk is an error with explain'
symbols=$(sed -n 's/^	{ 0x[0-9a-f]*, "\([A-Z_0-9]*\)".*/\1/p' lib/smc/reason.c)
is "$(printf '%s\n' "$symbols" | wc -l)" 36 'reasons in the table'
for symbol in $symbols; do
	run explain "$symbol"
	like "$rc$err${out//$'\n'/|}" '^0.*\|  meaning +[^ ].*\|  found by +[^ ].*\|  since +[^ ].*\|  first +[^ ].*\|  type +[^ ]' "explained: $symbol"
done
# Commands for our tools only use existing options.
commands=$(sed -n 's/.*[[:space:]][A-Z]*, "\(smc[a-z_]* [^"]*\)".*/\1/p' lib/smc/remedy.c)
for other in smcss smc_pnet smc_rnics smc_dump smcd smcr smc_chk smc_run; do
	[ -x "$BUILD/$other" ] || continue # not in core
	help=$("$BUILD/$other" --help)
	like "$commands" "^$other " "remedies: $other is among them"
	declare -A seen=()
	while read -r name words; do
		for word in $words; do
			[[ $name == "$other" && $word == [-a-z]* && -z ${seen[$word]-} ]] || continue
			seen[$word]=y
			like "$help" "(^|[ |,])$word([ ,|]|\$)" "remedies: $other has $word"
		done
	done <<<"$commands"
done

# ---- PNET IDs of a recorded host: firmware's ----
SMC_TOOLS_ROOT=$BUILD/tests/hosts/s390
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
