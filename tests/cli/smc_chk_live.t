#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk connect, and -C, -S and -l, on any kernel: streams, exit codes, wording of errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
smc_chk=$BUILD/smc_chk
server=
trap '[ -z "$server" ] || kill $server; rm -rf "$tmp"' EXIT
no_smc=1
has_smc && no_smc=

run() {
	capture "$smc_chk" "$@"
}

# fails WORDS ARG...: exit status 1, nothing on stdout, one line on stderr with the words.
fails() {
	words=$1
	shift
	run "$@"
	refused 1 "^smc_chk: .*$words" "fails: smc_chk $*"
}

# serve KIND: a TCP server of that kind; its port is in $port.
serve() {
	rm -f "$tmp/port"
	PYTHONPATH=tests/kernel/guest python3 -B - "$1" "$tmp" <<'END' &
import os, socket, sys, time
import chkfake
kinds = {"banner": chkfake.banner, "silent": chkfake.silent, "right": chkfake.greet(lambda data, count: data),
         "busy": chkfake.busy, "flip": chkfake.greet(chkfake.flip), "hang-up": chkfake.greet(chkfake.hang_up), "stall": chkfake.greet(chkfake.stall)}
fake = chkfake.Fake(kinds[sys.argv[1]], socket.AF_INET)
with open(sys.argv[2] + "/port.new", "w") as file:
    file.write(str(fake.port))
os.rename(sys.argv[2] + "/port.new", sys.argv[2] + "/port")
time.sleep(9999)
END
	server=$!
	while [ ! -s "$tmp/port" ] && kill -0 "$server" 2>/dev/null; do
		sleep 0.1
	done
	port=$(<"$tmp/port")
}

end_server() {
	kill "$server"
	wait "$server" 2>/dev/null
	server=
}

# ---- what cannot be reached ----
closed=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
fails "127\.0\.0\.1 port $closed refused the connection: nothing listens there" connect 127.0.0.1 -p "$closed"
fails "127\.0\.0\.1 port $closed refused the connection" connect "127.0.0.1:$closed"
fails "::1 port $closed refused the connection" connect "[::1]:$closed"
fails "host '\[::1\]1' is not known" connect '[::1]1'
fails "host 'nosuch\.invalid' is not known: " connect nosuch.invalid
fails "host '127\.0\.0\.1' has no IPv6 address" -C 127.0.0.1 -6
fails "host '::1' has no IPv4 address" connect ::1 -4
fails "host '' is not known: |host '' has no " connect ''

# ---- wrong data, whatever it runs over ----
serve flip
fails 'corrupted .*: byte 40001 of 65537 ' connect 127.0.0.1 -p "$port"
end_server
serve hang-up
fails 'lost in the middle' connect 127.0.0.1 -p "$port"
end_server
serve busy
fails 'the server is busy: ' connect 127.0.0.1 -p "$port"
end_server
serve stall
fails 'the connection stalls' connect 127.0.0.1 -p "$port" -t 0.3
end_server

# ---- a kernel without SMC ----
if [ "$no_smc" ]; then
	serve right
	run connect 127.0.0.1 -p "$port"
	is "$rc:$err" '3:' 'no SMC here, a server of ours: exit status 3'
	like "$out" "^Not tested: this kernel has no SMC" 'no SMC here: reported'
	like "$out" "^  over TCP     127\.0\.0\.1 port $port is reached$" 'no SMC here: TCP reaches'
	like "$out" '^  data         [0-9]{6} bytes .*verified$' 'no SMC here: data over TCP'
	run connect -j 127.0.0.1 -p "$port"
	is "$rc" 3 'no SMC here, JSON: exit status 3'
	is "$(printf '%s' "$out" | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["schema"], d["result"], d["mode"], d["server"], d["bytes"] > 300000, "reason" in d)')" \
		"smc-tools/check/1 untested TCP {'is_smc_chk': True} True False" 'no SMC here: JSON'
	end_server
	serve banner
	run -d -C 127.0.0.1 -p "$port"
	is "$rc" 3 'no SMC here, a server that is not ours: exit status 3'
	like "$out" '^  data         none: .*smc_chk serve' 'not ours: no data'
	like "$err" '^\[DEBUG\] the server is another program$' 'not ours: --debug'
	end_server
	for option in -S -l; do
		run "$option"
		is "$rc:$out" '3:' "$option: exit status 3"
		like "$err" '^smc_chk: cannot (serve|test) SMC: this kernel has no SMC' "$option: says why"
	done
else
	skip 'a kernel without SMC' 'this one has SMC'
fi
plan_done
