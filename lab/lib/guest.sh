# shellcheck shell=bash
# shellcheck disable=SC2015  # "a && b || c": c is for a failure of either
# shellcheck disable=SC2054  # QEMU's options have commas
# Starting guests, following them, and leaving nothing behind.

# An emulated time-stamp counter looks unstable on a busy host; without it the guest is slower
KERNEL_PARAMETERS="loglevel=6 panic=-1 oops=panic mitigations=off nokaslr tsc=reliable"
# On a busy host, timer ticks come late when the kernel tests its timer, and it would give up.
KERNEL_PARAMETERS+=" no_timer_check"
# Built-in drivers create net devices at once; as modules they are configured not to, in modprobe.d
KERNEL_PARAMETERS+=" dummy.numdummies=0 bonding.max_bonds=0"

GUESTS=()		# process ids of QEMU, by node
KERNEL_DIRS=() GUEST_ROOTS=() ACCELS=()		# by node, see prepare()
PUMPS=()		# processes that copy a guest's output

# Directory of this run, with a directory per node, writable for the guests
make_run_folder() {
	sweep_runs
	RUN=$(mktemp -d -- "$CACHE/run/XXXXXX") || die "cannot write in $CACHE/run"
	LAB_TMP+=("$RUN")
	exec {RUN_LOCK}>"$RUN/lock" && flock "$RUN_LOCK"
	mkdir -p -- "$RUN/shared" "$RUN/out"
	ln -s -- "$CACHE" "$RUN/cache"
	# QEMU runs inside RUN and gets short relative names: a socket's path has at most 107 bytes
	if [[ -n $OUT ]]; then
		mkdir -p -- "$OUT" || die "cannot write $OUT"
		OUT=$(realpath -- "$OUT")
		rmdir -- "$RUN/out"
		ln -s -- "$OUT" "$RUN/out"
	fi
}

