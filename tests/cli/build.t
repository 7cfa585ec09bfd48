#!/bin/bash
# SPDX-License-Identifier: MIT
# The build, the installation and the rules of the source tree. Needs both compilers, no kernel with SMC.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
export LC_ALL=C
# "make check" runs this, and its variables must not affect these builds.
unset MAKEFLAGS MAKELEVEL MFLAGS CC CFLAGS CPPFLAGS LDFLAGS SAN WERROR V BUILD PREFIX LIBDIR DESTDIR
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
jobs=-j$(nproc)
version=$(<VERSION)
# A copy below a git work tree is not part of it.
export GIT_CEILING_DIRECTORIES=$tmp

in_git() { git rev-parse -q --verify HEAD >/dev/null 2>&1; }

# The files that belong to the tree, whether it is a git work tree or an unpacked archive.
tree_files() {
	if in_git; then
		git ls-files -co --exclude-standard | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
	else
		find . -name 'build*' -prune -o -type f -print
	fi
}

# begins_with PATTERN: of the files on standard input, print those whose first line matches.
begins_with() {
	# shellcheck disable=SC2016 # for awk
	tr '\n' '\0' | PATTERN=$1 xargs -0 awk 'FNR == 1 && $0 ~ ENVIRON["PATTERN"] { print FILENAME } { nextfile }'
}

python_scripts() {
	{ tree_files | begins_with '^#! ?/usr/bin/(env (-S )?)?python3'; tree_files | grep '\.py$'; } | sort -u
}

shell_scripts() {
	{
		tree_files | grep -E '\.(sh|t)$|^completions/smc-tools$'
		tree_files | begins_with '^#! ?/(usr/)?bin/(env )?(ba|da)?sh'
	} | sort -u | grep -vxFf <(python_scripts)
}

# products DIRECTORY COMPILER
products() {
	[ -x "$1/smcss" ] && [ -x "$1/smc_run" ] && [ -f "$1/ld_pre_smc.so" ]
	ok $? "$2: the products are there"
	is "$("$1/smcss" --version)" "smcss utility, smc-tools-$version" "$2: smcss runs"
}

# check_compilers TREE: what "make dist" made
check_compilers() {
	local out objects
	out=$(make "$jobs" -C "$1" CC=gcc O="$tmp/gcc" WERROR=1 2>&1)
	ok $? "gcc builds the archive without a warning, out of tree" || diag "$out"
	products "$tmp/gcc" gcc
	out=$(make --no-print-directory -C "$1" O="$tmp/gcc" CC=gcc WERROR=1 2>&1)
	is "$out" "" "a second make has nothing to do"
	# clang's warnings need no code generation.
	mapfile -t objects < <(find "$tmp/gcc/obj" -name '*.o')
	out=$(make "$jobs" -C "$1" CC=clang O="$tmp/clang" CFLAGS=-fsyntax-only WERROR=1 "${objects[@]/#"$tmp/gcc"/"$tmp/clang"}" 2>&1)
	ok $? "clang has no warning about ${#objects[@]} objects" || diag "$out"
}

# traits FILE: print the hardening features of a program or library
traits() {
	{ readelf -hldW "$1"; readelf -n "$1"; nm -D "$1"; } 2>/dev/null | awk '
		/Type: +DYN/ { print "PIE" }
		/GNU_RELRO/ { print "RELRO" }
		/FLAGS.*NOW/ { print "NOW" }
		/GNU_STACK.* RW +0x/ { print "data-stack" }
		/feature:.*(IBT|BTI)/ { print "branches" }
		/feature:.*(SHSTK|PAC)/ { print "returns" }
		/__stack_chk_fail/ { print "stack-protector" }
		/_chk@/ && !/__stack_chk/ { print "FORTIFY" }' | sort -u
}

# sample_traits OPTION...: print the hardening features of a program that the compiler makes with every such option that
# it supports
sample_traits() {
	local flag flags=(-O2 '-Wl,-z,relro,-z,now' "$@") source='#include <string.h>
		void f(char *), g(const char *);
		void f(char *from) { char text[9]; strcpy(text, from); g(text); }
		void g(const char *text) { f(strchr(text, 1)); }
		int main(int argc, char **argv) { return argc > 2 ? f(argv[1]), 1 : 0; }'
	for flag in -fstack-protector-strong -fcf-protection -mbranch-protection=standard -D_FORTIFY_SOURCE=2; do
		! gcc "${flags[@]}" "$flag" -Werror -include stdlib.h -x c -o "$tmp/sample" - <<<"$source" 2>/dev/null || flags+=("$flag")
	done
	gcc "${flags[@]}" -x c -o "$tmp/sample" - <<<"$source" && traits "$tmp/sample"
}

