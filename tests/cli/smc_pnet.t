#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_pnet's command line on any kernel: streams, exit codes, what is refused before anything is sent.
cd "$(dirname "$0")/../.." || exit 1
tool=smc_pnet
. tests/cli/tool.sh

# taken ARG...: no usage error: it reached the kernel, which may lack SMC, the PNET ID or the rights.
sentence="smc_pnet: .*no SMC \(module 'smc' .*\).* 'smc_chk doctor'\$"
if has_smc; then
	answer='^0:$|^1:smc_pnet: (no entry .* N|.*: Operation not permitted)'
else
	answer="^1:$sentence"
fi
taken() {
	run "$@"
	like "$rc:$err" "$answer" "taken: smc_pnet $*"
}

# ---- bad usage ----
refuse "unknown option '-x'" -x
refuse "options '--add' and '--delete' exclude" -a -d X
refuse "options '--show' and '--flush' exclude" -s -f
refuse "options '--list' and '--suggest' exclude" -l --suggest
refuse "unexpected argument 'Y'" -a X Y
refuse "unexpected argument 'X'" -f X
refuse "unexpected argument 'X'" -l X
refuse "no command .* 'X'" X
refuse "'--add' needs a PNET ID" -a -I lo
refuse "'--delete' needs a PNET ID" -d
refuse 'no device to add' -a X
refuse "'--add' takes no argument" --add=X
refuse "'--interface' needs an argument" -a X -I
refuse "'--tree' is only for '--list'" -s --tree
refuse "'--tree' and '--json' exclude" -l --tree -j
refuse "'--apply' is only for '--suggest'" --apply
refuse "'--all-netns' is only for '--show'" -l --all-netns
refuse "'--all-netns' and '--netns' exclude" --all-netns -N 1
refuse "'--json' is only for '--show', " -f -j
refuse "'--json' is only for '--show', " -a X -I lo -j

# ---- names, before anything is sent ----
for command in '-a -I lo' -s -d; do
	# shellcheck disable=SC2086 # option and argument
	for name in '' ' ' A-B A_B 'A B' n/a ABCDEFGHIJKLMNOPQ "$(printf 'N\303\204')"; do
		refuse 'is not a PNET ID' $command "$name"
	done
done
refuse "'' .*name of a net device" -a X -I ''
refuse "'abcdefghijklmnop' .*name of a net device" -a X -I abcdefghijklmnop
refuse "'a b' .*name of an RDMA" -a X -D 'a b'
for port in 3 -1 x 1x 0x3 4294967297; do
	refuse "'$port' is not an RDMA port" -a X -D rxe0 -P "$port"
done

# ---- namespaces ----
refuse "namespace 'no-such'" -N no-such
refuse "namespace 'no-such'" -l -N no-such

# ---- command lines of smc-tools 1.8.5 are accepted ----
for option in -s --show --sh --s; do
	taken "$option"
	taken "$option" NET1
done
taken
taken NET1 -s
for arguments in '-d NOSUCHID' '--d NOSUCHID' '--del NOSUCHID' 'NOSUCHID --delete'; do
	# shellcheck disable=SC2086 # words
	taken $arguments
done
run -s -I lo -P 1
like "$err" "^smc_pnet: option '--interface' .* without '--add'\$" '-I with -s: a warning'
like "$err" "^smc_pnet: option '--ibport' .* without '--add'\$" '-P with -s: a warning'

# ---- a kernel without SMC ----
if has_smc; then
	skip 'a kernel without SMC is reported in one sentence' 'this kernel has SMC'
else
	for option in -s -f -l -j '-d X' '-a X -I lo' --suggest; do
		# shellcheck disable=SC2086 # option and argument
		run $option
		refused 1 "^$sentence" "a kernel without SMC: smc_pnet $option"
	done
fi
plan_done
