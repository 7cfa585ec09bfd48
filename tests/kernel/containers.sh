# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests of containers: the tools as make install puts them into the guest's root.
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"

REMOVE=()	# at the end of the test
trap 'rm -rf --one-file-system "${REMOVE[@]}"' EXIT

# install_tools: sets INSTALLED, unless it is set
install_tools() {
	[ -z "${INSTALLED-}" ] || return 0
	INSTALLED=$(mktemp -d) || return
	REMOVE+=("$INSTALLED")
	chmod 755 "$INSTALLED"
	# Commands of the tutorial, except those that install packages.
	MAKELEVEL='' MAKEFLAGS=" -- O=$BUILD DESTDIR=$INSTALLED HAVE_32=" \
		sh -ec "$(sed -n '/^<!-- install/,/^```$/{ s/^\$ make/make/p; s/^\$ tests/test -x tests/p; }' docs/tutorial.md)" >/dev/null || return
	! command -v promtool >/dev/null || cp "$(command -v promtool)" "$INSTALLED/usr/bin/"
}

# in_installed [OPTION...] -- TEST: as in_lab, with the installed tools
in_installed() {
	if [ ! -x "$BUILD/smc_bpf" ]; then
		echo "ok 1 - smc_bpf oci-hook # SKIP smc_bpf was not built: see 'make'"
		echo 1..1
		return
	fi
	install_tools && in_lab run -k lo -t 2400 --cpus 2 ${OUT:+-o "$OUT"} "$@"
}
