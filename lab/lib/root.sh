# shellcheck shell=bash
# shellcheck disable=SC2015  # "a && b || c": c is for a failure of either
# The guests' root: a tree of packages of this machine's release and the guest's architecture, whatever this machine
# itself has installed.

# Names as apt knows them in this release; @PYTHON@ is the version of its python3, like 3.11.
guest_packages() {
	local python
	python=$(lab_apt "host.$ARCH" apt-cache show python3 2>/dev/null | sed -nE 's/^Depends:.* python3\.([0-9]+) .*/3.\1/p' | head -n 1)
	{
		sed -e '/^#/d' -e "s/@PYTHON@/$python/" -- "$LAB/guest/packages"
		# the libraries that the tools are linked with
		awk '!/^#/ && $2 != "-" && NF { print $3 }' "$LAB/../packaging/packages"
	} | sort -u
}

# A tree fits one release and one list of packages
root_key() {
	{ host_codename; echo "$ARCH"; cat -- "$LAB/guest/packages" "$LAB/../packaging/packages" "$LAB/lib/root.sh"; } | sha256sum | cut -c1-16
}

# Sets GUEST_ROOT, and keeps the tree locked against removal as long as this process runs. Tries again if another
# process removes the tree before it is locked.
need_root() {
	local tries
	for tries in 1 2 3; do
		find_root
		{ exec {ROOT_LOCK}<"$GUEST_ROOT/.stamp"; } 2>/dev/null && flock -s "$ROOT_LOCK" && touch -c -- "$GUEST_ROOT/.stamp" &&
			[[ -e $GUEST_ROOT/.stamp ]] && return
	done
	die "the guests' root $GUEST_ROOT was removed $tries times"
}

find_root() {
	local key
	key=$(root_key)
	GUEST_ROOT=$CACHE/roots/$ARCH-$key
	if ! has_stamp "$GUEST_ROOT" "$key"; then
		if (artefact "roots/$ARCH-$key" "$key" build_root); then
			sweep_roots "$key"
		else
			GUEST_ROOT=$(newest_root)
			[[ -n $GUEST_ROOT ]] || exit 125
			say "going on with the guests' root of an earlier state of this tree"
		fi
	fi
}

build_root() {
	local wanted there name dir=$1 suite
	suite=host.$ARCH
	need_cross
	index "$suite" || { say "cannot fetch package lists"; return 1; }
	mapfile -t wanted < <(guest_packages)
	mapfile -t there < <(lab_apt "$suite" apt-cache show "${wanted[@]}" 2>/dev/null |
		sed -n 's/^Package: //p' | sort -u)
	for name in "${wanted[@]}"; do
		[[ " ${there[*]} " == *" $name "* ]] || say "no package $name here: left out"
	done
	unpack_missing "$suite" "$dir/root" "${there[@]}" && configure_root "$dir/root"
}

# What the packages' own scripts would do, as far as guests need it: those do not run
configure_root() {
	local root=$1 name
	for name in passwd group; do
		cp -- "$root/usr/share/base-passwd/$name.master" "$root/etc/$name" || return
	done
	cp -- "$root"/usr/share/{base-files,libc-bin}/nsswitch.conf "$root/etc/" 2>/dev/null
	[[ -e $root/etc/nsswitch.conf ]] || return
	[[ -e $root/usr/bin/sh ]] || ln -s dash "$root/usr/bin/sh"
	[[ -e $root/usr/bin/awk ]] || ln -s mawk "$root/usr/bin/awk"
	ln -sfn ../proc/self/mounts "$root/etc/mtab"
	mkdir -p -- "$root"/{mnt,media,opt,srv}
	ln -sfn /run "$root/var/run"
	: >"$root/etc/machine-id"
	# without it each start of Python compiles what it imports, emulated; some files of its own tests cannot be compiled
	/usr/bin/python3 -IS -m compileall -qq -j0 -s "$root" "$root"/usr/lib/python3* >/dev/null 2>&1
	# without it each program looks for its libraries in dozens of directories, through 9p
	if is_foreign; then
		"$CROSS/bin/qemu-$QEMU_NAME-static" -L "$root" "$root/sbin/ldconfig" -r "$root"
	else
		PATH=$PATH:/usr/sbin:/sbin ldconfig -r "$root"
	fi
}

newest_root() {
	local dir
	# shellcheck disable=SC2012  # the names are hexadecimal
	dir=$(ls -t -- "$CACHE/roots/$ARCH"-*/.stamp 2>/dev/null | head -n 1)
	printf '%s\n' "${dir%/.stamp}"
}

# Trees of earlier states go when no guest has used them for a day: other work trees may have other lists
sweep_roots() {
	local dir fd
	for dir in "$CACHE/roots/$ARCH"-*/; do
		[[ ${dir%/} == *-"$1" || -z $(find "$dir/.stamp" -mmin +1440 2>/dev/null) ]] && continue
		exec {fd}<"$dir/.stamp"
		flock -n "$fd" && rm -rf -- "$dir"
		exec {fd}>&-
	done
}
