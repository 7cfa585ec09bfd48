# SPDX-License-Identifier: MIT
"""CLC messages: bytes <-> values. RFC 7609 for version 1; captures of Linux for versions 2 and 2.1."""
import struct

PROPOSAL, ACCEPT, CONFIRM, DECLINE = 1, 2, 3, 4
SMCR, SMCD = b"\xe2\xd4\xc3\xd9", b"\xe2\xd4\xc3\xc4"
R, D, NONE, BOTH = 0, 1, 2, 3
ZOS, LINUX, AIX = 1, 2, 3
HEADER, TRAILER = 8, 4


def message(kind, body, version, flags, eyecatcher=SMCR, length=None, trailer=None):
    size = HEADER + len(body) + TRAILER if length is None else length
    return (eyecatcher + struct.pack(">BHB", kind, size, version << 4 | flags) + body +
            (eyecatcher if trailer is None else trailer))


def name(text):
    return text.encode().ljust(32)


def gid_of(ip):
    """RoCEv2 GID of an IPv4 address."""
    return bytes(10) + b"\xff\xff" + bytes(map(int, ip.split(".")))


def decline(reason, version=2, peer=bytes(8), system=LINUX, out_of_sync=False):
    body = peer + struct.pack(">I", reason) + (bytes([system << 4, 0, 0, 0]) + (bytes(16) if version > 1 else b""))
    return message(DECLINE, body, version, 8 if out_of_sync else 0)


def proposal(peer, gid, mac, eids=(), version=2, type1=NONE, type2=R, release=1, conns=255, links=2, subnet=None,
             n_eids=None, n_isms=0, v2_offset=None, area_offset=None, isms=b"", smcd_offset=0, ism_gid=0, chid=0,
             features=1, damage=None):
    """@subnet: address and length of version 1's prefix; the offsets are right unless they are given."""
    area = b""
    if type1 != NONE:
        ip, bits = subnet
        area = bytes(map(int, ip.split("."))) + bytes([bits, 0, 0, 0])
    head = peer + (gid if type1 != NONE else bytes(16)) + (mac if type1 != NONE else bytes(6))
    head += struct.pack(">H", (40 if area else 0) if area_offset is None else area_offset)
    fixed = struct.pack(">QHH", ism_gid, chid, (28 + len(area) if version > 1 else 0) if v2_offset is None else v2_offset)
    body = head + fixed + bytes(28) + area
    if version > 1:
        body += struct.pack(">BBBBHH", len(eids) if n_eids is None else n_eids, n_isms, 0, release << 4, 0, smcd_offset)
        body += gid + struct.pack(">BBH", conns, links, features) + bytes(12) + b"".join(map(name, eids)) + isms
    return message(PROPOSAL, body, version, type2 << 2 | type1, **damage or {})


def extension(system=LINUX, release=1, host="peer", conns=255, links=2, features=0, direct=True):
    """First contact extension. Version 2.1 is release 1, and adds what both ends can have at most."""
    most = struct.pack(">BBH", conns, links, features) + bytes(12)
    return bytes([0x80 if direct else 0, system << 4 | release, 0, 0]) + name(host) + (most if release else b"")


def answer_r(kind, link, peer, gid, mac, eid="", version=2, first=True, index=1, mtu=3, size=0, damage=None, gids=(), **more):
    """Accept or confirm of SMC-R; @link: qp, psn, rkey, address and alert token."""
    body = peer + gid + mac + link["qp"].to_bytes(3, "big") + struct.pack(">IBIBB", link["rkey"], index, link["token"],
                                                                          size << 4 | mtu, 0)
    body += struct.pack(">QB", link["address"], 0) + link["psn"].to_bytes(3, "big")
    if version > 1:
        body += name(eid) + bytes(8)
        if first:
            body += extension(**more)
            if kind == CONFIRM:
                body += bytes([len(gids), 0, 0, 0]) + b"".join(gids)
    return message(kind, body, version, R | (8 if first else 0), **damage or {})


def answer_d(kind, gid, token, chid, eid="", version=2, first=True, index=0, size=0, group=0x100, damage=None, **more):
    """Accept or confirm of SMC-D; @gid: of 8 bytes, or of 16 for an emulated device."""
    body = gid[:8] + struct.pack(">QBBHI", token, index, size << 4, 0, group)
    if version > 1:
        body += struct.pack(">H", chid) + name(eid) + gid[8:].ljust(8, b"\0")
        if first:
            body += extension(**more)
    else:
        body += bytes(12)
    return message(kind, body, version, D | (8 if first else 0), SMCD, **damage or {})


def parse(data):
    """Values of a message: those that a peer needs."""
    kind, size, flags = struct.unpack_from(">BHB", data, 4)
    found = {"kind": kind, "version": flags >> 4, "type1": flags & 3, "type2": flags >> 2 & 3, "smcd": data[:4] == SMCD,
             "first": bool(flags & 8), "data": data[:size]}
    if kind == DECLINE:
        found["reason"] = struct.unpack_from(">I", data, 16)[0]
    elif kind == PROPOSAL:
        offset = struct.unpack_from(">H", data, 50)[0]
        found["peer"], found["gid"], found["eids"], found["isms"] = data[8:16], data[16:32], [], []
        if found["version"] > 1 and offset:
            at = 52 + offset
            count, isms = data[at], data[at + 1]
            found.update(release=data[at + 3] >> 4, gid=data[at + 8:at + 24], conns=data[at + 24], links=data[at + 25])
            found["eids"] = [data[i:i + 32].decode().rstrip() for i in range(at + 40, at + 40 + 32 * count, 32)]
            at += 8 + struct.unpack_from(">H", data, at + 6)[0] + 48
            found["isms"] = [(data[i:i + 8], struct.unpack_from(">H", data, i + 8)[0]) for i in range(at, at + 10 * isms, 10)]
    elif not found["smcd"]:
        found.update(gid=data[16:32], qp=int.from_bytes(data[38:41], "big"), rkey=struct.unpack_from(">I", data, 41)[0],
                     index=data[45], token=struct.unpack_from(">I", data, 46)[0], size=16384 << (data[50] >> 4), mtu=data[50] & 15,
                     address=struct.unpack_from(">Q", data, 52)[0], psn=int.from_bytes(data[61:64], "big"))
        if found["version"] > 1 and found["first"]:
            found["release"] = data[105] & 15
    return found
