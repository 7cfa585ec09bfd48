#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_bpf's command line; what it does is tested in the lab. Needs no kernel with SMC.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh

if [ ! -x "$BUILD/smc_bpf" ]; then
	skip "smc_bpf's command line" "it was not built"
	plan_done
	exit
fi

# refuse WORDS ARGUMENT...: bad usage, whose line contains the words; the same with POSIXLY_CORRECT
refuse() {
	words="^smc_bpf: .*$1.*; try 'smc_bpf --help'\$"
	shift
	capture "$BUILD/smc_bpf" "$@"
	refused 1 "$words" "smc_bpf $*"
	capture env POSIXLY_CORRECT=1 "$BUILD/smc_bpf" "$@"
	refused 1 "$words" "smc_bpf $* with POSIXLY_CORRECT"
}

refuse "no command given"
refuse "unknown command 'add'" add
refuse "unknown command 'add'" -j add
refuse "option '--only' is only for 'attach'" --only ipv4 status
refuse "unexpected argument 'x'" status x
refuse "no target: .*--cgroup, --cgroup-of, --unit, --container or --run" attach
refuse "no target: .*--cgroup, --cgroup-of, --unit, --container or --run" detach
refuse "options '--cgroup' and '--unit' exclude" attach --unit a --cgroup b
refuse "option '--all' is only for 'detach'" attach --all
refuse "options '--all' and '--run' exclude" detach --all --run
refuse "option '--only' is only for 'attach'" detach --run --only ipv4
refuse "--only: 'tcp' is not ipv4, ipv6 or none" attach --run --only tcp
refuse "--exclude-comm: .* empty" attach --run --exclude-comm ''
refuse "more than 8 names to exclude" attach --run --exclude-comm=1 --exclude-comm=2 --exclude-comm=3 \
	--exclude-comm=4 --exclude-comm=5 --exclude-comm=6 --exclude-comm=7 --exclude-comm=8 --exclude-comm=9
refuse "'--allow-group' .*'--run'" attach --unit a --allow-group root
refuse "option '--force' is only for 'attach'" detach --run --force
refuse "option '--json' is only for 'status'" attach --run -j
refuse "option '--json' is only for 'status'" check -j
refuse "option '--only' is only for 'attach'" check --only ipv4
out=$("$BUILD/smc_bpf" attach --run --allow-group no-such-group 2>&1)
is "$?|$out" "1|smc_bpf: no group 'no-such-group'" 'a group that does not exist'

# The object file is embedded: nothing of the build machine is needed at run time.
words=$(strings -n 8 "$BUILD/smc_bpf" | grep -v ' ')
like "$words" '^update_socket_protocol$' "the program has the name of the kernel's function"
unlike "$words" "^$PWD/extra/lib/cgroup" "and no path of the build directory"
libraries=$(readelf -d "$BUILD/smc_bpf" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
is "$(echo "$libraries" | grep -vE '^lib(jansson|mnl|nl-3|nl-genl-3|c|asan|ubsan)\.so|^ld-' | tr '\n' ' ')" "" "it is linked with jansson, the libraries of netlink and libc only"
plan_done
