# shellcheck shell=bash
# Packages by name through apt, from the machine's own configured source, without touching apt's
# state on the host: private lists, private archives. apt checks every signature and every hash.

# shellcheck source=/dev/null
host_codename() { (. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-}"); }

# Sources configured on this machine: URI|SUITE|COMPONENT|FILE:STANZA, one per line
configured_sources() {
	# shellcheck disable=SC2016  # these are apt's own variables
	apt-get indextargets --no-release-info 'Created-By: Packages' \
		--format '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(SOURCESENTRY)' 2>/dev/null | awk '!seen[$0]++'
}

# The Signed-By field of a configured source (FILE:NUMBER), as a deb822 field; nothing when it has none.
# A number counts stanzas in a .sources file, lines in a .list file.
signed_by() {
	local file=${1%:*} number=${1##*:}
	if [[ $file == *.sources ]]; then
		grep -v '^#' "$file" | awk -v RS= -v n="$number" 'NR == n' |
			awk 'tolower($1) == "signed-by:" {on = 1; print; next} /^[^ \t]/ {on = 0} on'
	else
		sed -n "${number}p" "$file" | sed -nE 's/.*\[.*signed-by=([^] ]*).*/Signed-By: \1/p'
	fi
}

# The distribution's main source, as URI|SUITE|COMPONENT|ENTRY. Third parties may use the same suite
# name: take the first one signed with the distribution's keyring.
main_source() {
	local all
	all=$(configured_sources | awk -F'|' -v s="$(host_codename)" '$3 == "main" && ($2 == s || $2 == "stable")')
	{
		while IFS= read -r line; do
			[[ $(signed_by "${line##*|}") == *debian-archive-keyring* ]] && printf '%s\n' "$line"
		done <<<"$all"
		printf '%s\n' "$all"
	} | grep . | head -n 1
}

# stanza URI SUITE ENTRY: a deb822 stanza, signed as ENTRY
stanza() {
	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "$2"
	signed_by "$3"
	printf '\n'
}

# The distribution's sources as configured (main, updates, security), without third parties
host_stanzas() {
	local main uri suite component entry
	main=$(signed_by "$(main_source | cut -d'|' -f4)")
	configured_sources | while IFS='|' read -r uri suite component entry; do
		[[ $component == main && $suite == "$(host_codename)"* && $(signed_by "$entry") == "$main" ]] &&
			stanza "$uri" "$suite" "$entry"
	done
	return 0
}

suite_stanza() {
	local uri entry
	IFS='|' read -r uri _ _ entry < <(main_source)
	[[ -n $uri ]] || die "found no apt source of this distribution's main archive on this machine"
	stanza "$uri" "$1" "$entry"
}

# suite_stanzas NAME: sources of a suite, of the host's configuration ("host"), of that and its backports, or of the
# source packages of the host's release ("source")
suite_stanzas() {
	case $1 in
	host) host_stanzas ;;
	source) suite_stanza "$(host_codename)" | sed 's/^Types: deb$/Types: deb-src/' ;;
	host+backports)
		host_stanzas
		suite_stanza "$(host_codename)-backports" ;;
	*) suite_stanza "$1" ;;
	esac
}

# lab_apt INDEX COMMAND...: apt-get or apt-cache that see only the private INDEX; host.ARCH is one of a machine with
# nothing installed: packages come with all their dependencies
lab_apt() {
	local dir=$CACHE/apt/$1 tool=$2 bare=()
	[[ $1 == *.* ]] && bare=(-o APT::Architecture="${1#*.}" -o APT::Architectures::="${1#*.}"
		-o Dir::State::status="$dir/status")
	shift 2
	LC_ALL=C "$tool" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$dir/sources" \
		-o Dir::State::Lists="$dir/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		-o Dir::Cache::archives="$CACHE/debs" -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
		-o Acquire::Retries=3 -o APT::Get::List-Cleanup=0 -o Acquire::Languages=none \
		"${bare[@]}" "$@"
}

# terse COMMAND...: silent, except for the first message if it fails
terse() {
	local said
	said=$("$@" 2>&1) && return
	printf '%s\n' "${said%%$'\n'*}" >&2
	return 1
}

