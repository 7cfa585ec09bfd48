# SPDX-License-Identifier: MIT
"""Captures with payload of TCP connections, read and judged."""
import collections
import ipaddress
import struct

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
Packet = collections.namedtuple("Packet", "time data length comments")
Piece = collections.namedtuple("Piece", "at data length")
TABLE = bytes(131 * i & 255 for i in range(512))


def pattern(seed, size):
    """Data sent by "ways", the same as in tests/kernel/ways.c."""
    out = b""
    for block in range((size + 255) >> 8):
        shift = (57 * seed + 17 * block + 29 * (block >> 8)) & 255
        out += TABLE[shift:shift + 256]
    return out[:size]


# ---- files ----

def options(body):
    """Options of a block: {code: [value]}."""
    found, at = {}, 0
    while at + 4 <= len(body):
        code, size = struct.unpack_from("=HH", body, at)
        if not code:
            break
        found.setdefault(code, []).append(body[at + 4:at + 4 + size])
        at += 4 + size + (-size & 3)
    return found


def blocks(data):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("=II", data, at)
        assert size >= 12 and size % 4 == 0 and at + size <= len(data), "a block of %d bytes at %d" % (size, at)
        assert struct.unpack_from("=I", data, at + size - 4)[0] == size, "length at both ends"
        yield kind, data[at + 8:at + size - 4]
        at += size


def statistics(path):
    """Statistics of the last block: (received, dropped), or None."""
    with open(path, "rb") as file:
        found = [options(body[12:]) for kind, body in blocks(file.read()) if kind == 5]
    return tuple(struct.unpack("=Q", found[-1][code][0])[0] for code in (4, 5)) if found else None


def packets(path):
    with open(path, "rb") as file:
        data = file.read()
    scale = 1000
    for kind, body in blocks(data):
        if kind == 1:
            assert struct.unpack_from("=H", body)[0] == 1, "Ethernet"
            scale = 10 ** (9 - options(body[8:]).get(9, [b"\x06"])[0][0])
        elif kind == 6:
            _, high, low, kept, length = struct.unpack_from("=IIIII", body)
            found = options(body[20 + kept + (-kept & 3):])
            yield Packet((high << 32 | low) * scale, body[20:20 + kept], length, [c.decode() for c in found.get(1, [])])


# ---- headers ----

def checksum(data):
    data += b"\0" * (len(data) & 1)
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def network(data, length):
    """Decode the network layer. Return: source, destination, captured payload, its full length, and complaints."""
    kind, = struct.unpack_from(">H", data, 12)
    ip, wrong = data[14:], []
    if kind == 0x0800:
        size, total = (ip[0] & 15) * 4, struct.unpack_from(">H", ip, 2)[0]
        source, dest, protocol = ip[12:16], ip[16:20], ip[9]
        wrong += ["checksum of IP"] if checksum(ip[:size]) else []
    else:
        size, total = 40, 40 + struct.unpack_from(">H", ip, 4)[0]
        source, dest, protocol = ip[8:24], ip[24:40], ip[6]
    wrong += ["length of IP %d, of the packet %d" % (total, length)] if total + 14 != length else []
    wrong += ["protocol %d" % protocol] if protocol != 6 else []
    return source, dest, ip[size:total], total - size, wrong


class Segment:
    def __init__(self, packet):
        source, dest, tcp, length, self.wrong = network(packet.data, packet.length)
        sport, dport, self.seq, self.ack, size, self.flags = struct.unpack_from(">HHIIBB", tcp)
        size = (size >> 4) * 4
        self.source, self.dest = (str(ipaddress.ip_address(source)), sport), (str(ipaddress.ip_address(dest)), dport)
        self.data, self.length = tcp[size:], length - size
        self.packet = packet
        pseudo = source + dest + struct.pack(">II", length, 6)
        self.has_checksum = len(self.data) < self.length or not checksum(pseudo + tcp)


# ---- streams ----