# Directories of runs that were killed with SIGKILL: their lock is free
sweep_runs() {
	local dir fd
	for dir in "$CACHE"/run/*/; do
		[[ -e $dir/lock ]] || continue
		exec {fd}>>"$dir/lock"
		flock -n "$fd" && rm -rf -- "$dir"
		exec {fd}>&-
	done
}

# Settings of a guest: shell assignments, read by guest/init and guest/main
guest_config() {
	local node=$1 peer=$((3 - $1)) eid
	eid=${EIDS[$node]-$EID}
	printf '%s=%s\n' \
		NODE "$node" NAME "$(guest_name "$node")" MODE "$MODE" KERNEL "$KERNEL" GROUPS_WANTED "$(quote "$(module_groups)")" \
		RXE "$RXE" NET "$NET" NODES "$NODES" HOSTS "$HOSTS" RAILS "$RAILS" EIDS "$(quote "$eid")" TTY_SIZE "$(quote "$(stty size 2>/dev/null)")" \
		RUN_DIR /run/smc-lab/host WORK "$(quote "$WORK")" GUEST_TERM "$(quote "${TERM:-linux}")" \
		LAYERS "$(quote "${KERNEL_DIR#"$CACHE/"}/root ${GUEST_ROOT#"$CACHE/"}/root")" \
		SHARES "$(quote "$(shares)")" INSTALL "$(quote "$INSTALL")" \
		FAST "$(quote "$(printf '%s\n' "${FAST[@]}")")"
	((NODES == 2)) || return 0
	printf '%s=%s\n' IP "10.99.0.$node" PEER_IP "10.99.0.$peer" \
		IP6 "fd99:736d:6300::$node" PEER_IP6 "fd99:736d:6300::$peer"
}

# The work tree that a directory belongs to, else the directory
tree_of() {
	local dir=$1
	while [[ $dir != / && ! -e $dir/.git ]]; do dir=$(dirname -- "$dir"); done
	if [[ $dir == / ]]; then printf '%s\n' "$1"; else printf '%s\n' "$dir"; fi
}

# Directories of this machine that guests see at their paths, one a line, without those inside another one. The
# guest's own system is never hidden.
shares() {
	local dir last=
	{ tree_of "$WORK"; tree_of "$LAB"; printf '%s\n' "${FAST[@]}" "${SEEN[@]}"; } | LC_ALL=C sort -u | while IFS= read -r dir; do
		[[ -n $dir && ! $dir =~ ^/((bin|boot|dev|etc|lib[^/]*|proc|run|sbin|sys|usr|var|root|home|tmp)?$|proc/|sys/|dev/) ]] || continue
		[[ -z $last || $dir/ != "$last"/* ]] || continue
		last=$dir
		printf '%s\n' "$dir"
	done
}

guest_name() { if ((NODES == 1)); then echo smc-lab; else echo "smc-lab-$1"; fi; }

module_groups() {
	printf 'root smc'
	((NODES == 1)) || printf ' net'
	((!RXE)) || printf ' rxe'
}

# The initrd of a run: the cached one, followed by the scripts of this source tree and the
# configuration. The kernel unpacks one archive after the other.
make_initrd() {
	local node=$1 tree=$RUN/$1/initrd.d arg
	mkdir -p -- "$tree/lab/bin"
	cp -- "$LAB/guest/init" "$tree/init" &&
		cp -- "$LAB/guest/main" "$tree/lab/main" &&
		cp -- "$LAB"/guest/smc[-_]lab[-_]* "$tree/lab/bin" &&
		chmod -R a+rx "$tree" || die "cannot read $LAB/guest"
	guest_config "$node" >"$tree/lab/config"
	{
		printf 'exec'
		for arg in "${COMMAND[@]}"; do printf ' %s' "$(quote "$arg")"; done
		printf '\n'
	} >"$tree/lab/command"
	{ cat -- "$KERNEL_DIR/initrd" && pack_initrd "$tree"; } >"$RUN/$node/initrd" || die "cannot write in $RUN"
	rm -rf -- "$tree"
}

# The clock of an emulated guest does not depend on how busy this machine is while the guest boots. Where the
# counter cannot be read, the guest measures it.
tsc_parameter() {
	local khz
	[[ $ACCEL == tcg && $ARCH == amd64 ]] && ((!ICOUNT)) || return 0
	khz=$(/usr/bin/python3 -IS "$LAB/lib/tsc.py" 2>/dev/null) && printf 'tsc_early_khz=%s' "$khz"
}

# Some features of a processor make an emulated kernel slower: fast string instructions, which it then uses to copy byte
# by byte, a fifth level of page tables, and SMAP, which ends a translated block at each access to a program's memory.
# With a clock that counts instructions they stay, so that results remain comparable with earlier ones.
cpu_model() {
	printf 'max'
	[[ $ACCEL != tcg || $ARCH != amd64 ]] || ((ICOUNT)) || printf ',%s=off' erms fsrm la57 smap
}

# Skip slow self-tests of ciphers on an emulated processor.
emulated_parameters() {
	[[ $ACCEL != tcg ]] || printf cryptomgr.notests
}

# Auditing that is off at boot cannot be switched on later: tests that need it use SMC_LAB_APPEND.
audit_parameter() {
	[[ ${SMC_LAB_APPEND-} == *audit=* ]] || printf audit=0
}

qemu_arguments() {
	local node=$1
	qemu_program
	[[ -n ${SMC_LAB_REBOOT-} ]] || QEMU+=(-no-reboot)
	QEMU+=(-name "$(guest_name "$node")" -nodefaults -no-user-config -display none -vga none
		-cpu "$(cpu_model)" -smp "$CPUS" -m "$MEMORY"
		-kernel "$(boot_image "$KERNEL_DIR")" -initrd "$node/initrd"
		-append "console=$CONSOLE $KERNEL_PARAMETERS $(audit_parameter) $(tsc_parameter) $(emulated_parameters) ${SMC_LAB_APPEND-}"
		-chardev "file,id=console,path=$node/console.log" "${MACHINE[@]}"
		-device "virtio-rng-$BUS" -device "virtio-serial-$BUS"
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap
		-device "virtio-9p-$BUS,fsdev=root,mount_tag=root"
		-fsdev local,id=cache,path=cache,security_model=none,readonly=on,multidevs=remap
		-device "virtio-9p-$BUS,fsdev=cache,mount_tag=cache"
		-fsdev local,id=run,path=.,security_model=none,multidevs=remap -device "virtio-9p-$BUS,fsdev=run,mount_tag=run"
		-fsdev local,id=out,path=out,security_model=none,multidevs=remap -device "virtio-9p-$BUS,fsdev=out,mount_tag=out")
	case $ACCEL in
	kvm) QEMU+=(-accel kvm) ;;
	tcg) QEMU+=(-accel "tcg,thread=$( ((ICOUNT)) && echo single || echo multi)") ;;
	esac
	((!ICOUNT)) || QEMU+=(-icount shift=0,sleep=off)
	case $MODE in
	shell) QEMU+=(-chardev stdio,id=tty,signal=off -device virtconsole,chardev=tty) ;;
	run) QEMU+=(-chardev "file,id=stdout,path=$node/stdout" -device virtserialport,chardev=stdout,name=stdout
		-chardev "file,id=stderr,path=$node/stderr" -device virtserialport,chardev=stderr,name=stderr) ;;
	esac
	# a PCI function with a FID and a slot that can be switched off: one that takes no name from another device
	[[ $ARCH != s390x ]] || QEMU+=(-device zpci,uid=0x10,fid=0x20,target=pci -device virtio-rng-pci,id=pci)
	((NODES == 2)) || return 0
	QEMU+=(-netdev "stream,id=wire,server=$( ((node == 1)) && echo on || echo off),addr.type=unix,addr.path=wire"
		-device "virtio-net-$BUS,netdev=wire,$( [[ $BUS != pci ]] || echo romfile=, )mac=52:54:00:99:00:0$node")
}

# The kernel ends these children when this script ends, even by SIGKILL
tied() { exec setpriv --pdeathsig KILL -- "$@"; }

# pump FIFO COMMAND...: if the reader of our output is gone, the guest must not stall
pump() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	tied sh -c 'exec <"$1"; shift; "$@"; exec cat >/dev/null' pump "$@"
}

# A guest's stdout and stderr are separate pipes; lines of a pair are labelled
start_pumps() {
	local node=$1 stream fd
	for stream in stdout stderr; do
		mkfifo -- "$RUN/$node/$stream" || die "cannot write in $RUN"
		fd=1
		[[ $stream == stdout ]] || fd=2
		if ((NODES == 1)); then
			(pump "$RUN/$node/$stream" cat) >&$fd &
		else
			(pump "$RUN/$node/$stream" sed -u "s/^/$node| /") >&$fd &
		fi
		PUMPS+=($!)
	done
}

# prepare NODE: make the parts of a guest, or take them from the cache. Guests of a pair may differ.
prepare() {
	set_arch "${NODE_ARCH[$1]}"
	KERNEL=${NODE_KERNEL[$1]}
	for_arch "$KERNEL"
	need_host check "$KERNEL"
	make_cache
	need_qemu
	[[ $ARCH != s390x || $NODES == 1 ]] || good_checksums ||
		die "no pair on s390x: this QEMU computes wrong checksums there, which one of version 8 or later does not"
	need_kernel "$KERNEL"
	KERNEL_DIRS[$1]=$CACHE/kernels/$(readlink -- "$CACHE/kernels/$(kernel_link "$KERNEL")" || echo "$KERNEL")
	need_root
	GUEST_ROOTS[$1]=$GUEST_ROOT
	need_accel "${KERNEL_DIRS[$1]}"
	ACCELS[$1]=$ACCEL
}

# become NODE: the following functions act on that guest
become() {
	set_arch "${NODE_ARCH[$1]}"
	KERNEL=${NODE_KERNEL[$1]}
	KERNEL_DIR=${KERNEL_DIRS[$1]} GUEST_ROOT=${GUEST_ROOTS[$1]} ACCEL=${ACCELS[$1]}
}

start_guest() {
	local node=$1 QEMU
	mkdir -p -- "$RUN/$node"
	become "$node"
	make_initrd "$node"
	[[ $MODE == shell ]] || start_pumps "$node"
	qemu_arguments "$node"
	local input=/dev/null
	[[ $MODE != shell ]] || input=/dev/tty
	(cd -- "$RUN" && tied "${QEMU[@]}") <"$input" 2>"$RUN/$node/qemu.log" &
	GUESTS[node]=$!
}

# Start the listening end of the wire before the other one connects
await_wire() {
	while [[ ! -S $RUN/wire ]] && kill -0 "${GUESTS[1]}" 2>/dev/null; do sleep 0.02; done
}

guest_status() { cat -- "$RUN/$1/status" 2>/dev/null; }

# Ends guests that reported their status a while ago: an emulated s390x does not always power off.
end_told() {
	local node
	for node in "${!GUESTS[@]}"; do
		[[ -n $(guest_status "$node") ]] || continue
		[[ -z ${TOLD[node]-} ]] || kill -KILL "${GUESTS[node]}"
		TOLD[node]=1
	done
}

# A guest may be booted again until it has started a command.
booting() { ! grep -qs 'smc-lab: ready' "$RUN"/*/console.log; }