# has_traits TEXT TRAITS FILE...
has_traits() {
	local text=$1 wanted=$2 file lacks=
	shift 2
	for file; do
		lacks+=$(comm -23 <(echo "$wanted") <(traits "$file") | sed "s,^, ${file##*/}: ,")
	done
	is "$#$lacks" "$#" "$text: $(paste -sd' ' <<<"$wanted")"
}

check_hardened() {
	local programs known
	mapfile -t programs < <(find "$tmp/gcc/" -maxdepth 1 -type f -perm /111 ! -name '*.so')
	has_traits "a plain make hardens ${#programs[@]} programs" "$(sample_traits)" "${programs[@]}"
	has_traits "and the library" "$(sample_traits -shared -fPIC | grep -v FORTIFY)" "$tmp/gcc/ld_pre_smc.so"
	if [ ! -e "$tmp/gcc/32/ld_pre_smc.so" ]; then
		skip "and that of 32-bit programs" "no 32-bit compiler"
	else
		has_traits "and that of 32-bit programs" "$(sample_traits -m32 -shared -fPIC | grep -v FORTIFY)" "$tmp/gcc/32/ld_pre_smc.so"
	fi
	# The linker drops these notes if libc's own objects lack them.
	known=$(sample_traits -c)
	if [ -z "$known" ]; then
		skip "and marks objects for control-flow protection" "the compiler marks none"
	else
		has_traits "and marks objects for control-flow protection" "$known" "$tmp/gcc/obj/lib/base/err.o" "$tmp/gcc/obj/shim/ld_pre_smc/calls/socket.o"
	fi
	known=$(sample_traits)
	is "$(grep -cE 'PIE|RELRO|NOW|data-stack' <<<"$known")" 4 "which is at least what the linker does"
}

# compile_line VARIABLE...: the command for one source
compile_line() {
	make -n V=1 O="$tmp/flags" "$@" "$tmp/flags/obj/lib/base/err.o" | grep -- ' -c '
}

check_flags() {
	unlike "$(compile_line CC=gcc CFLAGS=-O0)" 'FORTIFY' "without optimization no FORTIFY"
	unlike "$(compile_line CC=gcc SAN=1)" 'FORTIFY' "nor with the address sanitizer"
	is "$(compile_line CC=gcc CPPFLAGS=-D_FORTIFY_SOURCE=1 | grep -o 'FORTIFY_SOURCE=.')" 'FORTIFY_SOURCE=1' "the caller's level of it"
	like "$(compile_line CC=gcc CFLAGS='-O2 -fno-stack-protector')" '-fstack-protector-strong.* -fno-stack-protector ' \
		"the caller's flags come last"
	is "$(make -n V=1 O="$tmp/flags" CC=gcc CPPFLAGS=-D_FORTIFY_SOURCE=2 HAVE_32= shim |
		grep -- ' -c ' | grep -v 'FORTIFY_SOURCE=2 .* -U_FORTIFY_SOURCE ')" '' \
		"with a packager's flags the library has no checked functions either, which musl lacks"
	like "$(make -n V=1 O="$tmp/flags" CC='clang --target=aarch64-linux-gnu' CFLAGS='-O2 -fstack-protector-strong' -B shim 2>&1)" \
		'-fstack-protector-strong.* -fno-stack-protector ' "nor a stack protector whose guard is in glibc's loader"
}

check_verbose() {
	local quiet loud
	rm -f "$tmp/gcc/smc_run"
	quiet=$(make O="$tmp/gcc" CC=gcc "$tmp/gcc/smc_run" 2>&1)
	rm -f "$tmp/gcc/smc_run"
	loud=$(make O="$tmp/gcc" CC=gcc V=1 "$tmp/gcc/smc_run" 2>&1)
	is "$quiet" $'  LD\tsmc_run' "make shows one short line for each file"
	like "$loud" "^gcc .* -o $tmp/gcc/smc_run " "make V=1 shows the command"
}

# A cross compiler, for another machine than the other packages: one message per program.
check_left_out() {
	local out
	out=$(make -n O="$tmp/gcc" CC=gcc MUSL_CC=false GOARCH=none tests 2>&1)
	is "$(grep -oE '[a-z-]+ is not built: no compiler' <<<"$out")" "sockets-musl is not built: no compiler
sockets-musl-dynamic is not built: no compiler
gohttp is not built: no compiler" "test programs that no compiler makes for the machine are left out"
	is "$(grep -cE -- ' -o [^ ]*/(sockets-musl|gohttp)' <<<"$out")" 0 "and nobody tries to"
}

