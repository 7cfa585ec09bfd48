# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For the scripts beside it, which build a sysfs in a directory: attributes, links, devices.
set -eu
mkdir -p "$1"
cd "$1"

# put FILE TEXT: an attribute; TEXT is a format of printf
put() {
	[ -d "${1%/*}" ] || mkdir -p "${1%/*}"
	# shellcheck disable=SC2059
	printf "$2" >"$1"
}

# ln_to PATH TARGET: a link, both below the root
ln_to() {
	path=$1 up=
	while [ "$path" != "${path#*/}" ]; do
		path=${path#*/} up=../$up
	done
	[ -d "${1%/*}" ] || mkdir -p "${1%/*}"
	ln -s "$up$2" "$1"
}

# pci BUS_ID VENDOR DEVICE DRIVER
pci() {
	put "devices/pci/$1/vendor" "$2\n"
	put "devices/pci/$1/device" "$3\n"
	ln_to "devices/pci/$1/subsystem" bus/pci
	ln_to "devices/pci/$1/driver" "bus/pci/drivers/$4"
	mkdir -p "bus/pci/drivers/$4"
	ln_to "bus/pci/devices/$1" "devices/pci/$1"
}

# zpci BUS_ID FID PCHID PFT PORT UTIL_STRING: what IBM Z adds, and the slot; powered on
zpci() {
	put "devices/pci/$1/function_id" "0x$2\n"
	put "devices/pci/$1/pchid" "0x$3\n"
	put "devices/pci/$1/pft" "$4\n"
	put "devices/pci/$1/port" "$5\n"
	put "devices/pci/$1/vfn" "0x0000\n"
	put "devices/pci/$1/util_string" "$6"
	put "bus/pci/slots/$2/power" "1\n"
	put "bus/pci/slots/$2/address" "${1%.*}\n"
}

# net NAME IFINDEX STATE [PARENT [DEV_PORT]]: PARENT is the directory of a device
net() {
	dir=devices/virtual/net/$1
	[ -z "${4-}" ] || dir=$4/net/$1
	put "$dir/ifindex" "$2\n"
	put "$dir/operstate" "$3\n"
	put "$dir/mtu" "1500\n"
	put "$dir/dev_port" "${5-0}\n"
	[ -z "${4-}" ] || ln_to "$dir/device" "$4"
	ln_to "class/net/$1" "$dir"
}

# lower UPPER LOWER: UPPER stands on LOWER
lower() {
	upper=$(readlink -f "class/net/$1")
	ln_to "${upper#"$PWD/"}/lower_$2" "class/net/$2"
}

# ib NAME PARENT STATE...: an RDMA device with a port for each state; PARENT may be empty
ib() {
	dir=devices/virtual/infiniband/$1
	[ -z "$2" ] || dir=$2/infiniband/$1
	ib_port=0
	put "$dir/node_type" '1: CA\n'
	[ -z "$2" ] || ln_to "$dir/device" "$2"
	ln_to "class/infiniband/$1" "$dir"
	shift 2
	for ib_state in "$@"; do
		ib_port=$((ib_port + 1))
		put "$dir/ports/$ib_port/state" "$ib_state\n"
		put "$dir/ports/$ib_port/link_layer" 'Ethernet\n'
		mkdir -p "$dir/ports/$ib_port/gids" "$dir/ports/$ib_port/gid_attrs/types" \
			"$dir/ports/$ib_port/gid_attrs/ndevs"
	done
}

# gid IBDEV PORT INDEX GID [TYPE NETDEV]
gid() {
	dir=class/infiniband/$1/ports/$2
	put "$dir/gids/$3" "$4\n"
	[ $# -gt 4 ] || return 0
	put "$dir/gid_attrs/types/$3" "$5\n"
	put "$dir/gid_attrs/ndevs/$3" "$6\n"
}