# stalled NODE: a processor gets no timer interrupts
stalled() { grep -Eqs 'rcu: INFO: .*detected .*stalls?( |$)' "$RUN/$1/console.log"; }

# Ends guests that are stuck in their boot, which is tried again then. The last attempt may take its time.
end_stalled() {
	local node
	((TRIES_LEFT)) && booting || return 0
	for node in "${!GUESTS[@]}"; do
		! stalled "$node" || kill -KILL "${GUESTS[node]}"
	done
}

# Waits until all guests are off, one is off without a status, or time is up. Sets FAILURE.
follow_guests() {
	local timer tick left=$NODES pid node TOLD=()
	(tied sleep "$SECONDS_LIMIT") &
	timer=$!
	(tied sleep 20) &
	tick=$!
	while ((left > 0)); do
		pid=
		# suppress the shell's message about a killed job
		wait -n -p pid "${GUESTS[@]}" "$timer" "$tick" 2>/dev/null
		if [[ $pid == "$tick" ]]; then
			end_told
			end_stalled
			(tied sleep 20) &
			tick=$!
			continue
		fi
		if [[ $pid == "$timer" ]]; then
			FAILURE="no end after $SECONDS_LIMIT s" STATUS=124
			break
		fi
		for node in "${!GUESTS[@]}"; do
			[[ ${GUESTS[node]} == "$pid" ]] || continue
			unset "GUESTS[node]"
			((left--))
			[[ -n $(guest_status "$node") ]] && continue
			FAILURE="$(guest_name "$node") died$(last_words "$node")" STATUS=125 FAILED_NODE=$node
			break 2
		done
	done
	stop_children "${GUESTS[@]}" "$timer" "$tick"
	GUESTS=()
}

