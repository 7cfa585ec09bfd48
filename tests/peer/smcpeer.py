#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""A peer of SMC in user space that behaves as a script says; for root.
usage: smcpeer.py serve SCRIPT|all PORT           answer connections; all: each script on its port, from PORT on
       smcpeer.py connect SCRIPT|all HOST PORT    make one, and print what came of it; all: of each script
       smcpeer.py --list
Most scripts use no RDMA device, and end where the link would begin, after the confirm. Those whose names begin with "link" go on
over the RoCE device of the connection's address, and need python3-pyverbs."""
import functools
import os
import random
import socket
import struct
import sys
import threading

import clc
import llc
from option import offer_smc

try:
    import rdma
except ImportError:
    rdma = None

PEER, MAC = bytes.fromhex("5a5a020000000001"), bytes.fromhex("020000000001")
LINK = {"qp": 0x4711, "rkey": 0x1234, "token": 0x51a, "address": 0x7f0000000000, "psn": 0x112233}
EID = "SMC-LAB-EID"
# Longer than the kernel waits for a message.
SILENCE = 30
# Kind of a message that is too short for what it announces.
MALFORMED = 0


class Connection:
    """A TCP connection and the messages on it. @notes: what the other end did."""

    def __init__(self, sock):
        self.sock, self.proposal, self.notes = sock, None, []

    def send(self, data):
        self.sock.sendall(data)

    def read(self, size):
        data = b""
        while len(data) < size:
            got = self.sock.recv(size - len(data))
            if not got:
                raise EOFError
            data += got
        return data

    def receive(self):
        head = self.read(8)
        if head[:4] not in (clc.SMCR, clc.SMCD):
            return {"kind": None, "data": head}
        data = head + self.read(int.from_bytes(head[5:7], "big") - 8)
        try:
            return clc.parse(data)
        except (struct.error, IndexError, UnicodeDecodeError):
            return {"kind": MALFORMED, "data": data}

    def own(self):
        return {"peer": PEER, "gid": clc.gid_of(self.sock.getsockname()[0]), "mac": MAC}

    def accept(self, **change):
        """The accept of an honest server for what was proposed, with changes."""
        offer = self.proposal
        if change.pop("path", "any") == "any" and offer["isms"]:
            gid, chid = offer["isms"][0]
            values = dict(gid=gid + (offer["isms"][1][0] if chid >= 0xff00 and len(offer["isms"]) > 1 else b""), token=0x1000,
                          chid=chid, eid=(offer["eids"] or [""])[0])
            return clc.answer_d(clc.ACCEPT, **{**values, **change})
        change.pop("chid", None)
        values = dict(self.own(), eid=(offer["eids"] or [""])[0])
        link = {key: change.pop(key) for key in tuple(change) if key in LINK}
        values["link"] = dict(LINK, **link)
        return clc.answer_r(clc.ACCEPT, **{**values, **change})

    def offer(self, **change):
        return clc.proposal(**{**self.own(), "eids": [EID], **change})

    def echo(self):
        """What both do after a decline: TCP."""
        while True:
            data = self.sock.recv(65536)
            if not data:
                return
            self.send(data)

    def linger(self):
        """Say nothing; a message of the other end, or its end, ends this."""
        self.sock.settimeout(SILENCE)
        try:
            said = self.receive()
        except (EOFError, OSError) as error:
            self.notes.append("timeout" if isinstance(error, TimeoutError) else "closed")
            return None
        self.sock.settimeout(None)
        names = {clc.PROPOSAL: "proposal", clc.ACCEPT: "accept", clc.CONFIRM: "confirm", None: "data",
                 MALFORMED: "malformed message"}
        self.notes.append("decline 0x%08x" % said["reason"] if said["kind"] == clc.DECLINE else names.get(said["kind"], "unknown message"))
        return said


# ---- servers ----

def after(conn, data):
    """Send a message, and wait for what the client says: a decline, after which both go on with TCP, or a confirm first."""
    conn.send(data)
    said = conn.linger()
    if said and said["kind"] == clc.CONFIRM:
        said = conn.linger()
    if said and said["kind"] == clc.DECLINE:
        conn.echo()


def declines(reason, **how):
    def script(conn):
        conn.send(clc.decline(reason, **how))
        conn.echo()
    return script


def accepts(**change):
    return lambda conn: after(conn, conn.accept(**change))


def sends(make):
    return lambda conn: after(conn, make(conn))


def floods(make):
    def script(conn):
        data = make(conn)
        conn.sock.settimeout(SILENCE)
        for _ in range(20000):
            conn.send(data)
    return script


