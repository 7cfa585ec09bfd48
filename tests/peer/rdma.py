# SPDX-License-Identifier: MIT
"""The RDMA side of a peer in user space: a reliable connection, LLC and CDC messages on it, and a buffer that the other end writes.
RFC 7609, 3 and 4, appendix A; lengths and flags of version 2 from captures of Linux. Needs a RoCE device, and python3-pyverbs."""
import struct
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context, get_device_list
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

CONFIRM_LINK, ADD_LINK, DELETE_LINK, CONFIRM_RKEY, TEST_LINK, DELETE_RKEY, CDC = 1, 2, 4, 6, 7, 9, 0xfe
V2 = 0x20
RESPONSE, REJECTED = 0x80, 0x40
# In CONFIRM LINK: buffers begin without an eyecatcher.
NO_EYECATCHER = 3
# Flags of the producer and of the connection, in a CDC message.
BLOCKED, URGENT_PENDING, URGENT, UPDATE_WANTED = 0x80, 0x40, 0x20, 0x10
DONE_WRITING, CLOSED, ABNORMAL = 0x80, 0x40, 0x20
SIZE = 44
QUEUE = 64
# Seconds without any message, after which the link counts as dead.
PATIENCE = 20
ACCESS = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE


def index_of(context, gid):
    """Of a RoCE v2 GID of 16 bytes, in the table of port 1."""
    for index in range(16):
        if bytes.fromhex(str(context.query_gid(1, index).gid).replace(":", "")) == gid:
            return index
    raise OSError("the device has no GID " + gid.hex(":"))


class Link:
    """A queue pair with a buffer of @size bytes."""
    psn = 0x112233

    def __init__(self, gid, size=65536):
        self.context = Context(name=get_device_list()[0].name.decode())
        self.gid, self.size, self.sent, self.unfinished, self.arrived = gid, size, 0, 0, []
        self.pd, self.cq = PD(self.context), CQ(self.context, 4 * QUEUE)
        self.rmb = MR(self.pd, size, ACCESS)
        # Messages: the first half is received, the second sent. Then data to be written.
        self.messages = MR(self.pd, 2 * QUEUE * 64, ACCESS)
        self.staging = MR(self.pd, 1 << 16, ACCESS)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=QPCap(2 * QUEUE, QUEUE, 2, 2))
        attributes = QPAttr(port_num=1)
        attributes.qp_access_flags = ACCESS
        self.qp = QP(self.pd, init, attributes)
        for slot in range(QUEUE):
            self.post_receive(slot)

    def values(self, token=0x51a):
        """Values for an accept or confirm of CLC."""
        return {"qp": self.qp.qp_num, "rkey": self.rmb.rkey, "token": token, "address": self.rmb.buf, "psn": self.psn}

    def connect(self, other):
        """@other: a parsed accept or confirm."""
        route = GlobalRoute(dgid=GID(other["gid"].hex(":", 2)), sgid_index=index_of(self.context, self.gid))
        attributes = QPAttr(port_num=1)
        attributes.qp_access_flags = ACCESS
        attributes.path_mtu, attributes.dest_qp_num, attributes.rq_psn = min(other["mtu"], 3), other["qp"], other["psn"]
        attributes.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
        attributes.max_dest_rd_atomic, attributes.min_rnr_timer = 1, 5
        attributes.sq_psn, attributes.max_rd_atomic = self.psn, 1
        attributes.timeout, attributes.retry_cnt, attributes.rnr_retry = 14, 7, 7
        self.qp.to_rts(attributes)

    def post_receive(self, slot):
        self.qp.post_recv(RecvWR(wr_id=slot, num_sge=1, sg=[SGE(self.messages.buf + slot * 64, 64, self.messages.lkey)]))

    def post(self, sge, opcode, remote=None):
        work = SendWR(wr_id=QUEUE, opcode=opcode, num_sge=1, sg=[sge], send_flags=e.IBV_SEND_SIGNALED)
        if remote:
            work.set_wr_rdma(*remote)
        while self.unfinished >= QUEUE // 2:
            self.poll()
        self.unfinished += 1
        self.sent += 1
        self.qp.post_send(work)

    def send(self, data):
        slot = QUEUE + self.sent % QUEUE
        self.messages.write(data, len(data), slot * 64)
        self.post(SGE(self.messages.buf + slot * 64, len(data), self.messages.lkey), e.IBV_WR_SEND)

    def write(self, rkey, address, data):
        """Data are copied, so the place is used again when that is safe."""
        while self.unfinished:
            self.poll()
        self.staging.write(data, len(data))
        self.post(SGE(self.staging.buf, len(data), self.staging.lkey), e.IBV_WR_RDMA_WRITE, (rkey, address))

    def poll(self):
        """Collect messages that have arrived. True if there were any."""
        works = self.cq.poll(QUEUE)[1]
        for work in works:
            if work.status:
                raise OSError("the link has failed: status %d" % work.status)
            if work.opcode & e.IBV_WC_RECV:
                self.arrived.append(self.messages.read(work.byte_len, work.wr_id * 64))
                self.post_receive(work.wr_id)
            else:
                self.unfinished -= 1
        return bool(works)

    def receive(self):
        """The next message, None after a time without one."""
        end = time.monotonic() + PATIENCE
        while not self.arrived and time.monotonic() < end:
            if not self.poll():
                time.sleep(0.0005)
        return self.arrived.pop(0) if self.arrived else None


# ---- LLC ----

def llc(kind, flags=0, body=b"", version=2):
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
    return (message[:3] + bytes([flags | RESPONSE | (REJECTED if kind == ADD_LINK else 0)]) + body).ljust(SIZE, b"\0")


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
