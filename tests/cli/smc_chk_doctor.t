#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_chk doctor: findings on hosts that cannot load SMC, made of recorded files.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
chk=$BUILD/smc_chk
release=6.12.95-amd64

# host ERRNO: a recorded host where AF_SMC sockets fail with this error. Its name is in $root.
count=0
host() {
	count=$((count + 1))
	root=$tmp/$count
	mkdir -p "$root/probes" "$root/boot" "$root/etc/modprobe.d" "$root/usr/lib/modprobe.d" \
		"$root/proc/sys/kernel" "$root/sys"
	printf '0\n%s' $release >"$root/probes/uname-release"
	printf '%d\n' "-$1" >"$root/probes/socket-af_smc"
	printf '2\n' >"$root/probes/module-smc"
	# In a record, another file lists the names of a directory.
	echo smc.conf >"$root/etc/modprobe.d@list"
	echo smc.conf >"$root/usr/lib/modprobe.d@list"
	printf 'CONFIG_INET=y\nCONFIG_SMC=m\n' >"$root/boot/config-$release"
}

# run ARG...: output of smc_chk is in $out and $err, its status in $rc.
run() {
	SMC_TOOLS_ROOT=$root capture "$chk" "$@"
}

# finding STATUS FINDING REMEDY TEXT: the only problem, as a regular expression, and the last line.
finding() {
	local line found=()
	run doctor
	while IFS= read -r line; do
		[[ $line != @(problem|warning)* ]] || found+=("$line")
	done <<<"$out"
	if [ "$rc$err" = "$1" ] && [ ${#found[@]} -eq 1 ] && matches "${found[0]}" "^problem +$2" && matches "${out##*$'\n'}" "First: $3\$"; then
		ok 0 "$4"
	else
		ok 1 "$4"
		diag "status $rc: $err$out"
	fi
	run -j
	is "$rc$(printf '%s' "$out" | jq -r '"\(.schema) \(.status) \(.problems) \(.warnings) \(.findings |
		map(select(.level == "problem" or .level == "warning")) | length)"')" \
		"$1smc-tools/doctor/1 $1 1 0 1" "$4: in JSON"
	run doctor --monitor
	case $1 in 1) set -- '2SMC CRITICAL' "$@" ;; *) set -- '3SMC UNKNOWN' "$@" ;; esac
	line "$rc$out" "^$1: [^|]*; [^|]* \| problems=1 warnings=0\$" "$5: for Nagios"
}

no_smc=97
built="remove .* from FILE, then: modprobe smc"
for rule in "blacklist smc" "install smc /bin/false" "alias net-pf-43 off"; do
	host $no_smc
	echo "$rule" >"$root/etc/modprobe.d/smc.conf"
	finding 1 "module +smc +may not be loaded: \"$(echo "$rule" | sed 's,/bin/false,,; s, $,,').*\" in /etc/modprobe.d/smc.conf" \
		"${built/FILE//etc/modprobe.d/smc.conf}" "a rule of modprobe.d: $rule"
done

host $no_smc
echo "install smc /bin/false" >"$root/usr/lib/modprobe.d/smc.conf"
finding 1 'module +smc +may not be loaded: "install smc" in /usr/lib/modprobe.d/smc.conf' \
	"${built/FILE//usr/lib/modprobe.d/smc.conf}" "a rule of the distribution"
echo "# as it was" >"$root/etc/modprobe.d/smc.conf"
finding 1 'module +smc +the kernel cannot load it' 'modprobe smc' "a file of the same name hides it"

host $no_smc
echo 1 >"$root/probes/cmdline-smc"
finding 1 'module +smc +may not be loaded: /proc/cmdline' "remove it from module_blacklist=.*boot again" "the command line"

host $no_smc
echo 1 >"$root/proc/sys/kernel/modules_disabled"
finding 1 'module +smc +may not be loaded: /proc/sys/kernel/modules_disabled' \
	'let .* at boot: echo smc >/etc/modules-load.d/smc.conf' "locked modules"