SERVERS = {
    "decline": declines(0x03030000),
    "decline v1": declines(0x03030000, version=1),
    "decline of z/OS": declines(0x03047777, system=clc.ZOS),
    "decline out of sync": declines(0x03070000, out_of_sync=True),
    "silence": lambda conn: conn.linger(),
    "close": lambda conn: None,
    "half header": sends(lambda conn: conn.accept()[:5]),
    "half accept": sends(lambda conn: conn.accept()[:40]),
    "half accept and close": lambda conn: conn.send(conn.accept()[:40]),
    "garbage": sends(lambda conn: bytes(range(256))),
    "http": sends(lambda conn: b"HTTP/1.0 400 Bad Request\r\n\r\n"),
    "length 4": accepts(damage={"length": 4}),
    "length 65535": accepts(damage={"length": 65535}),
    "wrong trailer": accepts(damage={"trailer": b"SMCR"}),
    "confirm for accept": sends(lambda conn: conn.accept()[:4] + b"\3" + conn.accept()[5:]),
    "unknown type": sends(lambda conn: conn.accept()[:4] + b"\x09" + conn.accept()[5:]),
    "accept v1": accepts(version=1),
    "accept v3": accepts(version=3),
    "existing link group": accepts(first=False),
    "unknown EID": accepts(eid="ANOTHER"),
    "release 15": accepts(release=15),
    "0 connections": accepts(conns=0),
    "255 links": accepts(links=255),
    "no RDMA": accepts(),
    "index 7": accepts(index=7),
    "index 0": accepts(index=0),
    "index 255": accepts(index=255),
    "queue pair 0": accepts(path="SMC-R", qp=0),
    "MTU 15": accepts(path="SMC-R", mtu=15),
    "buffer 512 MiB": accepts(size=15),
    "GID ::": accepts(path="SMC-R", gid=bytes(16)),
    "CHID of nobody": accepts(chid=0x1234),
    "flood of accepts": floods(lambda conn: conn.accept()),
}


# ---- clients ----

def proposes(**change):
    """A proposal, and then nothing."""
    def script(conn):
        conn.send(conn.offer(**change))
        return conn.linger()
    return script


def confirms(**change):
    """A proposal, an accept, a confirm with changes."""
    def script(conn):
        said = proposes()(conn)
        if said and said["kind"] == clc.ACCEPT and not said["smcd"]:
            link = dict(LINK, **{key: change[key] for key in change if key in LINK})
            rest = {key: change[key] for key in change if key not in LINK}
            conn.send(clc.answer_r(clc.CONFIRM, link, eid=EID, gids=[conn.own()["gid"]], **conn.own(), **rest))
            conn.linger()
    return script


def answers(make):
    """A proposal, an accept, any bytes."""
    def script(conn):
        said = proposes()(conn)
        if said and said["kind"] == clc.ACCEPT:
            conn.send(make(conn))
            conn.linger()
    return script


def says(make):
    def script(conn):
        conn.send(make(conn))
        conn.linger()
    return script


CLIENTS = {
    "silence": says(lambda conn: b""),
    "close": lambda conn: None,
    "half header": says(lambda conn: conn.offer()[:5]),
    "half proposal": says(lambda conn: conn.offer()[:60]),
    "garbage": says(lambda conn: bytes(range(256))),
    "http": says(lambda conn: b"GET / HTTP/1.0\r\n\r\n"),
    "decline": says(lambda conn: clc.decline(0x03030000)),
    "length 4": says(lambda conn: conn.offer(damage={"length": 4})),
    "length 65535": says(lambda conn: conn.offer(damage={"length": 65535})),
    "wrong trailer": says(lambda conn: conn.offer(damage={"trailer": b"SMCR"})),
    "proposal v1": proposes(version=1, type1=clc.R, type2=clc.R, subnet=("127.0.0.0", 8)),
    "proposal v1 and v2": proposes(type1=clc.R, subnet=("127.0.0.0", 8)),
    "proposal v2.0": proposes(release=0),
    "proposal v3": proposes(version=3),
    "no EID": proposes(eids=[]),
    "unknown EID": proposes(eids=["ANOTHER"]),
    "255 EIDs": proposes(n_eids=255),
    "255 ISM devices": proposes(type2=clc.BOTH, n_isms=255, smcd_offset=72, isms=bytes(48)),
    "v2 beyond the end": proposes(v2_offset=60000),
    "prefix beyond the end": proposes(type1=clc.R, subnet=("127.0.0.0", 8), area_offset=60000),
    "SMC-D beyond the end": proposes(type2=clc.BOTH, n_isms=1, smcd_offset=60000),
    "nothing offered": proposes(type2=clc.NONE),
    "0 connections": proposes(conns=0, links=0),
    "silence after the accept": proposes(),
    "half confirm": answers(lambda conn: b"\xe2\xd4\xc3\xd9\3\0\xb4\x28" + bytes(40)),
    "garbage for a confirm": answers(lambda conn: bytes(range(256))),
    "decline after the accept": answers(lambda conn: clc.decline(0x03030000)),
    "no RDMA": confirms(),
    "index 7": confirms(index=7),
    "index 0": confirms(index=0),
    "queue pair 0": confirms(qp=0),
    "MTU 15": confirms(mtu=15),
    "buffer 512 MiB": confirms(size=15),
    "flood of proposals": floods(lambda conn: conn.offer()),
}


