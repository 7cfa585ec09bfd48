# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Programs of these tests for another C library than the build's; for musl.sh and old.sh.
# shellcheck source=tests/headers.sh
. "$here/../headers.sh"

# build_programs DIRECTORY COMPILER: the programs, in a directory as the build's
build_programs() {
	mkdir -p "$1/tests/preload" "$1/tests/kernel" && cp "$shim" "$BUILD/smc_keep" "$BUILD/smc_run" "$1" &&
		link_kernel_headers "$1/uapi" || return
	(
		cd "$here/../.." || exit
		dir=$1 compiler=$2
		for file in tests/preload/*.c tests/twin tests/kernel/polled.c; do
			case $file in
			tests/twin) set -- -pthread -o "$dir/twin" tests/twin/*.c; file=-lpthread ;;
			*/go_*.c | */invalid.c | */instructions.c | */errnos.c | */nodlsym_lib.c) continue ;;
			*_lib.c) set -- -fPIC -shared -o "$dir/${file%_lib.c}.so" ;;
			*) set -- -pthread -o "$dir/${file%.c}" ;;
			esac
			$compiler -std=c17 -D_GNU_SOURCE -O2 -Wall -Werror -I. -Ilib -Iextra -idirafter "$dir/uapi" "$@" "$file" || exit
		done
	)
}

# run_parts DIRECTORY PART...: other parts of these tests, unchanged except for what they compile, with these programs
run_parts() {
	BUILD=$1 CC=false "$here/run" "${@:2}" >"$tmp/parts" 2>&1
	is "$?" 0 'the other parts: their status'
	while read -r line; do
		case $line in
		'ok '*'# SKIP'*) echo "# not here: ${line#* - }" ;;
		'ok '*) ok 0 "${line#* - }" ;;
		'not ok '*) ok 1 "${line#* - }" ;;
		'#'*) echo "$line" ;;
		esac
	done <"$tmp/parts"
}
