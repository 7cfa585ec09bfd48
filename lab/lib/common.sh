# shellcheck shell=bash
# shellcheck disable=SC2015  # "a && b || c": c is for a failure of either
# Messages, the cache directory, locks, and artefacts that are either whole or absent.

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/smc-tools/lab
LAB_TMP=()		# files to remove when this process exits, however it does

say() { printf 'smc-lab: %s\n' "$*" >&2; }

# Failures of the lab itself: one line, status 125.
die() { say "$*"; exit 125; }

quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

remove_tmp() {
	local path
	for path in "${LAB_TMP[@]}"; do rm -rf -- "$path"; done
	LAB_TMP=()
}

make_cache() {
	mkdir -p -- "$CACHE"/{locks,debs/partial,apt,kernels,roots,run,logs} ||
		die "cannot write the cache directory $CACHE"
}

# lock NAME FD_VARIABLE: the kernel drops it when the holder ends, so no stale locks exist.
lock() {
	local -n lock_fd=$2
	exec {lock_fd}>"$CACHE/locks/${1//\//_}" || die "cannot write in $CACHE/locks"
	flock -n "$lock_fd" && return
	say "waiting for another run that is preparing $1"
	flock "$lock_fd"
}

has_stamp() { [[ -e $1/.stamp && $(<"$1/.stamp") == "$2" ]]; }

# artefact NAME STAMP BUILDER [ARG...]: makes the directory $CACHE/NAME once, by "BUILDER ARG... DIRECTORY".
# The directory gets its name only when it is complete: a run that was killed leaves nothing that
# looks finished, and the next run removes its remains.
artefact() {
	local dir=$CACHE/$1 name=$1 stamp=$2 fd
	shift 2
	has_stamp "$dir" "$stamp" && return
	lock "$name" fd
	if ! has_stamp "$dir" "$stamp"; then
		rm -rf -- "$dir".tmp.*
		LAB_TMP+=("$dir.tmp.$$")
		mkdir -p -- "$dir.tmp.$$" || die "cannot write $dir"
		"$@" "$dir.tmp.$$" || die "cannot prepare $name"
		printf '%s\n' "$stamp" >"$dir.tmp.$$/.stamp" || die "cannot write $dir"
		rm -rf -- "$dir"
		mv -T -- "$dir.tmp.$$" "$dir" || die "cannot write $dir"
	fi
	exec {fd}>&-
}

# point NAME TARGET: an atomic symbolic link inside the cache
point() {
	ln -sfn -- "$2" "$CACHE/$1.new.$$" && mv -Tf -- "$CACHE/$1.new.$$" "$CACHE/$1" ||
		die "cannot write $CACHE/$1"
}
