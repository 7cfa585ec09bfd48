# SPDX-License-Identifier: MIT
"""Requests to the kernel's generic netlink families of SMC, for the commands of guests.

Independent of the tools under test, so that the lab can prepare a guest for them.
"""
import os
import socket
import struct

NETLINK_GENERIC, GENL_ID_CTRL = 16, 16
CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 3, 1, 2
NLMSG_ERROR, NLMSG_DONE = 2, 3
REQUEST, ACK, DUMP = 0x1, 0x4, 0x300


def attribute(kind, data):
    return struct.pack("=HH", len(data) + 4, kind) + data + bytes(-len(data) % 4)


def attributes(data):
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        yield kind, data[4:size]
        data = data[(size + 3) & ~3:]


def messages(sock):
    """Yields the attributes of each answer up to the acknowledgement; raises the kernel's error."""
    while True:
        data = sock.recv(65536)
        while data:
            size, kind = struct.unpack_from("=IH", data)
            if kind in (NLMSG_ERROR, NLMSG_DONE):
                error = -struct.unpack_from("=i", data, 16)[0]
                if error:
                    raise OSError(error, os.strerror(error))
                return
            yield dict(attributes(data[20:size]))
            data = data[(size + 3) & ~3:]


def call(sock, family, command, version, flags, payload=b""):
    body = struct.pack("=BBH", command, version, 0) + payload
    sock.send(struct.pack("=IHHII", 16 + len(body), family, REQUEST | flags, 1, 0) + body)
    return list(messages(sock))


def open_family(name):
    """A socket in the caller's network namespace, and the number of the family."""
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
    answer = call(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 2, ACK, attribute(CTRL_ATTR_FAMILY_NAME, name + b"\0"))[0]
    return sock, struct.unpack("=H", answer[CTRL_ATTR_FAMILY_ID])[0]