# need_message TEXT PACKAGES COMMAND...: fails with one line that names both packages.
need_message() {
	local text=$1 packages=$2 out status
	shift 2
	out=$("$@" 2>&1)
	status=$?
	[ $status -ne 0 ] && [ "$(printf '%s\n' "$out" | grep -c '')" = 1 ] &&
		[[ $out == *"$packages"* ]]
	ok $? "$text" || diag "$out"
}

check_missing_packages() {
	local tool name debian rpm
	mkdir "$tmp/pc" "$tmp/bin"
	need_message "all packages missing: one line with all of them" \
		"$(awk '$1 ~ /^(build|extra)$/ && $2 != "-" { deb = deb $3 " "; rpm = rpm $4 " " }
			END { print "install " deb "(Debian, Ubuntu) or " rpm "(RPM)" }' packaging/packages)" \
		env PKG_CONFIG_LIBDIR="$tmp/pc" make O="$tmp/none"
	awk '$1 ~ /^(build|extra)$/ && $2 != "-" { print $2 }' packaging/packages | while read -r name; do
		printf 'Name: %s\nDescription: x\nVersion: 1\n' "$name" >"$tmp/pc/$name.pc"
	done
	while read -r name debian rpm; do
		rm "$tmp/pc/$name.pc"
		need_message "$name missing: one line, Debian's and the RPM's name" "install $debian (Debian, Ubuntu) or $rpm (RPM)" \
			env PKG_CONFIG_LIBDIR="$tmp/pc" make O="$tmp/none"
		printf 'Name: %s\nDescription: x\nVersion: 1\n' "$name" >"$tmp/pc/$name.pc"
	done < <(awk '$1 ~ /^(build|extra)$/ && $2 != "-" { print $2, $3, $4 }' packaging/packages)
	need_message "cmocka missing: one line, but only for tests" \
		"install libcmocka-dev (Debian, Ubuntu) or libcmocka-devel (RPM)" \
		env PKG_CONFIG_LIBDIR="$tmp/pc" make O="$tmp/none" tests
	# The last one in PATH: the first may be ccache, which searches for another one.
	for tool in make sh cat uname gcc cc test sed find mkdir rm dirname awk id sort tr grep; do
		ln -s "$(type -aP $tool | tail -n 1)" "$tmp/bin/$tool"
	done
	out=$(PATH="$tmp/bin" tests/setup 2>&1)
	like "$?$out" "^1setup: as root, type: zypper install .*'pkgconfig\(libmnl\)'" "without dpkg the setup prints what to type"
	unlike "$out" "pkgconf( |$)|make" "in the names of RPM packages, and only those that are missing"
	printf '#!/bin/sh\n' >"$tmp/bin/dnf"
	chmod +x "$tmp/bin/dnf"
	while read -r name release text; do
		printf 'ID="%s"\nVERSION_ID="%s"\n' "$name" "$release" >"$tmp/os-release"
		out=$(OS_RELEASE="$tmp/os-release" PATH="$tmp/bin" tests/setup 2>&1)
		like "$out" "^setup: as root, type: ${text:+$text }dnf install " "$name $release: packages, and the repository of some"
	done <<-EOF
		fedora 42
		rhel 9.4 subscription-manager repos --enable codeready-builder-for-rhel-9-$(uname -m)-rpms;
		rocky 8.10 dnf config-manager --set-enabled powertools;
		centos 10 dnf config-manager --set-enabled crb;
	EOF
	rm "$tmp/bin/dnf"
	need_message "pkg-config missing: one line" \
		"install pkg-config (Debian, Ubuntu) or pkgconf-pkg-config (RPM)" \
		env PATH="$tmp/bin" make O="$tmp/none"
	env PATH="$tmp/bin" make O="$tmp/none" clean help >"$tmp/log" 2>&1
	ok $? "make clean and make help need no package" || diag "$(<"$tmp/log")"
	[ ! -e "$tmp/none" ]
	ok $? "nothing was built meanwhile"
}