# ---- with a link ----

def link_of(conn):
    """A queue pair on the device of the connection's address, and how it is described."""
    if not rdma:
        raise OSError("no python3-pyverbs")
    link = rdma.Link(conn.own()["gid"])
    return link, dict(conn.own(), peer=os.urandom(2) + MAC, size=(link.size // 16384).bit_length() - 1)


def serve_link(conn, **change):
    """What an honest server with one link does, up to the first byte."""
    link, own = link_of(conn)
    conn.send(conn.accept(path="SMC-R", links=1, **own, **link.values(), **change))
    confirm = conn.receive()
    if confirm["kind"] != clc.CONFIRM:
        raise OSError("no confirm")
    link.connect(confirm)
    stream = llc.Stream(link, confirm, llc.path(link, MAC))
    link.send(llc.make(llc.CONFIRM_LINK, llc.NO_EYECATCHER, stream.own))
    while not stream.said:
        stream.take(link.receive())
    return stream


def connect_link(conn, **change):
    """The same of a client."""
    link, own = link_of(conn)
    conn.send(conn.offer(peer=own["peer"], links=1, **change))
    accept = conn.receive()
    if accept["kind"] != clc.ACCEPT or accept["smcd"]:
        raise OSError("no accept of SMC-R")
    link.connect(accept)
    conn.send(clc.answer_r(clc.CONFIRM, link.values(), eid=EID, gids=[own["gid"]], links=1, **own, **change))
    stream = llc.Stream(link, accept, llc.path(link, MAC))
    while not stream.said:
        stream.take(link.receive())
    return stream


def echo(stream):
    """Send back what comes."""
    for data in iter(stream.read, b""):
        stream.write(data)
    stream.close()
    return "%d bytes back" % stream.sent.total


def calls(stream, messages=int(os.environ.get("MESSAGES", "20000"))):
    """Send messages of random sizes, which have to come back."""
    numbers, wanted = random.Random(messages), bytearray()
    for left in range(messages, -1, -1):
        data = numbers.randbytes(numbers.choice((1, 64, 1000, 5000))) if left else b""
        stream.write(data)
        wanted += data
        # More could fill the buffers of both directions at once.
        while len(wanted) > (32768 if left else 0):
            data = stream.read()
            if not data or data != wanted[:len(data)]:
                raise OSError("other bytes came back")
            del wanted[:len(data)]
    stream.close()
    return "%d messages" % messages


def sends_llc(kind, flags=0, body=lambda stream: b"", size=None):
    """One message, then what is honest."""
    def script(stream):
        stream.link.send(llc.make(kind, flags, body(stream))[:size])
        return stream.follow(stream)
    return script


def sends_cdc(turns=0, count=0, side="sent", flags=0, closing=0, **change):
    """One message whose cursor is @turns and @count bytes ahead, as all are after it."""
    def script(stream):
        stream.ahead(side, turns, count)
        stream.flags = closing
        stream.tell(flags=flags, **change)
        return stream.follow(stream)
    return script


def floods_llc(kind, number):
    def script(stream):
        for _ in range(number):
            stream.link.send(llc.make(kind))
        return stream.follow(stream)
    return script


# Scripts for an established link.
LINKED = {
    "link unknown LLC": sends_llc(15),
    "link half LLC": sends_llc(llc.TEST_LINK, size=20),
    "link test": sends_llc(llc.TEST_LINK),
    "link answer to nothing": sends_llc(llc.TEST_LINK, llc.RESPONSE),
    "link confirmed again": sends_llc(llc.CONFIRM_LINK, llc.NO_EYECATCHER, lambda stream: stream.own),
    "link flood of tests": floods_llc(llc.TEST_LINK, 5000),
    "link flood of added links": floods_llc(llc.ADD_LINK, 500),
    "link add to nowhere": sends_llc(llc.ADD_LINK, 0, lambda stream: llc.new_path(stream.link, MAC, gid=bytes(16))),
    "link add number 0": sends_llc(llc.ADD_LINK, 0, lambda stream: llc.new_path(stream.link, MAC, number=0)),
    "link 255 keys": sends_llc(llc.CONFIRM_RKEY, 0, lambda stream: b"\xff" * 40),
    "link 255 keys deleted": sends_llc(llc.DELETE_RKEY, 0, lambda stream: b"\xff" * 40),
    "link deleted": sends_llc(llc.DELETE_LINK, 0x60, lambda stream: bytes([0, 0, 1, 0, 0])),
    "link 9 deleted": sends_llc(llc.DELETE_LINK, 0, lambda stream: bytes([9, 0, 1, 0, 0])),
    "link token of nobody": sends_cdc(token=0x7fffffff),
    "link old sequence": sends_cdc(sequence=0xfff0, count=100),
    "link blocked": sends_cdc(flags=llc.BLOCKED),
    "link urgent": sends_cdc(flags=llc.URGENT_PENDING | llc.URGENT, count=1),
    "link end of data": sends_cdc(closing=llc.DONE_WRITING),
    "link closed": sends_cdc(closing=llc.DONE_WRITING | llc.CLOSED),
    "link aborted": sends_cdc(closing=llc.CLOSED | llc.ABNORMAL),
    "link data never written": sends_cdc(count=1000),
    "link data beyond the buffer": sends_cdc(count=0x7ffffff0),
    "link 100 buffers of data": sends_cdc(turns=100),
    "link more read than sent": sends_cdc(side="read_to", count=1000),
    "link read beyond the buffer": sends_cdc(side="read_to", count=0x7ffffff0),
}


def linked(start, follow, script):
    def whole(conn):
        stream = start(conn)
        stream.follow = follow
        conn.notes.append("linked v%d.%d" % (stream.other["version"], stream.other["release"]))
        conn.notes.append(script(stream))
    return whole


def few(stream):
    return calls(stream, 10)


SERVERS["link"], CLIENTS["link"] = linked(serve_link, echo, echo), linked(connect_link, few, calls)
# All others are of version 2.1.
SERVERS["link version 2.0"] = linked(functools.partial(serve_link, release=0), echo, echo)
CLIENTS["link version 2.0"] = linked(functools.partial(connect_link, release=0), few, few)
SERVERS.update((name, linked(serve_link, echo, script)) for name, script in LINKED.items())
CLIENTS.update((name, linked(connect_link, few, script)) for name, script in LINKED.items())


def stays_silent(conn):
    """Never confirms the link."""
    link, own = link_of(conn)
    conn.send(conn.accept(path="SMC-R", links=1, **own, **link.values()))
    after(conn, b"")


SERVERS["link never confirmed"] = stays_silent


# ---- all ----

def attempt(script, sock):
    """Return: what the other end did."""
    conn = Connection(sock)
    with sock:
        try:
            script(conn)
        except (EOFError, OSError) as error:
            conn.notes.append("ended: %s" % (error or "end of file"))
    return ", ".join(conn.notes) or "nothing"


def report(name, script, sock):
    sys.stdout.write("%s: %s\n" % (name, attempt(script, sock)))
    sys.stdout.flush()


def answer(script, conn):
    """A client that does not propose anything uses TCP."""
    conn.proposal = conn.receive()
    if conn.proposal["kind"] == clc.PROPOSAL:
        script(conn)
    else:
        if conn.proposal["kind"] is None:
            conn.send(conn.proposal["data"])
        conn.echo()


def listen(name, port):
    script = functools.partial(answer, SERVERS[name])
    with socket.create_server(("0.0.0.0", port), backlog=100) as listener:
        sys.stdout.write("%d %s\n" % (port, name))
        sys.stdout.flush()
        while True:
            threading.Thread(target=report, args=(name, script, listener.accept()[0]), daemon=True).start()


def connect(name, host, port):
    report(name, CLIENTS[name], socket.create_connection((host, port), 60))


def main(role, script, *place):
    offer_smc()
    table = SERVERS if role == "serve" else CLIENTS
    threads = []
    for i, name in enumerate(table if script == "all" else [script]):
        args = (name, int(place[0]) + i) if role == "serve" else (name, place[0], int(place[1]))
        threads.append(threading.Thread(target=listen if role == "serve" else connect, args=args))
        threads[-1].start()
    for thread in threads:
        thread.join()


if sys.argv[1:] == ["--list"]:
    print("servers: %s\nclients: %s" % (", ".join(SERVERS), ", ".join(CLIENTS)))
elif __name__ == "__main__":
    main(*sys.argv[1:])
