# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The kernel's headers for musl, which has none: those of the compiler for glibc, without its other headers.

# header_dir NAME: where that compiler finds a header, without NAME
header_dir() { echo "#include <$1>" | ${CC:-cc} -E -x c - 2>/dev/null | sed -n "s,^# 1 \"\(/.*\)/$1\".*,\1,p" | head -n 1; }

# link_header DIRECTORY NAME: link the first part of NAME, a directory or a header, into DIRECTORY, if it exists
link_header() {
	set -- "$1" "${2%%/*}" "$(header_dir "$2")"
	[ -z "$3" ] || ln -sfn "$3/$2" "$1/$2"
}

# link_kernel_headers DIRECTORY
link_kernel_headers() {
	mkdir -p "$1" && link_header "$1" linux/types.h && link_header "$1" asm/types.h &&
		link_header "$1" asm-generic/types.h && link_header "$1" rdma/ib_user_verbs.h
}
