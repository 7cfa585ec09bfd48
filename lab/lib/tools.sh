# shellcheck shell=bash
# Programs for the guests: what guest/packages names and this machine lacks becomes a directory that
# lies over the host's root in a guest.

guest_packages() {
	local python
	python=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	sed -e '/^#/d' -e "s/@PYTHON@/$python/" -- "$LAB/guest/packages"
}

# A layer fits one state of the host's packages: it holds the difference
tools_key() { { dpkg-query -W; guest_packages; } | sha256sum | cut -c1-16; }

# Sets TOOLS, and keeps the layer locked against removal as long as this process runs
need_tools() {
	local key
	key=$(tools_key)
	TOOLS=$CACHE/tools/$key
	if ! has_stamp "$TOOLS" "$key"; then
		if (artefact "tools/$key" "$key" build_tools); then
			sweep_tools "$key"
		else
			TOOLS=$(newest_tools)
			[[ -n $TOOLS ]] || exit 125
			say "going on with the guest programs of an earlier state of this machine"
		fi
	fi
	exec {TOOLS_LOCK}<"$TOOLS/.stamp" && flock -s "$TOOLS_LOCK"
}

# apt prints only what it would add to this machine (or replace on it)
build_tools() {
	local wanted missing name dir=$1
	index host || { say "cannot fetch package lists"; return 1; }
	mapfile -t wanted < <(guest_packages)
	for name in "${wanted[@]}"; do
		lab_apt host apt-cache show "$name" >/dev/null 2>&1 || say "no package $name here: left out"
	done
	mapfile -t wanted < <(lab_apt host apt-cache show "${wanted[@]}" 2>/dev/null |
		sed -n 's/^Package: //p' | sort -u)
	mapfile -t missing < <(lab_apt host apt-get -qq -y --no-install-recommends --print-uris \
		install "${wanted[@]}" | awk '{print $2}')
	say "downloading ${#missing[@]} packages for the guests"
	terse lab_apt host apt-get -qq -y --no-install-recommends --download-only install "${wanted[@]}" || return
	unpack_tools "$dir" "${missing[@]}"
}

unpack_tools() {
	local dir=$1 file
	shift
	mkdir -p -- "$dir/root"
	for file; do
		unpack "$CACHE/debs/$file" "$dir/root" || return
		rm -f -- "$CACHE/debs/$file"
	done
}

newest_tools() {
	local dir
	# shellcheck disable=SC2012  # the names are hexadecimal
	dir=$(ls -t -- "$CACHE"/tools/*/.stamp 2>/dev/null | head -n 1)
	printf '%s\n' "${dir%/.stamp}"
}

# Layers of earlier states of the host go when no guest uses them
sweep_tools() {
	local dir fd
	for dir in "$CACHE"/tools/*/; do
		[[ ${dir%/} == */"$1" || ! -e $dir/.stamp ]] && continue
		exec {fd}<"$dir/.stamp"
		flock -n "$fd" && rm -rf -- "$dir"
		exec {fd}>&-
	done
}
