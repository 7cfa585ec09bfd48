# SPDX-License-Identifier: MIT
"""Generic netlink, for settings that are too frequent to start a program for each."""
import socket
import struct

# Python 3.11 does not know its name.
NETLINK_GENERIC, CONTROLLER, GET_FAMILY = 16, 16, 3
REQUEST, ACK, DUMP, DONE = 1, 4, 0x300, 3


def _attribute(number, value):
    value = bytes([value]) if isinstance(value, int) else value.encode() + b"\0"
    return struct.pack("=HH", 4 + len(value), number) + value + bytes(-len(value) % 4)


def _ask(netlink, family, command, attributes, version=1):
    """The answer: a message of the family, or nothing."""
    payload = struct.pack("=BBH", command, version, 0) + b"".join(_attribute(*item) for item in attributes)
    netlink.send(struct.pack("=IHHII", 16 + len(payload), family, REQUEST | ACK, 1, 0) + payload)
    answer = b""
    while True:
        data = netlink.recv(65536)
        while data:
            length, kind = struct.unpack_from("=IH", data)
            if kind == 2:
                code = -struct.unpack_from("=i", data, 16)[0]
                if code:
                    raise OSError(code, "generic netlink: command %d, %r" % (command, attributes))
                return answer
            answer, data = data[20:length], data[length + 3 & ~3:]


class Family:
    """A family of this thread's network namespace."""

    def __init__(self, name):
        self.netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.number, data = None, _ask(self.netlink, CONTROLLER, GET_FAMILY, [(2, name)])
        while data and not self.number:
            length, kind = struct.unpack_from("=HH", data)
            if kind == 1:
                self.number = struct.unpack_from("=H", data, 4)[0]
            data = data[length + 3 & ~3:]

    def do(self, command, *attributes):
        """Numbers are 8 bits wide. Raises OSError with the kernel's error."""
        _ask(self.netlink, self.number, command, attributes)

    def dump(self, command):
        """Number of messages, which are not looked at."""
        count, kind = 0, None
        self.netlink.send(struct.pack("=IHHIIBBH", 20, self.number, REQUEST | DUMP, 1, 0, command, 1, 0))
        while kind != DONE:
            data = self.netlink.recv(65536)
            while data:
                length, kind = struct.unpack_from("=IH", data)
                count, data = count + 1, data[length + 3 & ~3:]
        return count - 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.netlink.close()
