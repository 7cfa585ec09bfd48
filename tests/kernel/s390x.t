#!/bin/bash
# SPDX-License-Identifier: MIT
# Another byte order, and what only IBM Z has: every tool once in an emulated s390x guest, and a bundle that gives here
# the guest's output; a guest of this byte order tests over a wire with it. Builds the tools for
# that guest; the first time that takes minutes and downloads.
. "$(dirname "$0")/lab.sh"
. tests/tap.sh

HERE=$BUILD PEER_BUILD=$BUILD
tests/arch --build s390x all guest-tests >"$BUILD/s390x.log" 2>&1
status=$?
if grep -q 'Mirror sync in progress' "$BUILD/s390x.log"; then
	skip "Linux of s390x" "a mirror has other package lists for s390x than its Release file names"
	plan_done
	exit
fi
ok $status "the tools and tests are built for s390x, of headers for it" || { diag "$(tail -n 20 "$BUILD/s390x.log")"; plan_done; exit 1; }
BUILD=$BUILD-s390x LAB_ARCH=s390x,amd64
. tests/kernel/bundles.sh
guest s390x "s390x.py $BUILD/tests/programs" pair -k lo
plan_done