host $no_smc
printf '1\n' >"$root/probes/module-smc"
finding 1 'module +smc +is not installed.*kernel' \
	'install the rest of the kernel.s modules .*' "the package of further modules is missing"

host $no_smc
printf '1\n' >"$root/probes/module-smc"
echo '# CONFIG_SMC is not set' >"$root/boot/config-$release"
finding 3 "kernel +$release +has no SMC: /boot/config-$release has no CONFIG_SMC" \
	'install a kernel .*CONFIG_SMC' "a kernel without SMC"

host $no_smc
printf '1\n' >"$root/probes/module-smc"
rm "$root/boot/config-$release"
finding 3 "kernel +$release +has no SMC\$" 'install a kernel .*CONFIG_SMC' "and without a configuration"

host $no_smc
printf '1\n' >"$root/probes/module-smc"
printf '0\n7.2.13-amd64' >"$root/probes/uname-release"
echo 'CONFIG_INET=y' | gzip >"$root/proc/config.gz"
finding 3 "kernel +7.2.13-amd64 +has no SMC: /proc/config.gz has neither CONFIG_SMC nor CONFIG_DIBS.*" \
	'install a kernel .*CONFIG_SMC' "a newer one, with a packed configuration"

# distribution NAME ID VERSION MACHINE RELEASE SMC REMEDY: a host of a distribution without a module smc. SMC: option of its kernel
distribution() {
	host $no_smc
	printf 'NAME="%s"\nID=%s\nVERSION_ID="%s"\n' "$1" "$2" "$3" >"$root/etc/os-release"
	printf '1\n' >"$root/probes/module-smc"
	printf '0\n%s' "$5" >"$root/probes/uname-release"
	printf '0\n%s' "$4" >"$root/probes/uname-machine"
	printf '%s\n' "$6" >"$root/boot/config-$5"
	if [ "$6" = CONFIG_SMC=m ]; then
		finding 1 'module +smc +is not installed.*' "$7" "$1: the package with the module is missing"
	else
		finding 3 "kernel +${5%%+*}.* +has no SMC: .*" "$7" "$1 $5: no SMC, and what to do"
	fi
}
OFF='# CONFIG_SMC is not set' ON=CONFIG_SMC=m
distribution 'Red Hat Enterprise Linux' '"rhel"' 9.4 x86_64 5.14.0-427.13.1.el9_4.x86_64 "$OFF" 'none on this machine: .*s390x only'
distribution 'Rocky Linux' '"rocky"' 9.4 aarch64 5.14.0-427.el9.aarch64 "$OFF" 'none on this machine: .*s390x only'
distribution 'Red Hat Enterprise Linux' '"rhel"' 9.4 s390x 5.14.0-427.13.1.el9_4.s390x "$ON" 'dnf install kernel-modules-extra'
distribution 'Red Hat Enterprise Linux' '"rhel"' 10.0 x86_64 6.12.0-55.el10.x86_64 "$OFF" 'install a kernel .*CONFIG_SMC'
distribution SLES sles 15.6 x86_64 6.4.0-150600.21-default "$ON" 'zypper install kernel-default'
distribution 'openSUSE Tumbleweed' '"opensuse-tumbleweed"' 20260901 x86_64 6.16.3-1-default "$ON" 'zypper install kernel-default'
distribution Fedora fedora 42 x86_64 6.14.0-63.fc42.x86_64 "$ON" 'dnf install kernel-modules-extra'
distribution Ubuntu ubuntu 24.04 x86_64 6.8.0-31-generic "$ON" 'apt install linux-modules-extra-.*uname -r.'
distribution 'Debian 12' debian 12 x86_64 6.1.0-50-amd64 "$ON" 'apt install --reinstall linux-image-.*'
distribution 'Debian 12 with backports' debian 12 x86_64 6.12.95+deb12-amd64 "$ON" 'apt install --reinstall linux-image-.*'
distribution 'Debian 13' debian 13 x86_64 6.12.107+deb13-amd64 "$ON" 'apt install --reinstall linux-image-.*'
distribution 'Debian testing' debian '' x86_64 7.2.13+deb14-amd64 "$OFF" '.*apt install linux-image-.*/trixie'
distribution 'a kernel of its own' debian 12 x86_64 6.5.0-own "$OFF" 'install a kernel .*CONFIG_SMC'
if command -v script >/dev/null; then
	out=$(SMC_TOOLS_ROOT=$root script -qec "$chk doctor" /dev/null </dev/null)
	is "$(grep -cE '^note +(rdma|ism|pnetid|devices)' <<<"$out")" 1 'what does not matter without SMC is one line'
	out=$(SMC_TOOLS_ROOT=$root script -qec "$chk doctor -v" /dev/null </dev/null)
	like "$out" '^note +rdma' 'that -v lists'
