# SPDX-License-Identifier: MIT
"""Addresses of the loopback interface, in a network namespace of the caller's. Not every system that builds has ip(8).
usage: python3 -B tests/cli/addresses.py [ADDRESS/PREFIX...]"""
import fcntl
import ipaddress
import socket
import struct
import sys

SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK = 0x8914, 0x8916, 0x891C
IFF_UP = 1


def add(*addresses):
    """Bring the interface up and add these addresses; IPv4 addresses other than 127.0.0.1 get separate labels."""
    with socket.socket(socket.AF_INET) as sock:
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
        for address in map(ipaddress.ip_interface, addresses):
            if address.version == 6:
                add_ipv6(address)
                continue
            label = b"lo:%x" % int(address)
            for request, value in ((SIOCSIFADDR, address.ip), (SIOCSIFNETMASK, address.netmask)):
                fcntl.ioctl(sock, request, struct.pack("16sHH4s8x", label, socket.AF_INET, 0, value.packed))


def add_ipv6(address):
    with socket.socket(socket.AF_INET6) as sock:
        fcntl.ioctl(sock, SIOCSIFADDR, struct.pack("16sIi", address.ip.packed, address.network.prefixlen, socket.if_nametoindex("lo")))


if __name__ == "__main__":
    add(*sys.argv[1:])
