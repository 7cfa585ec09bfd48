# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests of SELinux: the reference policy, without and with our module, and a labelled root of a guest. As root.

# shellcheck disable=SC2034  # for the lab
LAB=$PWD/lab
for file in lab/lib/*.sh; do
	# shellcheck source=/dev/null
	. "$file"
done

SELINUX_PACKAGES="selinux-policy-default policycoreutils semodule-utils selinux-utils setools python3-setools python3-pkg-resources"
# Modules that the package does not enable.
SELINUX_OFF="amtu bugzilla cobbler condor cyphesis git ksmtuned likewise livecd nessus numad oddjob openca soundserver thunderbird \
updfstab usernetctl"
# The services that are not in every guest's root, with their files in /usr/share.
SELINUX_SERVICES="apache2 postgresql"
# Not needed by a guest with systemd, these services and Python.
SELINUX_LESS="bin/buildah bin/podman sbin/runc lib/jvm lib/podman lib/gcc lib/modules lib/musl lib/debug lib/cni lib/udev \
lib/python3.*/test lib/python3.*/idlelib lib/*.a lib/*/libnode* lib/*/libLLVM* lib/*/libz3* lib/*/dri lib/*/gconv lib/*/perl* \
lib/*/bitcode share/bug share/doc share/i18n share/locale share/man share/perl*"

# selinux_chroot DIR SCRIPT: runs it in DIR over the guest's root, in a mount namespace; what it writes goes to DIR
selinux_chroot() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	unshare -m bash -ec '
		mount -t tmpfs selinux /mnt
		mkdir /mnt/work /mnt/root /mnt/upper
		mount -t overlay -o "lowerdir=$1:$2,upperdir=/mnt/upper,workdir=/mnt/work" overlay /mnt/root
		mount --rbind /dev /mnt/root/dev
		chroot /mnt/root sh -ec "$3"
		cp -a /mnt/upper/. "$1/"' bash "$1" "$GUEST_ROOT/root" "$2"
}

# build_selinux DIR: DIR/root has the packages and the policy of the distribution, DIR/tree.tar the guest's root with labels.
# The lab's own processes are kernel_t: only they are permissive.
build_selinux() {
	local dir=$1 off name exclude=()
	index host.amd64 || return
	# shellcheck disable=SC2086  # words
	unpack_missing host.amd64 "$dir/root" $SELINUX_PACKAGES || return
	echo '(typepermissive kernel_t)' >"$dir/root/lab.cil"
	# shellcheck disable=SC2086  # words
	off=$(printf ' -e %s' $SELINUX_OFF)
	selinux_chroot "$dir/root" "
		printf 'SELINUX=enforcing\nSELINUXTYPE=default\n' >/etc/selinux/config
		ldconfig
		cd /usr/share/selinux/default
		semodule -X 100 -n -s default \$(grep -vx $off .modules | sed 's/^/-i/; s/\$/.pp.bz2/') -i /lab.cil" || return
	for name in $SELINUX_LESS; do exclude+=("--exclude=usr/$name"); done
	# shellcheck disable=SC2086  # words
	unpack_missing host.amd64 "$dir/tree" $SELINUX_SERVICES || return
	tar c -C "$GUEST_ROOT/root" bin sbin lib lib64 etc usr/bin usr/sbin usr/lib usr/lib64 var | tar x -C "$dir/tree" || return
	(cd "$dir/tree" && mkdir -p proc sys dev run tmp root opt && ln -sfn /run var/run) || return
	selinux_chroot "$dir/tree" "$SELINUX_SET_UP" || return
	cp -a "$dir/root/etc/selinux" "$dir/tree/etc/" || return
	mkdir "$dir/root/tree" && mount --bind "$dir/tree" "$dir/root/tree" || return
	selinux_label "$dir"
	name=$?
	umount "$dir/root/tree"
	((name == 0)) && tar c --xattrs --xattrs-include=security.selinux "${exclude[@]}" -C "$dir/tree" -f "$dir/tree.tar" . && rm -rf -- "$dir/tree"
}

# The setup that the services' packages do when they are installed.
# shellcheck disable=SC2016  # expanded in the chroot
SELINUX_SET_UP='
	for user in redis:987 postgres:986; do
		echo "${user%:*}:x:${user#*:}:${user#*:}::/var/lib/${user%:*}:/usr/sbin/nologin" >>/etc/passwd
		echo "${user%:*}:x:${user#*:}:" >>/etc/group
	done
	mkdir -p /var/lib/redis /var/log/redis /var/lib/postgresql /var/log/postgresql /var/log/apache2
	chown redis:redis /var/lib/redis /var/log/redis
	chown postgres:postgres /var/lib/postgresql /var/log/postgresql
	a2enmod -q mpm_event authz_core authz_host alias dir mime
	ln -s ../sites-available/000-default.conf /etc/apache2/sites-enabled
	cp /usr/share/apache2/default-site/index.html /var/www/html/
	pg_createcluster --locale C "$(ls /usr/lib/postgresql)" main'

# The tree is on the disk, which keeps labels also where the kernel has no SELinux.
selinux_label() {
	LD_LIBRARY_PATH=$(echo "$1/root/usr/lib"/*-linux-gnu) "$1/root/usr/sbin/setfiles" -F -r "$1/tree" \
		"$1/root/etc/selinux/default/contexts/files/file_contexts" "$1/tree"
}

# need_selinux: sets SELINUX_DIR
need_selinux() {
	local key
	set_arch amd64
	make_cache
	need_root
	key=$({ root_key; cat tests/kernel/selinux_root.sh; } | sha256sum | cut -c1-16)
	mkdir -p "$CACHE/selinux"
	artefact "selinux/$key" "$key" build_selinux
	SELINUX_DIR=$CACHE/selinux/$key
}
