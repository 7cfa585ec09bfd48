# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For podman*.t: the tools as make install puts them into the guest's root.
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"

# in_podman WHAT [TEST...]: a part of guest/podman.py, or some of it
in_podman() {
	local root
	if [ ! -x "$BUILD/smc_bpf" ]; then
		echo "ok 1 - smc_bpf oci-hook # SKIP smc_bpf was not built: see 'make'"
		echo 1..1
		return
	fi
	if [ -z "${INSTALLED-}" ]; then
		root=$(mktemp -d) || return
		# shellcheck disable=SC2064 # of now
		trap "rm -rf '$root'" EXIT
		chmod 755 "$root"
		# As the tutorial says it, but for what would install packages.
		MAKELEVEL='' MAKEFLAGS=" -- O=$BUILD DESTDIR=$root HAVE_32=" \
			sh -ec "$(sed -n '/^<!-- install/,/^```$/{ s/^\$ make/make/p; s/^\$ tests/test -x tests/p; }' docs/tutorial.md)" >/dev/null || return
		cp "$(command -v promtool || echo "${XDG_CACHE_HOME:-$HOME/.cache}/smc-tools/prometheus/usr/bin/promtool")" "$root/usr/bin/" ||
			echo '# no promtool: tests/setup fetches it'
		INSTALLED=$root
	fi
	in_lab run -k lo -t 2400 --cpus 2 ${OUT:+-o "$OUT"} -- "podman.py $BUILD/tests/programs $*"
}