# index NAME [fresh]: fetches the package lists of a suite (or of "host", "host+backports", "host.ARCH") when they
# are missing, older than a week, or to be fresh (an hour). Old lists are used without a network; those of the release itself where
# a mirror that is being changed lacks those of its updates. Lists that have expired are taken only when SMC_LAB_EXPIRED is set.
index() {
	local dir=$CACHE/apt/$1 fd status=0 age=10080
	lock "apt/$1" fd
	mkdir -p -- "$dir"/{sources,lists/partial}
	[[ ${2:-} == fresh ]] && age=60
	[[ $1 == *.* ]] && : >"$dir/status"
	if [[ -z $(find "$dir/done" -mmin -"$age" 2>/dev/null) ]]; then
		suite_stanzas "${1%.*}" >"$dir/sources/lab.sources"
		say "fetching the package lists of ${1/#host/this machine\'s suites}"
		if lab_apt "$1" apt-get -qq ${SMC_LAB_EXPIRED:+-o Acquire::Check-Valid-Until=false} update >"$dir/log" 2>&1 &&
			! grep -q '^[EW]:' "$dir/log"; then
			touch -- "$dir/done"
		else
			! grep -q '^E: Release file .* is expired' "$dir/log" ||
				say "the Release file of ${1%.*} has expired, as a mirror that lags behind shows it: SMC_LAB_EXPIRED=1 takes it"
			if [[ ! -e $dir/done ]]; then
				# base-files is in every release, and in none of its additional suites.
				lab_apt "$1" apt-cache show base-files >/dev/null 2>&1 || status=1
				((status)) || say "going on without some package lists: $(grep -m1 '^[EW]:' "$dir/log")"
			fi
		fi
	fi
	exec {fd}>&-
	return $status
}

# fetch_debs INDEX PACKAGE...: leaves the packages in $CACHE/debs and prints their paths. A file
# that is already there is used only if its hash is right, so partial downloads are repeated.
fetch_debs() {
	local suite=$1 fd uri file size hash list
	shift
	lock debs fd
	list=$(lab_apt "$suite" apt-get -qq --print-uris download "$@") || die "apt knows no package $*"
	while read -r uri file size hash; do
		: "$uri"
		if ! sha256sum --status -c - <<<"${hash#SHA256:}  $CACHE/debs/$file" 2>/dev/null; then
			rm -f -- "$CACHE/debs/$file"
			say "downloading ${file%%_*} ($((size / 1048576 + 1)) MB)"
		fi
		printf '%s\n' "$CACHE/debs/$file"
	done <<<"$list"
	(cd "$CACHE/debs" && terse lab_apt "$suite" apt-get -qq download "$@") || die "apt cannot download $*"
	exec {fd}>&-
}

# unpack DEB... DIR: unpack packages. DIR has links from / into /usr, so that a package that ships /lib/x lands where
# the guest looks for it
unpack() {
	local dir=${!#} link deb
	for link in bin sbin lib lib32 lib64 libx32; do
		mkdir -p -- "$dir/usr/$link"
		ln -sfn -- "usr/$link" "$dir/$link"
	done
	for deb in "${@:1:$#-1}"; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$dir" || return
	done
}

# unpack_missing INDEX DIR PACKAGE...: unpack packages that apt would install or replace on this machine
# into DIR. The packages are not kept.
unpack_missing() {
	local suite=$1 dir=$2 files debs install
	shift 2
	# a separate index: other processes may fetch and remove the same packages
	debs=$dir.debs
	mkdir -p -- "$dir" "$debs/partial" || return
	install=(apt-get -qq -y --no-install-recommends -o Dir::Cache::archives="$debs" install "$@")
	mapfile -t files < <(lab_apt "$suite" "${install[@]}" --print-uris | awk '{print $2}')
	((${#files[@]})) || { say "apt cannot resolve $*"; return 1; }
	say "downloading ${#files[@]} packages"
	terse lab_apt "$suite" "${install[@]}" --download-only || return
	unpack "${files[@]/#/$debs/}" "$dir" && rm -rf -- "$debs"
}
