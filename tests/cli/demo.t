#!/bin/bash
# SPDX-License-Identifier: MIT
# The demo's verdict, with a fake lab that reports results. "make demo" is the rest.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh

mkdir "$tmp/build"
for file in smc_run ld_pre_smc.so ld_pre_smc_spin.so smcss smc_top smc_events smc_dump; do
	printf '#!/bin/sh\nexit 1\n' >"$tmp/build/$file"
	chmod +x "$tmp/build/$file"
done

cat >"$tmp/lab" <<'END'
#!/bin/bash
echo "$*" >>"$CALLS"
out= transport=${*: -2:1}
while [ $# -gt 0 ]; do
	[ "$1" != -o ] || out=$2
	shift
done
[ -n "$out" ] || exit 0
grep "^$transport" "$ROWS" >>"$out/results.tsv"
cp "$SEEN"/* "$out"
[ "$transport" != SMCR ] || exit "${LAB_STATUS:-0}"
END
chmod +x "$tmp/lab"
export DEMO_WAIT=0 CALLS=$tmp/calls ROWS=$tmp/rows SEEN=$tmp/seen SMC_LAB_COMMAND=$tmp/lab

# of SMC-D all four ways, of SMC-R two
right_rows() {
	local transport
	for transport in SMCD SMCR; do
		printf '%s\t%s\t%s\t%s\t%s\t0\t%s\t0\t%s\t0\t%s\t0\n' \
			$transport 'redis GET, 4 clients' /s $transport 1000.5,1000.5 900,800 1000.5,1100 500,1e+03 \
			$transport 'http.server and curl' B/s $transport 5000000,5000000 1.5e+07,1e+07 2e7,2e7 4000000,4000000 \
			$transport 'iperf3, one stream' bit/s $transport 1000000,1000000 2000000,2000000 2000000,2000000 900000,900000
	done | sed -E '/^SMCR/ s/(\t[^\t]*){4}$//'
}

right_seen() {
	mkdir -p "$SEEN"
	cat >"$SEEN/top" <<'END'
SMC-D 2  SMC-R 0  TCP 0      in 17 kB/s  out 2.3 kB/s  1.0 s, by rate
Local Address  Peer Address    Mode  IN/s OUT/s UNREAD UNSENT BOTTLENECK        Process
127.0.0.1:6401 127.0.0.1:41462 SMCD  8.9k  1.2k    0 %    0 % the peer's writer redis-server[241]
127.0.0.1:6401 127.0.0.1:41474 SMCD  8.5k  1.1k    0 %    0 % the peer's writer redis-server[241]
END
	cat >"$SEEN/events" <<'END'
12:01:36.914  fallback   127.0.0.1:6401 < 127.0.0.1:46908  0x03010000 PEERNOSMC  redis-server[241]
12:01:36.959  closed     127.0.0.1:6401 < 127.0.0.1:46908  TCP  45 ms  in 14 B  out 7 B  redis-server[241]
12:01:39.392  connected  127.0.0.1:6401 < 127.0.0.1:46920  SMCD  handshake 8.1 ms  redis-server[241]
12:01:39.449  closed     127.0.0.1:6401 < 127.0.0.1:46920  SMCD  58 ms  in 14 B  out 7 B  redis-server[241]
END
	cat >"$SEEN/dump" <<'END'
12:01:46.405475 127.0.0.1:52500 > 127.0.0.1:6401  proposal, version 2, offers SMC-D v2
12:01:46.406204 127.0.0.1:6401 > 127.0.0.1:52500  accept, version 2, SMC-D
12:01:46.406388 127.0.0.1:52500 > 127.0.0.1:6401  confirm, version 2, SMC-D
12:01:46.406388 127.0.0.1:52500 > 127.0.0.1:6401  => SMC-D version 2, handshake 4.864 ms
END
	printf '%s\n' '12:01:52.480275 127.0.0.1:52516 > 127.0.0.1:6401  SMCD  redis-cli[271]  46 B' \
		$'\t0x0000:  2a33 0d0a 2433 0d0a 5345 540d 0a24 380d  *3..$3..SET..$8.' \
		$'\t0x0010:  0a67 7265 6574 696e 670d 0a24 3132 0d0a  .greeting..$12..' \
		$'\t0x0020:  6865 6c6c 6f2c 2077 6f72 6c64 0d0a       hello, world..' >"$SEEN/payload"
}

# unseen WHAT TEXT SED: the demo fails if SED edits the recorded output of the tool WHAT.
unseen() {
	right_rows >"$ROWS"
	right_seen
	sed -i "$3" "$SEEN/$1"
	BUILD=$tmp/build capture demo/run
	is "$rc:$(grep -c "FAILED: $1 shows no line" <<<"$out")" 1:1 "$1: $2" || diag "$out$err"
}

# red WORDS TEXT SED: the demo fails with these words if the rows are edited.
red() {
	right_rows | sed "$3" >"$ROWS"
	BUILD=$tmp/build capture demo/run
	[ "$rc" -eq 1 ]
	ok $? "$2: status 1" || diag "status $rc: $out$err"
	like "$out" "^ *FAILED: $1" "$2: said"
	unlike "$out" 'Done:' "$2: not done"
}

right_rows >"$ROWS"
right_seen
BUILD=$tmp/build capture demo/run
is "$rc:$(grep -c FAILED <<<"$out")" 0:0 'all rows are right: status 0' || diag "$out$err"
like "$out" 'Done: every program ran over SMC' 'all rows are right: said'
like "$out" '^redis GET, 4 clients +1 k/s +0.85 \(0.80-0.90\) +no difference seen +0.75 \(0.50-1.00\) +SMCD$' 'medians of pairs, with the least and the greatest'
like "$out" '^iperf3, one stream +1 Mbit/s +2.00 \(2.00-2.00\) +- +- +SMCR$' 'two ways over SMC-R'
like "$(<"$CALLS")" '^run .* -- demo/guest SMCD [0-9]+$' 'a guest for SMC-D'
like "$(<"$CALLS")" '^pair .*--rxe -- demo/guest SMCR [0-9]+$' 'two for SMC-R'
row='/^SMCR.redis/'
red 'the client under smc_run failed with status 124' 'a client that failed' "$row s/900,800\t0/900\t124/"
red 'the client over TCP failed with status 1$' 'a client over TCP that failed' "$row s/1000.5,1000.5\t0/-\t1/"
red 'nothing was measured under smc_run' 'a value of 0' "$row s/900,/0.00,/"
red 'nothing was measured under smc_run' 'no value' "$row s/900,800/-/"
red 'nothing was measured over TCP' 'no number' "$row s/1000.5,/null,/"
red "nothing was measured with the kernel's buffers" 'no value with small buffers' '/^SMCD.redis/ s/500,1e+03\t0$/-\t0/'
red "the client with the kernel's buffers failed with status 7" 'a client with small buffers that failed' '/^SMCD.redis/ s/500,1e+03\t0$/500\t7/'
red 'no result' 'a missing row' "$row d"
red 'smcss saw TCP, not SMCR' 'another mode' "$row s/SMCR\t1000/TCP\t1000/"
red 'smcss saw none, not SMCR' 'no rows of smcss' "$row s/SMCR\t1000/none\t1000/"
red 'no result' 'no rows at all' d
LAB_STATUS=125 red 'the guests.* status is 125' 'guests that fail after their last row' ''
for word in proposal accept confirm; do
	unseen dump "no $word" "/$word/d"
done
unseen dump 'TCP in the end' 's/=> SMC-D version 2/=> TCP/'
unseen events 'no fallback' /PEERNOSMC/d
unseen events 'a connection over TCP only' '/connected/d'
unseen events 'an end without bytes' 's/in 14 B  out 7 B//'
unseen payload 'another length' 's/46 B/45 B/'
unseen payload 'no key' 's/greeting/......../'
unseen top 'connections of another mode' 's/SMCD/TCP /'
unseen top 'nothing moves' 's/8.[59]k  1..k/   0     0/'
unseen top 'no process' 's/redis-server.*//'
unseen top 'another sum' 's/^SMC-D 2/SMC-D 1/'
rm "$SEEN/top"
right_rows >"$ROWS"
BUILD=$tmp/build capture demo/run
like "$rc:$out" 'FAILED: top shows no line' 'a guest that has not looked'
plan_done
