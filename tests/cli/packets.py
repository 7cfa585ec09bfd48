# SPDX-License-Identifier: MIT
"""Constructed captures: pcap files of TCP connections of known content."""
import os
import struct

MESSAGES = os.path.dirname(os.path.abspath(__file__)) + "/../fuzz/corpus/clc/"
OPTION = bytes.fromhex("0101fe06e2d4c3d9")
SYN, ACK, FIN, RST = 2, 0x10, 1, 4
ETHERNET, RAW, SLL2 = 1, 101, 276


def message(name):
    with open(MESSAGES + name, "rb") as file:
        return file.read()


class Capture:
    def __init__(self, path, snaplen=262144, link=ETHERNET, order="<", magic=0xa1b2c3d4):
        self.file = open(path, "wb")
        self.order, self.link, self.snaplen, self.time = order, link, snaplen, 1700000000_000000
        self.nano = magic == 0xa1b23c4d
        self.file.write(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link))

    def packet(self, ip, ether, vlan=None):
        link = struct.pack(">H", ether)
        if self.link == RAW:
            data = ip
        elif self.link == SLL2:
            data = link + bytes(18) + ip
        else:
            tag = struct.pack(">HH", 0x8100, vlan) if vlan is not None else b""
            data = bytes.fromhex("020000000002020000000001") + tag + link + ip
        self.frame(data)

    def frame(self, data):
        """Half a millisecond after the previous packet."""
        self.time += 500
        seconds, micro = divmod(self.time, 1000000)
        kept = data[:self.snaplen]
        self.file.write(struct.pack(self.order + "IIII", seconds, micro * (1000 if self.nano else 1), len(kept), len(data)) + kept)

    def close(self):
        self.file.close()


def option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


SECOND = 1000000000


class Pcapng:
    """A pcapng file: interfaces, then packets with times in microseconds, by default a second after the previous one."""
    def __init__(self, path):
        self.path, self.data, self.time = path, b"", 1700000000 * SECOND
        self.section()

    def section(self, order="<"):
        """Interfaces are counted from 0 again."""
        self.order = order
        self.block(0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1) + option(order, 4, b"tests"))

    def block(self, kind, body):
        size = struct.pack(self.order + "I", 12 + len(body))
        self.data += struct.pack(self.order + "I", kind) + size + body + size

    def interface(self, link=ETHERNET, snaplen=262144, options=b""):
        self.block(1, struct.pack(self.order + "HHI", link, 0, snaplen) + option(self.order, 3, b"of a test") + options +
                   option(self.order, 0, b""))

    def packet(self, interface, data, time=None, tick=1000, full=None):
        """time: nanoseconds; tick: those of the interface's clock; full: bytes on the wire."""
        self.time = self.time + SECOND if time is None else time
        ticks = self.time // tick
        head = struct.pack(self.order + "IIIII", interface, ticks >> 32, ticks & 0xffffffff, len(data), full or len(data))
        self.block(6, head + data + bytes(-len(data) % 4) + option(self.order, 1, b"a packet") + option(self.order, 0, b""))

    def close(self):
        with open(self.path, "wb") as file:
            file.write(self.data)


def frames(path):
    """The packets of a little-endian capture by this module: nanoseconds and bytes."""
    with open(path, "rb") as file:
        data = file.read()
    at = 24
    while at < len(data):
        seconds, micro, kept, _ = struct.unpack_from("<IIII", data, at)
        yield seconds * SECOND + micro * 1000, data[at + 16:at + 16 + kept]
        at += 16 + kept


def to_pcapng(path, target):
    """A little-endian Ethernet capture by this module as pcapng, times in microseconds."""
    out = Pcapng(target)
    out.interface()
    for time, data in frames(path):
        out.packet(0, data, time=time)
    out.close()