# As root on Debian, the setup installs packages: on a terminal only after an answer.
check_asks() {
	local said
	if ! command -v script >/dev/null; then
		skip "the setup asks on a terminal" "no script(1)"
		return
	fi
	mkdir "$tmp/debian"
	printf '#!/bin/sh\necho base-files=installed\n' >"$tmp/debian/dpkg-query"
	printf '#!/bin/sh\necho 0\n' >"$tmp/debian/id"
	printf '#!/bin/sh\necho "$@" >>%s/debian/done\n' "$tmp" >"$tmp/debian/apt-get"
	chmod +x "$tmp"/debian/*
	said=$(PATH="$tmp/debian:$PATH" script -qec 'tests/setup build' /dev/null <<<n)
	like "$said" 'setup: install .*libmnl-dev.*\?' "the setup asks on a terminal, with the names of all packages"
	[ ! -e "$tmp/debian/done" ]
	ok $? "and installs nothing after no" || diag "$(<"$tmp/debian/done")"
	said=$(PATH="$tmp/debian:$PATH" tests/setup build </dev/null)
	like "$said" '^setup: installing .*libmnl-dev' "elsewhere it says what it installs"
	like "$(<"$tmp/debian/done")" '^install .*libmnl-dev' "and does"
}

# do_install TARGET [VARIABLE...]
do_install() {
	make O="$tmp/gcc" CC=gcc DESTDIR="$tmp/root" PREFIX=/opt/smc LIBDIR=/opt/smc/lib64 "$@" 2>&1
}

# check_hook FILE: the installed hook is valid for oci-hooks(5).
check_hook() {
	if [ ! -x "$tmp/gcc/smc_bpf" ]; then
		[ ! -e "$1" ]
		ok $? "without smc_bpf there is no hook"
		return
	fi
	is "$(jq -r '[.version, .hook.path, (.hook.args | join(" ")), (.stages | join(" "))] | join("|")' "$1")" \
		'1.0.0|/opt/smc/bin/smc_bpf|smc_bpf oci-hook|createRuntime poststop' "the file for oci-hooks(5) names the program"
	is "$(jq -c .when "$1")" '{"annotations":{"^smc-tools/attach$":".*"}}' "and the annotation, with any value: wrong ones are reported"
}

# check_docs DIR: documents installed there
check_docs() {
	is "$(find "$1" -name '*.md' -exec python3 -B tests/cli/documents.py links {} + 2>&1)" '' "every link of an installed document leads to an installed file"
	is "$(grep -o '](docs/tutorial.md)' "$1/README.md")" '](docs/tutorial.md)' "and those that can stay are there"
	[ -e "$1/examples/smc.conf" ]
	ok $? "so is the sample of smc.conf"
}

check_install() {
	local lib=$tmp/root/opt/smc/lib64 share=$tmp/root/opt/smc/share page link
	do_install install >"$tmp/log"
	ok $? "make install with DESTDIR, PREFIX, LIBDIR" || diag "$(<"$tmp/log")"
	is "$(stat -c %a "$lib/ld_pre_smc.so")" 755 "the library is not set-uid"
	is "$(find "$tmp/root" -name ld_pre_smc.so)" "$lib/ld_pre_smc.so" "nothing is in directories of other architectures"
	[ -x "$tmp/root/opt/smc/libexec/smc-tools/smc_keep" ]
	ok $? "its helper is installed"
	like "$(strings "$lib/ld_pre_smc.so")" '^/opt/smc/libexec/smc-tools/smc_keep$' "and the library knows where"
	is "$(SMC_DEBUG='' "$tmp/root/opt/smc/bin/smc_run" --quiet printenv LD_PRELOAD)" "$lib/ld_pre_smc.so" "a staged smc_run finds its library"
	for link in libsmc-preload.so ld_pre_smc.so.1; do
		is "$(readlink "$lib/$link")" ld_pre_smc.so "$link is a link to it"
	done
	like "$(strings "$tmp/root/opt/smc/bin/smc_run")" '^/opt/smc/lib64$' "smc_run was compiled again for the other LIBDIR"
	is "$(SMC_DEBUG='' "$tmp/root/opt/smc/bin/smc_run" --version)" "smc_run utility, smc-tools-$version" \
		"the installed smc_run runs"
	for page in man/*; do
		! grep -q '^\.so ' "$page" || continue
		like "$(<"$share/man/man${page##*.}/${page#man/}")" "^\.Os smc-tools $version\$" "$page is installed, with the version"
	done
	for link in smcss smc_run; do
		is "$(readlink "$share/bash-completion/completions/$link")" smc-tools "completion of $link loads on demand"
		is "$(readlink "$share/fish/vendor_completions.d/$link.fish")" smc-tools.fish "so does that of fish"
	done
	[ -s "$share/zsh/site-functions/_smc-tools" ]
	ok $? "that of zsh is installed"
	check_docs "$share/doc/smc-tools"
	check_hook "$share/containers/oci/hooks.d/smc-tools.json"
	is "$(find "$tmp/root" -type f -perm /022)" "" "no installed file is writable for others"
	do_install install INSTALL_SETUID_SHIM=1 >/dev/null
	is "$(stat -c %a "$lib/ld_pre_smc.so")" 4755 "INSTALL_SETUID_SHIM=1 installs it set-uid"
	local dropin="$tmp/root/etc/systemd/system/a.service.d/zz-smc-tools.conf"
	mkdir -p "${dropin%/*}" && touch "$dropin"
	like "$(do_install uninstall 2>&1)" "^make uninstall: services use smc-tools: first run 'smc_unit disable --all', or remove $dropin\$" \
		"make uninstall while a service would miss the library"
	[ -e "$lib/ld_pre_smc.so" ]
	ok $? "and it stays"
	rm -r "$tmp/root/etc"
	do_install uninstall >"$tmp/log"
	ok $? "make uninstall" || diag "$(<"$tmp/log")"
	is "$(find "$tmp/root" ! -type d)" "" "nothing is left"
	is "$(find "$tmp/root" -type d -name '*smc-tools*')" "" "and no directory of ours"
	do_install uninstall >/dev/null
	ok $? "make uninstall where nothing is installed"
}

# Programs of both kinds, also if one starts the other, get their library from one LD_PRELOAD.
check_32() {
	local text="the installed smc_run serves 64-bit and 32-bit programs" bits run
	if ! CC=gcc can_32; then
		skip "$text" "$why_not"
		return
	fi
	mv "$tmp/can_32" "$tmp/run32"
	echo 'int main(void) { return 0; }' | gcc -x c -o "$tmp/run64" -
	make O="$tmp/gcc" CC=gcc PREFIX="$tmp/prefix" INSTALL_LIB32=1 install >"$tmp/log" 2>&1
	run="$tmp/prefix/bin/smc_run --quiet"
	for bits in 64 32; do
		is "$(LD_DEBUG=files $run "$tmp/run$bits" 2>&1 | grep -c 'calling init: .*/ld_pre_smc')" 1 \
			"the installed smc_run gives $bits-bit programs their library"
		is "$(LD_DEBUG=files $run sh -c "$tmp/run$bits; :" 2>&1 | grep -c 'calling init: .*/ld_pre_smc')" 2 \
			"also when a 64-bit program starts them"
	done
	make O="$tmp/gcc" CC=gcc PREFIX="$tmp/prefix" INSTALL_LIB32=1 uninstall >/dev/null 2>&1
	is "$(find "$tmp/prefix" ! -type d)" "" "nothing is left of that either"
}

