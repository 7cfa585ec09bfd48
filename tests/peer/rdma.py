# SPDX-License-Identifier: MIT
"""The RDMA side of a peer in user space: a reliable connection, and a buffer that the other end writes. Needs a RoCE device, and
python3-pyverbs."""
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context, get_device_list
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

QUEUE = 64
# Bytes of a message: received, as LLC of version 2 has lists, and sent.
RECEIVED, SENT = 8192, 64
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
        # Messages that arrive, messages to be sent, and data to be written.
        self.inbox = MR(self.pd, QUEUE * RECEIVED, ACCESS)
        self.outbox = MR(self.pd, QUEUE * SENT, ACCESS)
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
        self.qp.post_recv(RecvWR(wr_id=slot, num_sge=1, sg=[SGE(self.inbox.buf + slot * RECEIVED, RECEIVED, self.inbox.lkey)]))

    def post(self, sge, opcode, remote=None):
        work = SendWR(wr_id=QUEUE, opcode=opcode, num_sge=1, sg=[sge], send_flags=e.IBV_SEND_SIGNALED)
        if remote:
            work.set_wr_rdma(*remote)
        self.finish(QUEUE // 2)
        self.unfinished += 1
        self.sent += 1
        self.qp.post_send(work)

    def finish(self, most):
        """Wait until no more than @most requests are under way."""
        end = time.monotonic() + PATIENCE
        while self.unfinished > most:
            if not self.poll() and time.monotonic() > end:
                raise TimeoutError("requests do not end")

    def send(self, data):
        at = self.sent % QUEUE * SENT
        self.outbox.write(data, len(data), at)
        self.post(SGE(self.outbox.buf + at, len(data), self.outbox.lkey), e.IBV_WR_SEND)

    def write(self, rkey, address, data):
        """Data are copied, so the place is used again when that is safe."""
        self.finish(0)
        self.staging.write(data, len(data))
        self.post(SGE(self.staging.buf, len(data), self.staging.lkey), e.IBV_WR_RDMA_WRITE, (rkey, address))

    def poll(self):
        """Collect messages that have arrived. True if there were any."""
        works = self.cq.poll(QUEUE)[1]
        for work in works:
            if work.status:
                raise OSError("the link has failed: status %d" % work.status)
            if work.opcode & e.IBV_WC_RECV:
                self.arrived.append(self.inbox.read(work.byte_len, work.wr_id * RECEIVED))
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
