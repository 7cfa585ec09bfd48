# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# ld_pre_smc_spin.so: part of run. SPIN_SEED and SPIN_COUNT repeat a test of random sequences.
seed=${SPIN_SEED:-$RANDOM} count=${SPIN_COUNT:-300}
want=$("$bin/waits" "$seed" "$count")
some "$want" "$count sequences of calls that wait, seed $seed"
for usec in 1 200 max:200 max:1000; do
	is "$(SMC_SPIN=$usec LD_PRELOAD=$bin/spin.so "$bin/waits" "$seed" "$count")" "$want" \
		"seed $seed: the same results, spinning for $usec microseconds"
done
is "$(SMC_SPIN=nonsense LD_PRELOAD=$bin/spin.so "$bin/waits" "$seed" 100)" "$(head -n 1 <<<"$want")" 'an invalid time'
want=$("$bin/invalid")
for usec in 1 1000 max:1000; do
	is "$(SMC_SPIN=$usec LD_PRELOAD=$bin/spin.so "$bin/invalid")" "$want" "invalid arguments, spinning for $usec microseconds"
done

library=$BUILD/ld_pre_smc_spin.so
is "$(nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort | tr '\n' ' ')" '__poll_chk __ppoll_chk __read_chk __recv_chk '\
'__recvfrom_chk accept accept4 connect epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait poll ppoll preadv2 '\
'preadv64v2 pselect read readv recv recvfrom recvmmsg recvmsg select ' 'ld_pre_smc_spin.so exports what it takes over and nothing else'
is "$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^lib(c|dl|pthread)\.')" '' 'it needs libc only'
is "$("$BUILD/smc_run" --quiet --spin=max:70 sh -c 'echo "$SMC_SPIN ${LD_PRELOAD##*/}"')" 'max:70 ld_pre_smc_spin.so' 'smc_run --spin preloads it'
is "$("$BUILD/smc_run" --quiet sh -c 'echo "${SMC_SPIN-none} ${LD_PRELOAD##*/}"')" 'none ld_pre_smc.so' 'and only then'
# profile NAME: its settings, in the environment of a command
profile() {
	# shellcheck disable=SC2016 # for sh
	env -u SMC_LEARN "$BUILD/smc_run" --quiet --profile "$1" sh -c 'env | grep ^SMC_ | sort | tr "\n" " "; echo "${LD_PRELOAD##*/}"'
}
is "$(profile latency)" 'SMC_SPIN=max:200 ld_pre_smc_spin.so' '--profile latency'
is "$(profile bulk)" 'SMC_RCVBUF=1048576 SMC_SNDBUF=1048576 ld_pre_smc.so' '--profile bulk'
is "$(profile many)" 'SMC_RCVBUF=0 SMC_SNDBUF=0 ld_pre_smc.so' '--profile many'
capture "$BUILD/smc_run" --profile few true
refused 125 "'few'" 'an unknown profile'
for usec in 0 1001 -1 x '' max: max:0 max:1001 min:5; do
	capture "$BUILD/smc_run" --spin="$usec" true
	refused 125 'is not 1 to 1000 microseconds' "smc_run --spin='$usec'"
done