# A compiler that links 32-bit programs, but lacks a header of the library.
check_32_headers() {
	local text="without the headers for 32-bit programs that library is left out"
	if ! echo '#include <sys/socket.h>' | gcc -m32 -fsyntax-only -x c - 2>/dev/null; then
		skip "$text" "no 32-bit compiler"
		return
	fi
	mkdir -p "$tmp/no32/asm"
	echo '#error not for 32 bits' >"$tmp/no32/asm/socket.h"
	printf '#!/bin/sh\ncase " $* " in *" -m32 "*) exec gcc "$@" -I%s ;; esac\nexec gcc "$@"\n' "$tmp/no32" >"$tmp/cc-no32"
	chmod +x "$tmp/cc-no32"
	like "$(make -n O="$tmp/none32" shim)" '/32/ld_pre_smc\.so' "with the headers it is built"
	out=$(make -n O="$tmp/none32" CC="$tmp/cc-no32" shim)
	like "$out" '/none32/ld_pre_smc\.so' "$text: the other one is built"
	unlike "$out" '/32/ld_pre_smc\.so' "$text"
}

# Most rules below are tested in a copy: the build directory under test stays up to date.
copy_tree() {
	mkdir "$tmp/copy"
	tree_files | tar -cf - -T - | tar -C "$tmp/copy" -xf -
}

# check_dependencies TREE: make rebuilds what depends on a changed file. The tree has been built.
check_dependencies() {
	local header
	make -q -C "$1" CC=gcc O="$tmp/gcc" "$tmp/gcc/smcss" >/dev/null
	ok $? "a tree that was built is up to date"
	for header in lib/smc/abi.h lib/cli/cli.h smcss/smcss.h VERSION; do
		touch -d '+1 minute' "$1/$header"
		! make -q -C "$1" CC=gcc O="$tmp/gcc" "$tmp/gcc/smcss" >/dev/null 2>&1
		ok $? "touching $header rebuilds"
		touch -d '1 hour ago' "$1/$header"
	done
	if [ ! -e "$tmp/gcc/smc_bpf" ]; then
		skip "touching a header of eBPF programs rebuilds" "smc_bpf was not built"
		return
	fi
	for header in extra/lib/bpf/places.bpf.h extra/lib/bpf/smclife.h extra/lib/bpf/kernel.bpf.h extra/lib/bpf/ends.h; do
		touch -d '+1 minute' "$1/$header"
		! make -q -C "$1" CC=gcc O="$tmp/gcc" "$tmp/gcc/bpf/smclife.o" >/dev/null 2>&1
		ok $? "touching $header rebuilds the eBPF program"
		touch -d '1 hour ago' "$1/$header"
	done
}

