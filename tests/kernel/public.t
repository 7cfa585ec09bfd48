#!/bin/bash
# SPDX-License-Identifier: MIT
# Public test suites of Debian's sources, over TCP and under smc_run: an hour, and 200 MB of downloads. Their own logs are
# in build/tests/logs/public.
# usage: public.t [perl|tcl|ruby|curl|haproxy|erlang]...
. "$(dirname "$0")/packages.sh"
need_commands() {
	local name
	for name in dpkg-source make cc; do
		command -v "$name" >/dev/null || { printf 'ok 1 - public suites # SKIP no %s\n1..1\n' "$name"; exit 0; }
	done
}

# Without their dependencies, which are a compiler and a desktop.
PACKAGES='tcl8.6 libtcl8.6 ruby RUBY libRUBY rubygems-integration libyaml-0-2 libffi8 libgmp10 varnish libvarnishapi3
libpcre2-8-0 libjemalloc2 libedit2 libbsd0 libncursesw6 curl haproxy erlang-base erlang-common-test erlang-crypto erlang-dev
erlang-inets erlang-runtime-tools erlang-snmp erlang-ssl erlang-public-key erlang-asn1 erlang-syntax-tools erlang-tools
erlang-xmerl erlang-mnesia erlang-parsetools libjs-jquery libjs-jquery-tablesorter libsctp1'

# suite_files SUITE DIRECTORY: its files, in its source
suite_files() {
	case $1 in
	perl) cp -r --parents dist/IO/t cpan/{Socket,IO-Socket-IP,libnet}/t "$2" ;;
	tcl) cp -r tests/. "$2" ;;
	ruby) cp -r --parents test/{lib,socket,runner.rb} test/net/{fixtures,http} tool/{lib,test} "$2" ;;
	haproxy) cp -r reg-tests "$2" ;;
	erlang) cp -r lib/kernel/test/{gen_tcp_{api,echo}_SUITE*,kernel_test_*} "$2" &&
		# It stands for the hook of Erlang's own installation.
		printf -- '-module(ts_install_cth).\n-export([init/2]).\ninit(_, State) -> {ok, State}.\n' >"$2/ts_install_cth.erl" ;;
	curl) ./configure -q --without-ssl --disable-ldap --without-libpsl --disable-shared && make -s -C tests/server &&
		cp -r tests lib/curl_config.h "$2" ;;
	esac >/dev/null
}

# build_public RUBY DIRECTORY
build_public() {
	local dir=$2 source suite
	local -A sources=([perl]=perl [tcl]=tcl8.6 [ruby]=$1 [haproxy]=haproxy [erlang]=erlang [curl]=curl)
	index source && mkdir -p "$dir/src" "$dir/suites" || return
	for suite in "${!sources[@]}"; do
		source=${sources[$suite]}
		say "fetching the source of $source"
		(cd "$dir/src" && terse lab_apt source apt-get -qq source --download-only "$source" &&
			terse dpkg-source --no-check -x "${source}"_*.dsc "$suite") || return
		mkdir "$dir/suites/$suite"
		(cd "$dir/src/$suite" && suite_files "$suite" "$dir/suites/$suite") || return
	done
	rm -rf "$dir/src"
}

need_commands
set_arch amd64
make_cache
index host.amd64
ruby=$(lab_apt host.amd64 apt-cache depends ruby | sed -n 's/.*Depends: \(ruby[0-9.]*\)$/\1/p')
# shellcheck disable=SC2034 # for need_packages
UNPACK=unpack_only
# shellcheck disable=SC2086 # words
need_packages public ${PACKAGES//RUBY/$ruby}
artefact public "$ruby $(sha256sum <tests/kernel/public.t)" build_public "$ruby"
mkdir -p "$BUILD/tests/logs/public"
in_lab run -k lo --cpus 2 -m 3G -t 14400 --install "$MORE" --see "$CACHE/public/suites" -o "$BUILD/tests/logs/public" -- \
	"public.py $CACHE/public/suites ${*:-perl tcl ruby curl haproxy erlang}"