# Link layers as the numbers in files, and an IP packet in each.
LINKS = {
    0: lambda ip, v6: struct.pack("<I", 30 if v6 else 2) + ip,
    1: lambda ip, v6: bytes(12) + (b"\x86\xdd" if v6 else b"\x08\0") + ip,
    101: lambda ip, v6: ip,
    108: lambda ip, v6: struct.pack(">I", 30 if v6 else 2) + ip,
    113: lambda ip, v6: struct.pack(">HHHQ", 0, 1, 6, 0) + (b"\x86\xdd" if v6 else b"\x08\0") + ip,
    228: lambda ip, v6: ip,
    229: lambda ip, v6: ip,
    242: lambda ip, v6: bytes(40) + (b"\x86\xdd" if v6 else b"\x08\0") + b"\0\0" + ip,
    276: lambda ip, v6: (b"\x86\xdd" if v6 else b"\x08\0") + bytes(18) + ip,
}


def ip_packet(source, target, protocol, data):
    if len(source) == 16:
        return struct.pack(">IHBB", 6 << 28, len(data), protocol, 64) + source + target + data, 0x86dd
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(data), 1, 0, 64, protocol, 0) + source + target + data, 0x0800


class Connection:
    """A connection of 10.0.0.1 to 10.0.0.2, or fd00::1 to fd00::2; side 0 is the client."""
    def __init__(self, capture, port=40000, v6=False, vlan=None):
        self.capture, self.ports, self.vlan, self.next = capture, (port, 7000), vlan, [0xffffff00, 2000]
        base = bytes.fromhex("fd" + "00" * 14) if v6 else bytes([10, 0, 0])
        self.ips = base + b"\1", base + b"\2"

    def send(self, side, data=b"", flags=ACK, options=b"", at=None):
        """at: a sequence number, by default the next."""
        number = self.next[side] if at is None else at
        tcp = struct.pack(">HHIIBBHHH", self.ports[side], self.ports[not side], number & 0xffffffff, self.next[not side] & 0xffffffff,
                          (20 + len(options)) // 4 << 4, flags, 65535, 0, 0) + options + data
        self.capture.packet(*ip_packet(self.ips[side], self.ips[not side], 6, tcp), self.vlan)
        if at is None:
            self.next[side] += len(data) + bool(flags & (SYN | FIN))

    def open(self, client=OPTION, server=OPTION):
        self.send(0, flags=SYN, options=client)
        self.send(1, flags=SYN | ACK, options=server)
        self.send(0)
        return self

    def say(self, *names):
        """Alternate messages, the client's first."""
        for i, name in enumerate(names):
            self.send(i % 2, message(name))
        return self


def of_system(name, at, system):
    """A message whose sender is another system: 1 is z/OS, 3 is AIX. Four bits of the byte at AT, before the release's."""
    data = bytearray(message(name))
    data[at] = system << 4 | data[at] & 15
    return bytes(data)


def made(path):
    """Messages that the lab does not produce: version 1, z/OS and AIX, IPv6 with VLANs, reordered segments."""
    capture = Capture(path)
    Connection(capture, 40000).open().say("smcd-proposal", "smcd-accept", "smcd-confirm")
    Connection(capture, 40001, v6=True, vlan=7).open().say("smcr-proposal", "smcr-accept", "smcr-confirm")
    Connection(capture, 40002).open().say("both-proposal", "decline-v2")
    Connection(capture, 40003).open(server=b"").send(0, b"GET / HTTP/1.0\r\n\r\n")
    Connection(capture, 40004).open(client=b"", server=b"").send(0, b"GET / HTTP/1.0\r\n\r\n")
    Connection(capture, 40005).open().say("decline-v1")
    Connection(capture, 40006).open().say("both-proposal", "v1-smcr-accept")
    Connection(capture, 40007).open().say("v1-proposal")
    conn = Connection(capture, 40008).open().say("smcr-proposal")
    conn.send(1, of_system("smcr-accept", 105, 1))
    conn.send(0, of_system("smcr-confirm", 105, 3))
    Connection(capture, 40009).open().say("both-proposal").send(1, of_system("decline-v2", 20, 3))
    capture.close()