else
	skip 'on a terminal' 'no script(1)'
fi

host $no_smc
mkdir -p "$root/sys/module/smc"
finding 3 "kernel +$release +has SMC, but .* process .*: Address family not supported" \
	'.* outside the sandbox' "loaded, but not for this process"
host 1
finding 3 "kernel +$release +has SMC, but .* process .*: Operation not permitted" \
	'.* outside the sandbox' "not permitted"

host $no_smc
rm -r "$root/probes"
finding 3 "kernel .*nothing was recorded.*" '.*smc_chk bundle FILE.tar.gz .*' "nothing was recorded"

host $no_smc
printf '0\n6.1\033[2J' >"$root/probes/uname-release"
printf '1\n' >"$root/probes/module-smc"
run
unlike "$out" "$(printf '\033')" "control characters do not reach the terminal"
like "$out" '6\.1\\x1b\[2J' "they are escaped"
run -j
is "$(printf '%s' "$out" | jq -r '.findings[] | select(.check == "kernel" or .check == "module") | .level')" problem \
	"and JSON is JSON"

err=$(SMC_TOOLS_ROOT=$root "$chk" 2>&1 >/dev/full)
line "$?$err" '^1smc_chk: .*standard output: No space left on device$' 'a full device'
run doctor --problems
is "$(printf '%s\n' "$out" | grep -cE '^(ok|note) ')$(printf '%s\n' "$out" | grep -cE '^(warning|problem) ' | grep -c '^[1-9]')" 01 \
	'--problems leaves out what is well'
run doctor --problems -j
is "$(printf '%s' "$out" | jq -r '[.findings[].level] | unique | map(select(. == "ok" or . == "note")) | length')" 0 '--problems: in JSON, too'
capture "$chk" from tests/cli/host.tgz doctor --monitor
line "$rc$out" '^1SMC WARNING: SMC can work here: 2 warnings; pnetid lo: [^|]* \| problems=0 warnings=2$' '--monitor: warnings'
capture "$chk" from tests/cli/host.tgz doctor --monitor -i eth0
is "$rc$out" '0SMC OK: SMC can work here | problems=0 warnings=0' '--monitor: a net device that is well'
run doctor --monitor -i nosuch
is "$rc$out$err" "3smc_chk: no net device 'nosuch'" '--monitor: an error is UNKNOWN'
run doctor --monitor -j
is "$rc$out" 1 '--monitor and --json exclude each other'
run doctor
plain=$out
for option in -v --verbose --color=auto; do
	run doctor $option
	is "$out" "$plain" "$option changes nothing in a pipe"
done
run doctor -i nosuch
is "$rc$out$err" "1smc_chk: no net device 'nosuch'" "a net device that is not there"