class Half:
    """One direction: captured bytes and their positions."""
    def __init__(self, first):
        self.first, self.next, self.fin, self.acked = first, 0, None, 0
        self.pieces = []

    def add(self, segment):
        """Return: complaints."""
        at = (segment.seq - self.first) & 0xffffffff
        wrong = ["bytes %d come after %d" % (at, self.next)] if at < self.next else []
        if segment.length:
            self.pieces.append(Piece(at, segment.data, segment.length))
        self.next = at + segment.length
        if segment.flags & FIN:
            self.fin = self.next
        return wrong

    def lost(self):
        """Gaps: [(at, size)]."""
        found, at = [], 0
        for piece in self.pieces:
            if piece.at > at:
                found.append((at, piece.at - at))
            at = piece.at + piece.length
        if self.fin is not None and self.fin > at:
            found.append((at, self.fin - at))
        return found

    def cut(self):
        return sum(piece.length - len(piece.data) for piece in self.pieces)

    def bytes(self):
        return b"".join(piece.data for piece in self.pieces)

    def differs(self, want):
        """Compare the captured bytes with all bytes sent: None, or the position of a difference."""
        for piece in self.pieces:
            if piece.data != want[piece.at:piece.at + len(piece.data)]:
                return "bytes at %d differ: %r, not %r" % (piece.at, piece.data[:20], want[piece.at:piece.at + 20])
            if piece.at + piece.length > len(want):
                return "%d bytes at %d, of %d that were sent" % (piece.length, piece.at, len(want))
        return None


class Stream:
    """@halves: bytes sent by the client, by the server. @wrong: behaviour impossible for TCP."""
    def __init__(self, syn):
        self.client, self.server, self.comments = syn.source, syn.dest, list(syn.packet.comments)
        self.halves = [Half((syn.seq + 1) & 0xffffffff), None]
        self.flags, self.wrong, self.time, self.lengths = [], [], 0, []
        self.reset = False

    def add(self, segment):
        side = segment.source != self.client
        self.flags.append((side, segment.flags))
        self.wrong += segment.wrong + ([] if segment.has_checksum else ["checksum of TCP"])
        self.wrong += ["time goes back"] if segment.packet.time < self.time else []
        self.time = segment.packet.time
        if len(self.flags) > 1:
            self.comments += segment.packet.comments
        if segment.flags & SYN:
            if side:
                self.halves[1] = Half((segment.seq + 1) & 0xffffffff)
            return
        if not self.halves[1]:
            self.wrong.append("no SYN-ACK")
            self.halves[1] = Half(segment.ack)
        self.wrong += self.halves[side].add(segment)
        self.reset |= bool(segment.flags & RST)
        other = self.halves[not side]
        acked = (segment.ack - other.first) & 0xffffffff
        # The last ones may be lost, which the end reports.
        is_after_loss = segment.flags & FIN and any("lost" in comment for comment in segment.packet.comments)
        if segment.flags & ACK and not is_after_loss and not other.acked <= acked <= other.next + (other.fin is not None):
            self.wrong.append("acknowledges %d of %d, and %d before" % (acked, other.next, other.acked))
        other.acked = max(other.acked, acked) if acked < 1 << 31 else other.acked
        if segment.length:
            self.lengths.append((len(segment.data), segment.length))

    def finish(self):
        """Complaints about the whole stream."""
        if self.flags[:3] != [(False, SYN), (True, SYN | ACK), (False, ACK)]:
            self.wrong.append("begins with %r" % self.flags[:3])
        fins = [half.fin is not None for half in self.halves if half]
        if fins != [True, True] and fins != [False, False] and not self.reset:
            self.wrong.append("one side has ended: %r" % fins)
        return self

    def has_ended(self):
        return self.reset or all(half and half.fin is not None for half in self.halves)


def streams(path):
    """Connections in the order of their SYNs."""
    found, by_ends = [], {}
    for packet in packets(path):
        segment = Segment(packet)
        key = frozenset((segment.source, segment.dest))
        if segment.flags & (SYN | ACK) == SYN:
            by_ends[key] = Stream(segment)
            found.append(by_ends[key])
        if key not in by_ends:
            raise ValueError("a packet without a SYN before it: %r" % (segment.source,))
        by_ends[key].add(segment)
    return [stream.finish() for stream in found]


def of_port(all_streams, port):
    return [stream for stream in all_streams if stream.server[1] == port]


# ---- output of "ways" ----

def expected(lines, port):
    """Bytes that the client of a port sent, and bytes that the server sent."""
    sent = {line["side"]: line["sent"] for line in lines if line.get("port") == port}
    return tuple(pattern(2 * port + server, sent[side]) for server, side in enumerate(("client", "server")))