# The copy's commit has the current state of the tree under test.
commit_copy() {
	git -C "$tmp/copy" init -q
	git -C "$tmp/copy" add .
	git -C "$tmp/copy" -c user.name=test -c user.email=test@example.org commit -qm "test"
}

check_dist() {
	like "$(make -C "$tmp/copy" dist 2>&1)" 'needs a git work tree' "make dist outside git: one sentence"
	commit_copy
	make -C "$tmp/copy" dist >/dev/null 2>"$tmp/log"
	ok $? "make dist" || diag "$(<"$tmp/log")"
	is "$(<"$tmp/log")" "" "make dist is silent about a clean tree"
	mv "$tmp/copy/smc-tools-$version.tar.gz" "$tmp/first.tar.gz"
	(umask 077; sleep 1; make -C "$tmp/copy" dist >/dev/null)
	cmp "$tmp/copy/smc-tools-$version.tar.gz" "$tmp/first.tar.gz"
	ok $? "make dist makes the same bytes again"
	tar -C "$tmp" -xzf "$tmp/first.tar.gz"
	echo x >>"$tmp/copy/README.md"
	like "$(make -C "$tmp/copy" dist 2>&1)" 'not committed' "make dist says when changes are left out"
}

check_headers() {
	local header headers more bad=
	# Headers of eBPF programs are for another compiler. First includes have been compiled alone already.
	headers=$(tree_files | grep -E '\.h$' | grep -v '\.bpf\.h$' | while read -r header; do
		own=
		while read -r line; do
			[[ $line != '#include'* ]] || { own=$line; break; }
		done 2>/dev/null <"${header%.h}.c"
		[[ $own == *[\"/]"${header##*/}\"" ]] || echo "$header"
	done)
	some "$headers" "headers were found"
	for header in $headers; do
		more=()
		[[ $header != extra/* && $header != tests/* ]] || more=(-Iextra/lib -Iextra)
		echo "#include \"$header\"" | gcc -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -Werror -I"$tmp/gcc" -Ilib -I. \
			-Itests "${more[@]}" -x c -fsyntax-only - 2>"$tmp/log" || bad="$bad $header"
	done
	is "$bad" "" "each header compiles alone"
}

# As in glibc 2.41, whose <netinet/in.h> has an enumerator of this name, and then a macro.
check_newer_libc() {
	local first second
	mkdir -p "$tmp/newer/netinet"
	printf '%s\n' '#pragma once' '#include_next <netinet/in.h>' '#if !__GLIBC_PREREQ(2, 41)' 'enum { IPPROTO_SMC = 256 };' \
		'#define IPPROTO_SMC IPPROTO_SMC' '#endif' >"$tmp/newer/netinet/in.h"
	for first in smc/abi.h netinet/in.h; do
		second=smc/abi.h
		[ $first != $second ] || second=netinet/in.h
		printf '#include <%s>\n' $first $second | gcc -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$tmp/newer" -Ilib \
			-x c -fsyntax-only - 2>"$tmp/log"
		ok $? "where libc has IPPROTO_SMC, <$first> comes before <$second>" || diag "$(<"$tmp/log")"
	done
}

# symbols PATTERN: "object symbol" for each symbol of lib/ and extra/lib/ in a matching section (or *UND*).
symbols() {
	[ -s "$tmp/symbols" ] || (cd "$tmp/gcc/obj" && objdump -t {,extra/}lib/*/*.o >"$tmp/symbols")
	PATTERN=$1 awk '
		/: +file format / { name = $1; sub(/:$/, "", name) }
		NF >= 4 && $NF !~ /^\./ && $(NF - 2) ~ ENVIRON["PATTERN"] { print name, $NF }' "$tmp/symbols"
}

check_layers() {
	local calls='(__)?v?(f|d)?printf(_chk)?|f?puts|putchar|f?putc|fwrite|perror|stdout|stderr|warnx?|errx?'
	some "$(symbols '[*]UND[*]')" "objects of lib/ have symbols"
	# Constants with pointers lie in .data.rel.ro: writable until they are relocated.
	is "$(symbols '^([.]t?(data|bss)|[*]COM)' | grep -vxFf <(symbols '^[.]data[.]rel[.]ro'))" "lib/cli/screen.o has_progress" \
		"lib/ has one writable variable of file scope: the terminal has a line of progress"
	is "$(symbols '[*]UND[*]' | grep -E " (exit|_exit|_Exit|quick_exit|abort|error)\$")" "lib/base/memory.o exit
extra/lib/launch/supervise.o _exit" "lib/ exits where memory is gone, and in processes that it started"
	is "$(symbols '[*]UND[*]' | grep -vE '^lib/(cli/|base/memory\.o )' | grep -E " ($calls)\$")" "" "lib/ prints in lib/cli, and where memory is gone"
	# The preload library needs only libc, and has one weak reference.
	is "$(grep -rnlE 'AF_NETLINK|PF_NETLINK|mnl_socket_open|nl_connect|nl_socket_alloc' --include='*.[ch]' . |
		grep -vE '^\./(lib/netlink/|ld_pre_smc/state/smcr_check\.c|tests/|bench/|build[^/]*/)')" "" "only lib/netlink opens netlink sockets"
	is "$(grep -nE '#include "(out|cli|host|netlink|net|process)/|#include <jansson' lib/smc/*.[ch])" "" \
		"lib/smc knows neither output nor sockets"
	is "$(grep -nE '#include "netlink/|#include <libmnl|#include <linux/netlink' lib/out/*.[ch])" "" \
		"lib/out never sees an attribute"
	is "$(grep -rnE '#include "(smc[a-z_]*|ld_pre_smc[a-z_]*)/' lib extra/lib | grep -v '"smc/')" "" \
		"libraries include no tool"
	is "$(grep -rnE '#include "[^/"]+"' --include='*.[ch]' lib smc* ld_pre_smc* extra | grep -vE '"(version|page\.html|differences|distributions|repairs)\.h"')" "" \
		"headers are included by their path"
	is "$(grep -rlE 'sizeof\((.*)\) / sizeof\((\*\1|\(?\1\)?\[0\])\)' --include='*.[ch]' lib smc* ld_pre_smc* extra)" lib/base/array.h \
		"one macro counts the items of arrays"
	is "$(readelf -d "$tmp/gcc/ld_pre_smc.so" "$tmp/gcc/smc_run" | sed -n 's/.*(NEEDED).*\[\(.*\)\..*\]/\1/p' | sort -u)" libc.so \
		"the library and smc_run need libc only"
	is "$(readelf -d "$tmp/gcc/ld_pre_smc.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" ld_pre_smc.so.1 "soname of the library"
}

check_style() {
	local files
	mapfile -t files < <({ tree_files | grep -E '\.[ch]$'; shell_scripts; python_scripts; } | sort -u)
	[ ${#files[@]} -gt 150 ]
	ok $? "sources were found"
	is "$(tests/lengths "${files[@]}" 2>&1; echo "$?")" 0 \
		"no function is longer than 60 lines, no line of C than 100 columns, those of tests neither"
	mapfile -t files < <(tree_files | grep -E '\.[ch]$|Makefile$|\.mk$|VERSION|\.md$|\.[1-8]$' )
	is "$(grep -nE '[[:blank:]]+$' "${files[@]}")" "" "no blanks at the end of a line"
	mapfile -t files < <(tree_files | grep -E '\.[ch]$')
	is "$(grep -LE 'SPDX-License-Identifier: MIT( OR GPL-2.0-only)?( \*/)?$' "${files[@]}")" "" "each source names its licence"
	is "$(grep -ohE "(^|[^a-z_/<])($(printf '%s|' lib/*/ | sed 's,lib/,(lib/)?,g; s,/|,|,g')smc_[a-z]+|ld_pre_smc)(/[a-z_]+)+\.[ch]\b" "${files[@]}" |
		sed 's/^[^a-z]//' | grep -v ^net/ | sort -u | while read -r file; do [ -e "$file" ] || [ -e "lib/$file" ] || [ -e "extra/$file" ] || [ -e "extra/lib/$file" ] || echo "$file"; done)" "" \
		"sources and comments name files that exist"
	check_copyright
}

# The patterns of debian/copyright for the second licence select the files that have it, and all eBPF sources are among them.
check_copyright() {
	local file pattern patterns selected=() dual bpf
	dual=$(tree_files | grep -E '^(\./)?(extra/)?lib/.*\.[ch]$' | xargs grep -l 'SPDX-License-Identifier: MIT OR GPL-2.0-only' | sort)
	read -ra patterns <<<"$(sed -n '/^Files: .*lib/,/^Copyright/{s/^Files://;/^Copyright/d;p}' packaging/debian/copyright | tr '\n' ' ')"
	for file in $(tree_files | grep '\.[ch]$' | sort); do
		for pattern in "${patterns[@]}"; do
			# shellcheck disable=SC2053 # a pattern, whose * also matches slashes, as there
			[[ ${file#./} != $pattern ]] || selected+=("$file")
		done
	done
	is "$(printf '%s\n' "${selected[@]}")" "$dual" "debian/copyright names each file with two licences, and no other one"
	bpf=$(tree_files | grep '\.bpf\.[ch]$')
	is "$(xargs grep -L 'MIT OR GPL-2.0-only' <<<"$bpf")" "" "each eBPF source has two licences"
}

check_shell() {
	local files
	mapfile -t files < <(shell_scripts)
	[ ${#files[@]} -gt 15 ]
	ok $? "shell scripts were found"
	# SC2319: "ok $?" after [ ] is meant.
	printf '%s\0' "${files[@]}" | xargs -0 -n 4 -P "$(nproc)" shellcheck -x -e SC2319 -P SCRIPTDIR >"$tmp/log" 2>&1
	ok $? "shellcheck has nothing to say" || diag "$(<"$tmp/log")"
}

# lint TOOL TEXT COMMAND...: the command must print nothing
lint() {
	if ! command -v "$1" >/dev/null; then
		skip "$2" "$1 is not installed"
		return
	fi
	is "$("${@:3}" 2>&1)" '' "$2"
}

check_words() {
	local python files
	mapfile -t files < <(tree_files | grep -vE 'corpus/|captures/|\.(tgz|svg)$')
	# Macros of mdoc(7), truncated columns, words used in tests.
	lint codespell "spelling" codespell -L nd,hel,fro,inh,alow,activ,te "${files[@]}"
	mapfile -t python < <(python_scripts)
	if command -v ruff >/dev/null; then
		lint ruff "Python: names" ruff check --quiet --no-cache --select F "${python[@]}"
	else
		lint pyflakes3 "Python: names" pyflakes3 "${python[@]}"
	fi
}

# All C files are formatted by "make format".
check_format() {
	local said
	said="$(make check-format 2>&1; echo $?)"
	case $said in
	*': skipped, '*) skip "C files are formatted" "${said#*skipped, }" ;;
	*) is "$said" 0 "C files are formatted" ;;
	esac
}

# without ARG...: make on a machine that lacks bpftool; its output is in $out
without() {
	out=$(env -u MAKEFLAGS -u MAKELEVEL make O="$tmp/without" BPFTOOL=false "$@" 2>&1)
}

# smc_bpf is left out if a tool is missing, with a single message.
check_without_bpf() {
	without "$tmp/without/no-smc_bpf"
	is "$?$out" "0smc_bpf is not built: it needs clang, bpftool and libbpf-dev (Debian, Ubuntu) or libbpf-devel (RPM)" \
		"without bpftool: one sentence"
	without "$tmp/without/no-smc_bpf"
	is "$?$(echo "$out" | grep -c 'not built')" 00 "and only once"
	without -n all
	is "$?" 0 "the rest is still built"
	like "$out" ' -o [^ ]*/smcss ' "smcss, for one"
	unlike "$out" ' -o [^ ]*/smc_bpf ' "and nothing of smc_bpf"
	without -n DESTDIR="$tmp/root" install
	is "$?" 0 "and installed"
	like "$out" '/smcss .*/root/|smcss\.8' "with its manual page"
	unlike "$out" 'smc_bpf( |\.8)' "but nothing of smc_bpf"
}

# Core alone: neither the packages nor the programs of extra/.
check_core() {
	local out
	mkdir "$tmp/core-pc"
	awk '$1 == "build" && $2 != "-" { print $2 }' packaging/packages | while read -r name; do
		printf 'Name: %s\nDescription: x\nVersion: 1\n' "$name" >"$tmp/core-pc/$name.pc"
	done
	out=$(env PKG_CONFIG_LIBDIR="$tmp/core-pc" make -n O="$tmp/core" DESTDIR="$tmp/root" install-core 2>&1)
	is "$?" 0 "make install-core needs no package of extra/"
	like "$out" '/smcss .*/root/' "it installs smcss"
	unlike "$out" '(extra/|clang|smc_(conf|bpf|top))' "and nothing of extra/"
	out=$(env PKG_CONFIG_LIBDIR="$tmp/core-pc" make -n O="$tmp/core" core 2>&1)
	is "$?" 0 "make core needs none either"
	unlike "$out" '(extra/|clang|smc_(conf|bpf|top))' "and builds nothing of it"
}

copy_tree
check_dist
check_compilers "$tmp/smc-tools-$version"
check_dependencies "$tmp/smc-tools-$version"
check_hardened
check_flags
check_verbose
check_missing_packages
check_asks
check_left_out
check_layers
check_headers
check_newer_libc
check_install
check_32
check_32_headers
check_style
check_shell
check_words
check_format
check_without_bpf
check_core
plan_done
