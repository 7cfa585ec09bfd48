#!/bin/bash
# SPDX-License-Identifier: MIT
# Services that SELinux confines: a guest that enforces Debian's reference policy, without our module and with it.
# usage: tests/kernel/selinux.t [TEST [OPTION...]]  options of the guest
. "$(dirname "$0")/lab.sh"
[ "$(id -u)" = 0 ] || { printf 'ok 1 - SELinux # SKIP only root can make a labelled root\n1..1\n'; exit 0; }
. tests/kernel/selinux_root.sh
name=${1:-selinux.py}
options=("${@:2}")
(($# > 1)) || options=(-k lo)

# policies DIR: make policies: "without" our module, "with" it, "services", where the tested services may use SMC, and "sockets",
# which lacks the rules for smc_keep; list the rules of the first three; and get the label of smc_keep.
policies() {
	local store=$1/store
	cp -a "$SELINUX_DIR/root" "$store" && cp packaging/selinux/smc_tools.cil "$store" || return
	echo '(typeattributeset smc_domain (redis_t httpd_t postgresql_t))' >"$store/smc_services.cil"
	# shellcheck disable=SC2016  # expanded in the chroot
	selinux_chroot "$store" '
		install() { semodule -X 400 -n -s default -i "/$1.cil"; }
		keep() { cp /etc/selinux/default/policy/policy.* "/$1"; }
		list() { keep "$1"; sesearch --allow "/$1" | sort >"/$1.allow"; }
		list without
		install smc_tools
		list with
		install smc_services
		list services
		matchpathcon -n /usr/libexec/smc-tools/smc_keep >/smc_keep.label
		sed -i "s/(call smc_keep ([a-z_]*))//" /smc_tools.cil
		install smc_tools
		keep sockets' && mv "$store"/{without,with,services}{,.allow} "$store/sockets" "$store/smc_keep.label" "$1/"
}

need_selinux
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"; remove_tmp' EXIT
policies "$tmp" >&2 || { echo 'Bail out! no policy'; exit 1; }
rm -rf "$tmp/store"
ln "$SELINUX_DIR/tree.tar" "$tmp/tree.tar" 2>/dev/null || cp "$SELINUX_DIR/tree.tar" "$tmp/tree.tar"
SMC_LAB_APPEND="security=selinux enforcing=1 audit=1 audit_backlog_limit=8192" in_lab run "${options[@]}" --see "$tmp" -- "$name $tmp"
