#!/bin/bash
# SPDX-License-Identifier: MIT
# Services that SELinux confines: a guest that enforces Debian's reference policy, without our module and with it.
. "$(dirname "$0")/lab.sh"
[ "$(id -u)" = 0 ] || { printf 'ok 1 - SELinux # SKIP only root can make a labelled root\n1..1\n'; exit 0; }
. tests/kernel/selinux_root.sh
need_selinux
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"; remove_tmp' EXIT
selinux_policies "$tmp" >&2 || { echo 'Bail out! no policy'; exit 1; }
rm -rf "$tmp/store"
ln "$SELINUX_DIR/tree.tar" "$tmp/tree.tar" 2>/dev/null || cp "$SELINUX_DIR/tree.tar" "$tmp/tree.tar"
SMC_LAB_APPEND="security=selinux enforcing=1 audit=1 audit_backlog_limit=8192" in_lab run -k lo --see "$tmp" -- "selinux.py $tmp"
