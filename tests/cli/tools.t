#!/bin/bash
# SPDX-License-Identifier: MIT
# Every tool: help, version, an unknown option, and streams that are full or closed.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh

for tool in smcss smc_top smc_events smc_advise smc_pnet smc_rnics smc_dump smc_conf smc_setup smc_chk smc_ab smc_run smc_unit smc_bpf smcd smcr; do
	if [ ! -x "$BUILD/$tool" ]; then
		skip $tool 'it was not built'
		continue
	fi
	case $tool in smc_ab | smc_run) failure=125 ;; *) failure=1 ;; esac
	# smc_ab has --verify.
	short=--ver
	[ $tool != smc_ab ] || short=--vers
	for option in -h --help --hel; do
		run $option
		like "$rc$err$out" "^0Usage: $tool " "$tool $option"
	done
	for option in -v --version $short; do
		run $option
		is "$rc$out$err" "0$tool utility, smc-tools-$version" "$tool $option"
	done
	for option in --help --version; do
		err=$("$BUILD/$tool" $option 2>&1 >/dev/full)
		line "$?$err" "^$failure$tool: .*standard output: No space left on device\$" "$tool $option to a full device"
		err=$("$BUILD/$tool" $option 2>&1 >&-)
		line "$?$err" "^$failure$tool: .*standard output: Bad file descriptor\$" "$tool $option to a closed stdout"
	done
	run --nonsense
	refused $failure "^$tool: unknown .*'--nonsense'; try '$tool --help'\$" "$tool --nonsense"
	"$BUILD/$tool" --nonsense 2>&- >"$tmp/out"
	is "$?$(<"$tmp/out")" $failure "$tool: a closed stderr changes no status, and sends nothing to stdout"
	out=$("$BUILD/$tool" --version <&-)
	is "$?$out" "0$tool utility, smc-tools-$version" "$tool: a closed stdin does not matter"
done

# ---- the core packages alone ----
mkdir "$tmp/core"
for tool in smcss smc_pnet smcd smcr; do
	cp "$BUILD/$tool" "$tmp/core"
	case $tool in smcd | smcr) command='stats show' ;; *) command= ;; esac
	# shellcheck disable=SC2086 # words, or nothing
	capture "$tmp/core/$tool" --all-netns $command
	if [ -e /usr/libexec/smc-tools/smc_netns ]; then
		skip "$tool --all-netns without smc-tools-extra" 'it is installed'
	else
		refused 1 "^$tool: cannot find smc_netns: .* smc-tools-extra\$" "$tool --all-netns without smc-tools-extra"
	fi
done
plan_done
