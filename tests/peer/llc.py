# SPDX-License-Identifier: MIT
"""Messages on a link, LLC and CDC: bytes <-> values, and one connection. RFC 7609, 3 and 4, appendix A; lengths and flags of version 2
from captures of Linux."""
import struct
import sys

CONFIRM_LINK, ADD_LINK, DELETE_LINK, CONFIRM_RKEY, TEST_LINK, DELETE_RKEY, CDC = 1, 2, 4, 6, 7, 9, 0xfe
V2 = 0x20
RESPONSE, REJECTED = 0x80, 0x40
# In CONFIRM LINK: buffers begin without an eyecatcher.
NO_EYECATCHER = 3
# Flags of the producer and of the connection, in a CDC message.
BLOCKED, URGENT_PENDING, URGENT = 0x80, 0x40, 0x20
DONE_WRITING, CLOSED, ABNORMAL = 0x80, 0x40, 0x20
SIZE = 44


# ---- LLC ----

def make(kind, flags=0, body=b"", version=2):
    """Linux has the length of version 2 in its own byte order."""
    return (struct.pack("<BHB" if sys.byteorder == "little" or version < 2 else ">BHB", kind | (V2 if version > 1 else 0), SIZE,
                        flags) + body).ljust(SIZE, b"\0")


def kind_of(message):
    """Of either version."""
    return message[0] if message[0] == CDC else message[0] & 15


def path(link, mac, number=1, **change):
    """Body of CONFIRM LINK."""
    values = dict(gid=link.gid, qp=link.qp.qp_num, uid=0x1dea, most=1, **change)
    return mac + values["gid"] + values["qp"].to_bytes(3, "big") + struct.pack(">BIB", number, values["uid"], values["most"])


def new_path(link, mac, number=2, gid=None):
    """Body of ADD LINK."""
    return mac + bytes(2) + (gid or link.gid) + link.qp.qp_num.to_bytes(3, "big") + bytes([number, 3]) + link.psn.to_bytes(3, "big")


def answer_llc(message, own):
    """What an honest host with one link answers to a request; None for what needs no answer."""
    kind, flags, body = kind_of(message), message[3], message[4:]
    if flags & RESPONSE or kind == CDC:
        return None
    if kind == CONFIRM_LINK:
        body = own
    return make(kind, flags | RESPONSE | (REJECTED if kind == ADD_LINK else 0), body[:SIZE - 4], 2 if message[0] & V2 else 1)


# ---- CDC ----

class Cursor:
    """Position in a buffer: bytes that have passed it, and the same as the wire has it."""

    def __init__(self, size):
        self.size, self.total, self.turns, self.count = size, 0, 0, 0

    def pack(self):
        """@turns and @count: what a liar adds."""
        return struct.pack(">HHI", 0, self.total // self.size + self.turns & 0xffff, self.total % self.size + self.count)

    def unpack(self, data):
        wrap, count = struct.unpack(">HI", data[2:8])
        turns = (wrap - self.total // self.size) & 0xffff
        self.total += turns * self.size + count - self.total % self.size


class Stream:
    """A connection on a link. @other: of the accept or confirm; @own: body of CONFIRM LINK."""

    def __init__(self, link, other, own):
        self.link, self.other, self.own, self.sequence = link, other, own, 0
        self.sent, self.taken = Cursor(other["size"]), Cursor(other["size"])
        self.came, self.read_to = Cursor(link.size), Cursor(link.size)
        self.flags, self.closed, self.gone, self.said = 0, False, False, []

    def ahead(self, side, turns, count):
        """From now on, claim more than is true."""
        cursor = getattr(self, side)
        cursor.turns, cursor.count = turns, count

    def message(self, flags=0, token=None, sequence=None):
        self.sequence = (self.sequence + 1) & 0xffff
        return (struct.pack(">BBHI", CDC, SIZE, self.sequence if sequence is None else sequence,
                            self.other["token"] if token is None else token) +
                self.sent.pack() + self.read_to.pack() + bytes([flags, self.flags])).ljust(SIZE, b"\0")

    def tell(self, **change):
        self.link.send(self.message(**change))

    def take(self, message):
        """One message of the other end."""
        if message is None:
            raise TimeoutError
        if kind_of(message) == CDC:
            self.came.unpack(message[8:16])
            self.taken.unpack(message[16:24])
            self.closed |= bool(message[25] & (DONE_WRITING | CLOSED | ABNORMAL))
            self.gone |= bool(message[25] & (CLOSED | ABNORMAL))
        else:
            self.said.append(message)
            answer = answer_llc(message, self.own)
            if answer:
                self.link.send(answer)

    def read(self):
        """Bytes, none after the other end has closed."""
        while self.came.total == self.read_to.total and not self.closed:
            self.take(self.link.receive())
        at, size = self.read_to.total % self.link.size, self.came.total - self.read_to.total
        first = min(size, self.link.size - at)
        data = self.link.rmb.read(first, at) + (self.link.rmb.read(size - first, 0) if size > first else b"")
        self.read_to.total += size
        if size:
            self.tell()
        return data

    def write(self, data):
        size = self.other["size"]
        base = self.other["address"] + (self.other["index"] - 1) * size
        while data:
            while self.sent.total - self.taken.total == size:
                self.take(self.link.receive())
            at = self.sent.total % size
            part = data[:min(size - at, size - self.sent.total + self.taken.total, 65536)]
            self.link.write(self.other["rkey"], base + at, part)
            self.sent.total += len(part)
            data = data[len(part):]
            self.tell()

    def close(self):
        """Wait for the other end, too: Soft-RoCE uses the number of this queue pair for the next one."""
        self.flags = DONE_WRITING | CLOSED
        self.tell()
        while not self.gone:
            self.take(self.link.receive())
