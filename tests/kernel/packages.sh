# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests of guests whose root has more packages than others.
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"
# shellcheck disable=SC2034  # for the lab
LAB=$PWD/lab
for file in lab/lib/*.sh; do
	# shellcheck source=/dev/null
	. "$file"
done
trap remove_tmp EXIT

# UNPACK is unpack_missing, or unpack_only.
UNPACK=unpack_missing

# unpack_only INDEX DIRECTORY PACKAGE...: without the packages that they depend on
unpack_only() {
	local debs
	mapfile -t debs < <(fetch_debs "$1" "${@:3}")
	((${#debs[@]})) && mkdir -p "$2" && unpack "${debs[@]}" "$2"
}

# build_more PACKAGE... DIRECTORY
build_more() {
	local root=${!#}/root file
	index host.amd64 && "$UNPACK" host.amd64 "$root" "${@:1:$#-1}" || return
	find "$root" ! -type d -printf '%P\0' | while IFS= read -rd '' file; do
		[[ ! -e $GUEST_ROOT/root/$file && ! -L $GUEST_ROOT/root/$file ]] || printf '%s\0' "$root/$file"
	done | xargs -0r rm -f --
	find "$root" -depth -type d -empty -delete
	# Compile these files, as the guest's own are; otherwise each start of Python would do so.
	/usr/bin/python3 -IS -m compileall -qq -s "$root" "$root"/usr/lib/python3* >/dev/null 2>&1
	return 0
}

# need_packages NAME PACKAGE...: sets MORE to a directory with the files of these packages and of their dependencies
# that the guest's root lacks
need_packages() {
	local name=$1 key
	shift
	set_arch amd64
	make_cache
	need_root
	key=$({ root_key; echo "$@"; cat tests/kernel/packages.sh; } | sha256sum | cut -c1-16)
	mkdir -p "$CACHE/more"
	artefact "more/$name" "$key" build_more "$@"
	# shellcheck disable=SC2034 # for the tests
	MORE=$CACHE/more/$name/root
}
