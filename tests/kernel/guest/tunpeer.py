# SPDX-License-Identifier: MIT
"""A host on a TUN device that offers SMC with TCP option 254, and then breaks the handshake.
Without the option in the SYN it is an ordinary TCP host that sends back what it gets."""
import fcntl
import os
import socket
import struct
import subprocess
import threading

ADDRESSES = {socket.AF_INET: "10.99.0.2", socket.AF_INET6: "fd99::2"}
LOCAL = {socket.AF_INET: "10.99.0.1", socket.AF_INET6: "fd99::1"}
RESET, GARBAGE, CLOSE, SILENCE, REFUSE, DEAF = range(7001, 7007)
# Ports and the code of ICMP's "destination unreachable" that a router sends: host, administrator
ICMP = {7007: 1, 7008: 13}

SMC = bytes.fromhex("fe06e2d4c3d9")
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


def checksum(data):
    total = sum(struct.unpack("!%dH" % ((len(data) + 1) // 2), data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


class Connection:
    """One TCP connection, seen from its host; a TUN device loses nothing."""

    def __init__(self, peer, ends, segment):
        self.peer, self.ends = peer, ends
        self.speaks_smc = SMC in segment.options
        self.next, self.wanted, self.finished = 1001, (segment.seq + 1) & 0xffffffff, False
        self.send(SYN | ACK, seq=1000, options=bytes.fromhex("020403e8") +
                  (SMC + b"\1\1" if self.speaks_smc else b""))

    def send(self, flags, data=b"", seq=None, options=b""):
        self.peer.send(self.ends, self.next if seq is None else seq, self.wanted, flags, options, data)
        if seq is None:
            self.next += len(data) + bool(flags & FIN)

    def get(self, segment):
        if segment.seq != self.wanted:
            return
        self.wanted = (self.wanted + len(segment.data)) & 0xffffffff
        ends = segment.flags & FIN
        self.wanted += bool(ends)
        if segment.data:
            (self.spoil if self.speaks_smc else self.echo)(segment.data)
        if ends and not self.finished:
            self.finished = True
            self.send(FIN | ACK)
        elif ends:
            self.send(ACK)

    def echo(self, data):
        self.send(ACK)
        for start in range(0, len(data), 1000):
            self.send(PSH | ACK, data[start:start + 1000])

    def spoil(self, _):
        how = self.ends[3]
        if how == RESET:
            self.send(RST | ACK)
        elif how == GARBAGE:
            self.send(PSH | ACK, b"220 example.org knows nothing of SMC, and sends more bytes than a header has\r\n")
        elif how == CLOSE:
            self.finished = True
            self.send(FIN | ACK)
        else:
            self.send(ACK)


class Victim:
    """A client that supports SMC, and leaves as soon as it is connected."""

    def __init__(self, peer, ends):
        self.peer, self.ends, self.gone = peer, ends, threading.Event()
        peer.connections[ends] = self
        peer.send(ends, 1000, 0, SYN, bytes.fromhex("020403e8") + SMC + b"\1\1")

    def get(self, segment):
        if segment.flags & SYN:
            self.peer.send(self.ends, 1001, segment.seq + 1, ACK)
            self.peer.send(self.ends, 1001, segment.seq + 1, RST | ACK)
            del self.peer.connections[self.ends]
            self.gone.set()


class Segment:
    """A TCP segment in an IP packet."""

    def __init__(self, packet):
        self.packet = packet
        if packet[0] >> 4 == 4:
            self.protocol, start = packet[9], (packet[0] & 15) * 4
            addresses, end = (packet[12:16], packet[16:20]), struct.unpack_from("!H", packet, 2)[0]
        else:
            self.protocol, start, addresses, end = packet[6], 40, (packet[8:24], packet[24:40]), len(packet)
        if self.protocol != 6:
            return
        tcp = packet[start:end]
        source, to, self.seq, self.ack, offset, self.flags = struct.unpack("!HHIIBB", tcp[:14])
        offset = (offset >> 4) * 4
        self.options, self.data = tcp[20:offset], tcp[offset:]
        self.ends = (*addresses, source, to)


class Peer(threading.Thread):
    """The host; syns lists arrivals: (source port, port, whether SMC was offered)"""

    def __init__(self):
        super().__init__(daemon=True)
        self.syns, self.connections, self.last = [], {}, 1024
        os.makedirs("/dev/net", exist_ok=True)
        subprocess.run("modprobe -q tun; [ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200", shell=True, check=False)
        self.tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tun, 0x400454ca, struct.pack("16sH22x", b"tunpeer", 0x1001))
        subprocess.run("ip addr add 10.99.0.1/24 dev tunpeer && ip -6 addr add fd99::1/64 dev tunpeer nodad && "
                       "ip link set tunpeer up", shell=True, check=True)
        self.start()

    def run(self):
        while True:
            segment = Segment(os.read(self.tun, 65536))
            if segment.protocol == 6:
                self.take(segment)

    def take(self, segment):
        ends, port = segment.ends, segment.ends[3]
        if segment.flags & RST:
            self.connections.pop(ends, None)
        elif segment.flags & SYN and not segment.flags & ACK:
            self.syns.append((ends[2], port, SMC in segment.options))
            if port == REFUSE:
                self.send(ends, 0, segment.seq + 1, RST | ACK)
            elif port in ICMP:
                # Later than connect(), as a router would
                threading.Timer(0.2, self.report, (segment, ICMP[port])).start()
            elif port != DEAF:
                self.connections[ends] = Connection(self, ends, segment)
        elif ends in self.connections:
            self.connections[ends].get(segment)

    def die(self, port, count):
        """This many clients of the guest's port leave during their handshake. Returns the number accepted by TCP."""
        victims = []
        for _ in range(count):
            self.last = self.last % 60000 + 1
            here, there = (socket.inet_aton(a) for a in (ADDRESSES[socket.AF_INET], LOCAL[socket.AF_INET]))
            victims.append(Victim(self, (there, here, port, self.last)))
        return sum(victim.gone.wait(60) for victim in victims)

    def report(self, segment, code):
        icmp = struct.pack("!BBHI", 3, code, 0, 0) + segment.packet[:28]
        self.write(segment.ends, 1, icmp[:2] + struct.pack("!H", checksum(icmp)) + icmp[4:])

    def send(self, ends, seq, ack, flags, options=b"", data=b""):
        here, there = ends[1], ends[0]
        tcp = struct.pack("!HHIIBBHHH", ends[3], ends[2], seq & 0xffffffff, ack & 0xffffffff,
                          (20 + len(options)) // 4 << 4, flags, 65535, 0, 0) + options + data
        tcp = tcp[:16] + struct.pack("!H", checksum(here + there + struct.pack("!II", len(tcp), 6) + tcp)) + tcp[18:]
        self.write(ends, 6, tcp)

    def write(self, ends, protocol, data):
        here, there = ends[1], ends[0]
        if len(here) == 16:
            header = struct.pack("!IHBB", 6 << 28, len(data), protocol, 64) + here + there
        else:
            header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 0, 0, 64, protocol, 0) + here + there
            header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
        os.write(self.tun, header + data)