# Messages quote untrusted text: errors of a recorded kernel, an ELF file, names of files.
build=$(dirname "$chk")
evil=$(printf 'a\033[2J\r\nb\233c\302\233d')
shown='a\\x1b\[2J\\x0d\\x0ab\\x9bc\\xc2\\x9bd'
# quoted TEXT: the last message is one line, has the name escaped, and nothing else that is not ASCII
quoted() {
	like "$err" "$shown" "$1: escaped"
	is "$(tr -d '[:print:]\n' <"$tmp/err" | wc -c) $(wc -l <"$tmp/err")" "0 $2" "$1: nothing reaches the terminal"
}
host $no_smc
mkdir -p "$root/netlink/SMC_PNETID"
printf 'smc-tools netlink 1 little 95 - %s\n' "$(printf '%s' "$evil" | tr -d '\n')" >"$root/netlink/SMC_PNETID/family"
shown='a\\x1b\[2J\\x0db\\x9bc\\xc2\\x9bd'
capture env SMC_TOOLS_ROOT="$root" "$build/smc_pnet"
quoted 'the words of a recorded answer' 1
shown='a\\x1b\[2J\\x0d\\x0ab\\x9bc\\xc2\\x9bd'
printf '0\n%s' "$evil" >"$root/probes/uname-release"
run -d
quoted 'the release of a kernel' 1
python3 - "$tmp/program" <<'END'
import sys
elf = open('/bin/true', 'rb').read()
at = elf.index(b'/lib', 64)
end = elf.index(b'\0', at)
evil = b'/a\033[2J\r\nb\x9bc\xc2\x9bd'
assert len(evil) <= end - at
open(sys.argv[1], 'wb').write(elf[:at] + evil + bytes(end - at - len(evil)) + elf[end:])
END
chmod +x "$tmp/program"
capture "$chk" program "$tmp/program"
quoted 'the loader in an ELF file' 1
mkdir "$tmp/$evil"
if [ -x "$build/smc_conf" ]; then
	capture "$build/smc_conf" check "$tmp/$evil/no"
	quoted 'the name of a file' 1
	capture "$build/smc_conf" check /übung/€
	like "$err" "'?/übung/€'?" 'what a user types can be read again'
fi

host $no_smc
mkdir "$root/lib"
touch "$root/lib/ld-linux.so.2"
printf '1\n/usr/lib32/ld_pre_smc.so\ni386' >"$root/probes/library-32"
run doctor
like "$out" ' shim .*serves 32-bit programs' 'a library for 32-bit programs'

# enabled UNIT COMMAND ANSWER: smc_unit has enabled the unit; ANSWER is the recorded answer whether it is confined
enabled() {
	mkdir -p "$root/etc/systemd/system/$1.service.d"
	echo "$1.service.d" >>"$root/etc/systemd/system@list"
	printf '[Service]\nEnvironment=%s\n' "$2" >"$root/etc/systemd/system/$1.service.d/zz-smc-tools.conf"
	# shellcheck disable=SC2059 # a format
	printf -- "$3" >"$root/probes/confined-$1_service"
}
preload=LD_PRELOAD=/usr/lib/ld_pre_smc.so bpf=/usr/bin/smc_bpf see='see docs/confinement.md'
# finds TEXT LINE...: level, check, object and remedy of each finding about confinement
finds() {
	local text=$1
	shift
	run doctor -j
	is "$(jq -r '.findings[] | select(.check == "confinement" or (.check == "kernel" and .level == "problem")) |
		"\(.level) \(.check) \(.object // "-"): \(.remedy // "-" | sub(" # .*"; ""))"' <<<"$out")" "$(printf '%s\n' "$@")" "$text"
}
host 0
enabled redis $preload '1\nSELinux denies smc_socket to redis_t'
enabled nginx $bpf '1\nthat profile denies SMC sockets'
enabled mysql $preload 0
finds 'services that are kept from SMC' "problem confinement nginx.service: $see" "warning confinement redis.service: $see"
echo 0 | tee "$root/probes/confined-nginx_service" >"$root/probes/confined-redis_service"
finds 'none of them is' 'ok confinement -: -'
host 13
printf '1\nlab' >"$root/probes/confined"
finds 'a profile for smc_chk itself' "problem kernel $release: $see"
host 1
echo 1 >"$root/probes/seccomp"
finds 'a filter of system calls, as containers have' "problem kernel $release: run smc_chk outside the sandbox"
host $no_smc
echo 1 >"$root/probes/seccomp"
mkdir -p "$root/sys/module/smc"
finds 'RestrictAddressFamilies= of systemd' "problem kernel $release: run smc_chk outside the sandbox"

