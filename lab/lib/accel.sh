# shellcheck shell=bash
# KVM or emulation. /dev/kvm may exist and still hang a guest, so KVM is believed only after it has
# booted our own kernel in time; the answer holds until the host boots again.

PROBE_SECONDS=15

# need_accel KERNEL_DIR: sets ACCEL to kvm or tcg
need_accel() {
	local boot cached fd
	ACCEL=${SMC_LAB_ACCEL:-}
	case $ACCEL in
	kvm | tcg) return ;;
	'') ;;
	*) die "SMC_LAB_ACCEL must be kvm or tcg, not '$ACCEL'" ;;
	esac
	if is_foreign; then
		ACCEL=tcg
		return
	fi
	boot=$(</proc/sys/kernel/random/boot_id)
	lock accel fd
	read -r cached ACCEL 2>/dev/null <"$CACHE/accel" || true
	if [[ ${cached:-} != "$boot" || ! ${ACCEL:-} =~ ^(kvm|tcg)$ ]]; then
		if probe_kvm "$1"; then ACCEL=kvm; else ACCEL=tcg; fi
		printf '%s %s\n' "$boot" "$ACCEL" >"$CACHE/accel"
	fi
	exec {fd}>&-
}

probe_kvm() {
	local log
	[[ -r /dev/kvm && -w /dev/kvm ]] || return
	say "asking KVM for a guest (at most $PROBE_SECONDS s, once per boot of this machine)"
	log=$(timeout -k 1 "$PROBE_SECONDS" setpriv --pdeathsig KILL qemu-system-x86_64 \
		-accel kvm -cpu max -smp 2 -m 512 -nodefaults -no-user-config -display none -no-reboot \
		-serial stdio -kernel "$1/vmlinuz" -initrd "$1/initrd" \
		-append "console=ttyS0 panic=-1 quiet rdinit=/bin/busybox -- echo smc-lab-probe" 2>/dev/null </dev/null)
	[[ $log == *smc-lab-probe* ]] && return
	say "KVM does not work here: emulating"
	return 1
}
