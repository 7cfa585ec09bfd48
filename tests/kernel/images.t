#!/bin/bash
# SPDX-License-Identifier: MIT
# Images made by the Containerfiles of packaging/, with a real compiler and packages, no registry; then run in the lab.
# The base is made of Debian's packages, too. Some minutes, and half a gigabyte of packages: only when named.
# usage: images.t [TEST...]
# shellcheck disable=SC2015  # "a && b || c": c is for a failure of either
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/kernel/containers.sh
. "$PWD/tests/kernel/containers.sh"
LAB=$PWD/lab
for part in common apt arch root; do
	# shellcheck source=/dev/null
	. "$LAB/lib/$part.sh"
done
# shellcheck source=tests/chroot.sh
. "$PWD/tests/chroot.sh"

# build_base DIRECTORY: a tar of a small Debian 12
build_base() {
	suite_stanza bookworm >"$1/sources" && terse mmdebstrap --quiet --mode=root --variant=minbase --include=ca-certificates \
		${SMC_LAB_EXPIRED:+--aptopt='Acquire::Check-Valid-Until "false"'} bookworm "$1/base.tar" "$1/sources"
}

# Files of a user. traffic.c is an example of a server on musl: Debian has none.
write_containerfiles() {
	cat >"$1/servers" <<-'END'
		FROM debian:12
		RUN apt-get update && apt-get install -y --no-install-recommends nginx-light redis-server
	END
	cat >"$1/musl" <<-'END'
		FROM debian:12 AS build
		RUN apt-get update && apt-get install -y --no-install-recommends gcc musl-tools
		COPY tests/kernel/traffic.c /
		RUN musl-gcc -std=c17 -D_GNU_SOURCE -Dstrerrorname_np=strerror -O2 -o /traffic /traffic.c && mkdir -p /out/lib && cp -L /lib/ld-musl-* /out/lib/
		FROM scratch
		COPY --from=build /out/lib /lib
		COPY --from=build /traffic /bin/traffic
		ENV PATH=/bin
	END
	cat >"$1/build" <<-'END'
		set -e
		buildah() { command buildah --storage-driver overlay --root /images/out/storage --runroot /run/images "$@"; }
		bud() { buildah bud --isolation chroot --pull-never "$@" /images/src; }
		base=$(buildah from scratch)
		buildah add -q "$base" /images/base.tar /
		buildah commit -q "$base" debian:12
		bud -t smc-tools:local -f /images/src/packaging/container/Containerfile
		for name in servers musl; do
			bud -t $name -f /images/$name
			bud -t $name:smc --build-arg BASE=localhost/$name -f /images/src/packaging/container/Containerfile.preload
		done
	END
}

# build_images DIRECTORY: DIRECTORY/out/storage, made in a copy of the guests' root, which has buildah
build_images() {
	mkdir "$1"/{root,upper,work,out} && copy_tree "$PWD" "$1/src" && write_containerfiles "$1" &&
		cp -- "$CACHE/images/base/base.tar" "$1" || return
	export -f enter
	# shellcheck disable=SC2016 # the inner shell expands
	unshare --mount --propagation private bash -e -c '
		mount -t overlay -o "lowerdir=$2/root,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
		mkdir "$1/root/images"
		mount --bind "$1" "$1/root/images"
		cp -L /etc/resolv.conf "$1/root/etc/"
		for name in run tmp var/tmp; do mount -t tmpfs tmpfs "$1/root/$name"; done
		enter "$1/root" sh -e /images/build' bash "$1" "$GUEST_ROOT" >"$1/log" 2>&1
}

if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
	printf '%s\n' 'ok 1 - images # SKIP only root can make them, with mmdebstrap' 1..1
	exit
fi
make_cache
need_root
mkdir -p "$CACHE/images"
artefact images/base "$(date +%G-%V)" build_base
images=$(mktemp -d) || exit
REMOVE+=("$images")
if ! build_images "$images"; then
	tail -n 40 "$images/log" | sed 's/^/# /'
	printf '%s\n' 'not ok 1 - buildah makes the images of the Containerfiles' 1..1
	exit 1
fi
# The script that installs the hook on a node runs in the image.
python3 -c '
import sys, yaml
with open("examples/kubernetes/smc-tools.yaml", encoding="ascii") as file:
    for doc in yaml.safe_load_all(file):
        for name, text in doc["data"].items() if doc["kind"] == "ConfigMap" else ():
            with open(sys.argv[1] + "/" + name, "w", encoding="ascii") as to:
                to.write(text)' "$images/out" || exit
in_installed -m 4G --see "$images/out" -- "images.py $images/out $*"