host 0
for answer in -1 0; do
	echo "$answer" >"$root/probes/bpf-sockmaps"
	run doctor -v
	unlike "$out" sockmap "no map of sockets is known: $answer"
done
printf '2\nsocks\nops\x1b' >"$root/probes/bpf-sockmaps"
run doctor
like "$out" 'warning +sockmap .* socks .* ops\\x1b .*' 'a sock_ops program adds sockets to a map with a verdict'
printf '1\nsocks\n' >"$root/probes/bpf-sockmaps"
run doctor
like "$out" 'note +sockmap .* socks ' 'such a map that no sock_ops program uses'

# Faults of released kernels: releases with MSG_PEEK's, and those without or of unknown patches.
host 0
while read -r kernel later; do
	printf '0\n%s' "$kernel" >"$root/probes/uname-release"
	run doctor
	like "$(grep -A 1 MSG_PEEK <<<"$out" | tr '\n' ' ')" "^warning +kernel +$kernel .* kernel $later or later" "MSG_PEEK: $kernel"
done <<-END
	5.10.233 5.10.234
	5.15.177-lts 5.15.178
	6.1.127 6.1.128
	6.2.5 6.13.1
	6.12.11 6.12.12
END
for kernel in 5.10.234 6.1.128 6.1.0-50-amd64 6.12.12 6.13.1 6.14.2 7.2.13; do
	printf '0\n%s' "$kernel" >"$root/probes/uname-release"
	run doctor
	unlike "$out" MSG_PEEK "no fault of MSG_PEEK known: $kernel"
done

printf '0\n6.12.0-55.el10' >"$root/probes/uname-release"
mkdir -p "$root/sys/kernel/tracing/events/smc" && echo 1 >"$root/sys/kernel/tracing/events/smc/enable"
run doctor
unlike "$out" 'trace events' 'trace events of SMC without SMC-D'

echo 0 >"$root/probes/mptcp-sockets"
run doctor
unlike "$out" mptcp 'no MPTCP sockets'
echo 3 >"$root/probes/mptcp-sockets"
run doctor
like "$out" 'note +mptcp .* 3 .*GODEBUG=multipathtcp=0' 'MPTCP sockets'
unlike "$out" criu 'no criu'
mkdir -p "$root/usr/sbin" && : >"$root/usr/sbin/criu"
run doctor
like "$out" 'note +criu .* checkpoint' 'criu'
rm "$root/usr/sbin/criu"

# Names are strangers' words; what was not recorded is not counted.
host 0
enabled redis $preload '1\ndomain \x1b[2J'
enabled off $preload '-3\n'
run doctor
like "$out" 'domain \\x1b\[2J' 'a domain that is no word is escaped'
echo 0 >"$root/probes/confined-redis_service"
run doctor -j
like "$(jq -r '.findings[] | select(.check == "confinement").text' <<<"$out")" ' services \(1\) ' 'services of which nothing is known are not counted'

# This machine, unchanged.
"$chk" -j >"$tmp/out" 2>"$tmp/err"
rc=$?
is "$(jq .status "$tmp/out")$(<"$tmp/err")" "$rc" "this machine: the status is also in the document"
if python3 -c 'import socket; socket.socket(43)' 2>/dev/null; then
	skip "a kernel without SMC" "this one has it"
else
	is "$(jq -r '[.findings[] | select(.level == "problem" or .level == "warning") | .check] | unique[]' "$tmp/out" |
		grep -cx 'kernel\|module')" 1 "a kernel without SMC: that is the only thing to be mended"
fi
plan_done