# The guest's reason for giving up, or QEMU's message if it did not start
last_words() {
	cat -- "$RUN/$1/console.log" "$RUN/$1/qemu.log" 2>/dev/null | tr -d '\r' |
		sed -nE 's/^(smc-lab|qemu-system-[^:]*): (.*)/: \2/p' | grep -v 'ready after' | tail -n 1
}

stop_children() {
	local pid
	for pid; do kill -KILL "$pid" 2>/dev/null; done
	for pid; do wait "$pid" 2>/dev/null; done
}

# Everything the guests wrote is in the pipes when QEMU has ended; they end with it. After a failure
# nobody may be reading our own output any more: ten seconds without an end are enough then.
drain_pumps() {
	local pid i
	for ((i = 0; i < 200 && ${#FAILURE} > 0; i++)); do
		kill -0 "${PUMPS[@]}" 2>/dev/null || break
		sleep 0.05
	done
	[[ -z $FAILURE ]] || stop_children "${PUMPS[@]}"
	for pid in "${PUMPS[@]}"; do wait "$pid" 2>/dev/null; done
	PUMPS=()
}

# Keep the console log after the run
keep_logs() {
	local node to
	LOGS=()
	for ((node = 1; node <= NODES; node++)); do
		if [[ -n $OUT ]]; then
			to=$OUT/console-$node.log
		else
			to=$CACHE/logs/$(date +%Y%m%d-%H%M%S)-$$-$node.log
		fi
		cat -- "$RUN/$node/console.log" "$RUN/$node/qemu.log" 2>/dev/null | tr -d '\r' >"$to"
		LOGS[node]=$to
	done
	find "$CACHE/logs" -name '*.log' -mtime +7 -delete 2>/dev/null
}

report_failure() {
	local node
	for node in "${!LOGS[@]}"; do
		[[ -n $FAILURE ]] && ((${FAILED_NODE:-node} == node)) && show_console "$node"
		grep -Eq 'WARNING: |BUG: |Oops|Kernel panic' -- "${LOGS[node]}" &&
			say "the kernel of $(guest_name "$node") complained: $(grep -Em1 'WARNING: |BUG: |Oops|Kernel panic' -- "${LOGS[node]}")"
	done
	((!STATUS)) || say "${FAILURE:-the command ended with $STATUS}; console log: ${LOGS[*]}"
}

show_console() {
	say "last lines of $(guest_name "$1")'s console:"
	tail -n 20 -- "${LOGS[$1]}" | sed 's/^/    /' >&2
}

# The command's own status; a pair's is that of node 1, or else of node 2
set_status() {
	local node
	for ((node = 1; node <= NODES && STATUS == 0; node++)); do STATUS=$(guest_status "$node"); done
}

clean_up() {
	trap '' INT TERM HUP
	stop_children "${GUESTS[@]}" "${PUMPS[@]}"
	remove_tmp
}

boot_guests() {
	local node
	STATUS=0 FAILURE='' FAILED_NODE='' LOGS=()
	for ((node = 1; node <= NODES; node++)); do
		start_guest "$node"
		((node == NODES)) || await_wire
	done
	follow_guests
	drain_pumps
}

# An emulated processor now and then trips over code that the kernel patches while it boots, or gets no timer
# interrupts, and QEMU 10 trips over its own tables of memory (iotlb_to_section).
failed_at_boot() {
	[[ -n $FAILED_NODE ]] && booting &&
		{ grep -Eqs 'Kernel panic|Oops' "$RUN/$FAILED_NODE/console.log" || stalled "$FAILED_NODE" ||
			grep -qs 'Assertion .* failed' "$RUN/$FAILED_NODE/qemu.log"; }
}

# Boots NODES guests with the options of the command line; sets STATUS
run_guests() {
	make_run_folder
	[[ $MODE != shell ]] || say "booting $KERNEL with ${ACCELS[1]}; 'exit' ends it"
	for TRIES_LEFT in 2 1 0; do
		boot_guests
		failed_at_boot || break
		((TRIES_LEFT)) || break
		say "the guest failed while it booted: once more"
		rm -rf -- "$RUN"/[12] "$RUN"/shared/.sync.* "$RUN/wire"
	done
	[[ -n $FAILURE ]] || set_status
	if ((STATUS)) || [[ -n $OUT ]]; then
		keep_logs
		report_failure
	fi
}
