# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For suites of guests: collect often-started files in one directory, run a test in the lab.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
BUILD=${BUILD:-$PWD/build}
# Variables:
# LAB_ARCH=s390x: another architecture, for which BUILD is a build. LAB_ARCH=s390x,amd64: a pair, with PEER_BUILD for
# guest 2.
# LAB_KERNEL=7.2: another kernel than the test names.
# GUEST_ENV=VARIABLE=VALUE: for the test in the guest.
# INSTALLED=DIR: tools and library of DIR, laid over the guest's root; only test programs are those of BUILD.

# stage_tools BUILD DIR
stage_tools() {
	local tools=("$1"/smc* "$1"/ld_pre_smc*.so)
	[ -z "${INSTALLED-}" ] || tools=()
	mkdir "$2" && cp -r packaging/apparmor "${tools[@]}" "$1/tests/kernel/." "$1/twin" ld_pre_smc/differences ld_pre_smc/repairs docs/rows.py profiles "$1/tests/preload/stress" "$1/tests/preload/sandbox" "$1/tests/preload/errnos" \
		"$1/bench/life" packaging/*.service packaging/*.rules packaging/metrics/smc-metrics \
		tests/tap.py tests/kernel/guest/. "$2"
}

# in_lab run|pair|"cluster HOSTS" [OPTION...] -- TEST: TEST is a file in tests/kernel/guest, with arguments; guest 1 of a pair reports.
in_lab() {
	# The limit is for guests that hang, and long enough for a busy machine. OPTIONs may set another.
	# One processor per guest, as tests/run starts more guests than there are processors, and those of an emulated
	# guest wait for each other. Tests of concurrency set --cpus 2.
	local how=$1 options=(-t 1200 --cpus 1 --see "$BUILD" ${LAB_ARCH:+-a "$LAB_ARCH"}) stage status
	[ -z "${INSTALLED-}" ] || options+=(--install "$INSTALLED")
	shift
	while [ "$1" != -- ]; do
		# Kernel 6.1 hangs with Soft-RoCE.
		[ "$1" = --rxe ] && [ "${LAB_KERNEL-}" = 6.1 ] || options+=("$1")
		shift
	done
	[ -z "${LAB_KERNEL-}" ] || options+=(-k "$LAB_KERNEL")
	stage=$(mktemp -d) || return
	if ! stage_tools "$BUILD" "$stage/tools" || { [ -n "${PEER_BUILD-}" ] && ! stage_tools "$PEER_BUILD" "$stage/tools/peer"; }; then
		rm -rf "$stage"
		return 1
	fi
	# shellcheck disable=SC2086  # a cluster has a number
	"${SMC_LAB_COMMAND:-lab/smc-lab}" $how "${options[@]}" --fast "$stage/tools" -- sh -c "
		tools=\$SMC_LAB_FAST/tools
		[ \$SMC_LAB_NODE = 1 ] || [ ! -d \$tools/peer ] || tools=\$tools/peer
		SMC_LEARN=0 ${GUEST_ENV-} PATH=\$tools:\$PATH exec python3 -B \$tools/$2" |
		sed -u 's/^2| /# node 2: /; s/^1| //'
	status=${PIPESTATUS[0]}
	rm -rf "$stage"
	return "$status"
}
