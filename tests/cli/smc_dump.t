#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_dump on captures: those of the lab, compared with tshark, and constructed ones.

The output of tshark is recorded, a message a line; smc_dump.t --record renews it. An installed tshark is run as well."""
import fcntl
import glob
import ipaddress
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

import packets
from packets import ACK, FIN, RST, Capture, Connection, message
from recorded import BUILD, ROOT, done, equal, new_directory, ok, skip, tap

CAPTURES = ROOT + "/tests/cli/captures/"
# LeakSanitizer does not work in a process without rights.
ENV = dict(os.environ, TZ="UTC", LC_ALL="C", ASAN_OPTIONS="detect_leaks=0")
# Skipped fields: bytes whose bits are members, reserved bytes, and offsets.
LEFT_OUT = (".flags", ".flags2", ".flags3", ".flags.2", ".extflags.2", "_offset", "smc.reserved", ".dmbe.size")
MODES = ("R", "D", "N", "B")


def dump(*argv, stdin=None):
    """Status, stdout, stderr."""
    result = subprocess.run([BUILD + "/smc_dump", *argv], stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=ENV, timeout=120, check=False)
    return result.returncode, result.stdout.decode("ascii"), result.stderr.decode()


def events(path, *argv):
    status, out, err = dump("-j", "-r", path, *argv)
    if status or err:
        ok(False, "smc_dump -j -r " + os.path.basename(path), (status, err))
    return [json.loads(line) for line in out.splitlines()]


def refused(pattern, *argv, status=1):
    tap.refused(dump(*argv), "^smc_dump: .*" + pattern, "refused: smc_dump " + " ".join(argv), status)


# ---- tshark ----

def tshark(path):
    """The members of each message of a handshake, in order."""
    out = subprocess.run(["tshark", "-o", "tcp.try_heuristic_first:TRUE", "-r", path, "-Y", "smc.clc_msg", "-T", "json",
                          "--no-duplicate-keys", "-J", "smc"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return [packet["_source"]["layers"]["smc"] for packet in json.loads(out)]


def flat(tree, into=None):
    """Leaves of the tree: lists of strings."""
    into = {} if into is None else into
    for key, value in tree.items():
        if isinstance(value, dict):
            flat(value, into)
        else:
            into.setdefault(key, []).extend(value if isinstance(value, list) else [value])
    return {key: value for key, value in into.items() if not key.endswith(LEFT_OUT) or key.endswith("_tree")}


def number(text):
    return int(text, 16 if text.startswith("0x") else 10)


def numbers(*values):
    return [int(v, 16) if isinstance(v, str) else int(v) for v in values]


def proposal_members(e):
    isms = [(pair, ism["chid"]) for ism in e.get("isms", []) for pair in (ism["gid"], ism.get("gid_ext")) if pair]
    subnet = e.get("subnet", "/").split("/")
    prefixes = [p.split("/") for p in e.get("prefixes", [])]
    return {
        "smc.proposal.smcv2.type": [e.get("type_v2")], "smc.proposal.smc.type": [e["type_v1"]],
        "smc.proposal.sender.client.peer.id": numbers(e["peer_id"]), "smc.proposal.client.preferred.gid": [e.get("gid")],
        "smc.proposal.client.preferred.mac": [e.get("mac")], "smc.outgoing.interface.subnet.mask": [subnet[0]],
        "smc.outgoing.interface.subnet.mask.number.of.significant.bits": numbers(int(subnet[1] or 0)),
        "smc.proposal.ipv6.prefix.count": [len(prefixes)], "smc.proposal.ipv6.prefix.value": [p[0] for p in prefixes],
        "smc.proposal.ipv6.prefix.length": [int(p[1]) for p in prefixes],
        "smc.proposal.ism.gid": numbers(e.get("ism_gid", 0), *(pair for pair, _ in isms)),
        "smc.proposal.smc.chid": [e.get("chid", 0)] + [chid for _, chid in isms],
        "smc.proposal.eid.count": [len(e.get("ueids", []))], "smc.proposal.ismv2_gid_count": [len(isms)],
        "smc.proposal.smc.version.relnum": [e.get("release")], "smc.proposal.smc.seid": [int(e.get("has_seid", 0))],
        "smc.proposal.eid": e.get("ueids"), "smc.proposal.system.eid": [e.get("seid", "")],
        "smc.proposal.rocev2.gid.ipv6": [e.get("v2_gid")],
        # tshark shows the last bytes of any other GID as an IPv4 address.
        "smc.proposal.rocev2.gid.ipv4": [str(ipaddress.IPv4Address(ipaddress.IPv6Address(e.get("v2_gid", "::")).packed[12:]))],
    }


def answer_members(e):
    mtu = e.get("path_mtu", 128).bit_length() - 8
    size = (e["buffer"] // 16384).bit_length() - 1
    members = {
        "peer.id": numbers(e.get("peer_id", "0")), "gid": [e.get("gid")], "mac": [e.get("mac")], "qp": numbers(e.get("qp", "0")),
        "rkey": numbers(e.get("rkey", "0")), "index": [e["index"]], "token": numbers(e.get("alert_token", "0")),
        "address": numbers(e.get("address", "0")), "psn": numbers(e.get("psn", "0")), "size": [size], "mtu": [mtu],
        "ism": numbers(e.get("ism_gid", "0")), "dmb": numbers(e.get("dmb_token", "0")), "group": numbers(e.get("link_group", "0")),
        "chid": [e.get("chid")], "eid": [e.get("eid")], "host": [e.get("host")],
        "os": [{"z/OS": 1, "Linux": 2, "AIX": 3}.get(e.get("os"))], "release": [e.get("release")],
        "direct": [int(e.get("is_direct", 0))], "first": [int(e["first_contact"])], "type": [e["type_v1"]],
        "gids": e.get("gids"), "n_gids": [len(e.get("gids", []))],
    }
    both = {"rmb.buffer.size": "size", "qp.mtu.value": "mtu", "eid": "eid", "peer.host.name": "host", "first.contact": "first",
            "smc.version.relnum": "release", "os.type": "os", "v2_lg.type": "direct", "dmb.token": "dmb", "dmbe.buffer.size": "size",
            "smc.chid": "chid", "dmbe.conn.index": "index", "smc.type": "type", "gid.list.entry_count": "n_gids",
            "gid.list.entry": "gids", "initial.psn": "psn"}
    names = {"smc.accept." + name: key for name, key in both.items()}
    names.update({"smc.confirm." + name: key for name, key in both.items()})
    for side, short in (("server", "accept.server."), ("client", "confirm.client.")):
        names.update({"smc.%s%s" % (short, name): key for name, key in {
            "preferred.gid": "gid", "preferred.mac": "mac", "mac": "mac", "qp.number": "qp", "rmb.rkey": "rkey",
            "tcp.conn.index": "index", "rmb.element.alert.token": "token", "rmb.virtual.address": "address",
            "linkid": "group"}.items()})
        names["smc.%s.sender.%s.peer.id" % (short.split(".")[0], side)] = "peer.id"
        names["smc.%s.sender.%s.ism.gid" % (short.split(".")[0], side)] = "ism"
    names.update({"smc.client.gid": "gid", "smc.client.rmb.element.alert.token": "token", "smc.initial.psn": "psn",
                  "smc.client.rmb.virtual.address": "address", "smc.proposal.first.contact": "first"})
    return {name: members[key] for name, key in names.items()}


def decline_members(e):
    return {"smc.decline.smc.version": [e["version"]], "smc.decline.osync": [int(e["out_of_sync"])],
            "smc.sender.peer.id": numbers(e["peer_id"]),
            "smc.peer.diag.info": numbers(e["reason"], *e.get("diagnosis", [])),
            "smc.decline.os.type": [{"z/OS": 1, "Linux": 2, "AIX": 3}.get(e["os"], e["os"])]}


MEMBERS = {"proposal": proposal_members, "accept": answer_members, "confirm": answer_members, "decline": decline_members}


def differences(event, layer):
    """Differences to tshark, and members that only tshark shows."""
    want = MEMBERS[event["event"]](event)
    want["smc.length"] = [event["length"]]
    want["smc.clc_msg"] = [{"proposal": 1, "accept": 2, "confirm": 3, "decline": 4}.get(event["event"])]
    want.setdefault("smc.proposal.smc.version", [event["version"]])
    for key, values in flat(layer).items():
        if key not in want:
            yield "%s: %s is not compared" % (event["event"], key)
            continue
        if want[key] and not isinstance(want[key][0], str):
            values = [number(value) for value in values]
        else:
            values = [value.rstrip() for value in values]
        if values != want[key]:
            yield "%s: %s: tshark %r, here %r" % (event["event"], key, values, want[key])


def captures(directory):
    """Paths of those of the lab, and of the constructed one, which is made there."""
    made = directory + "/made.pcap"
    packets.made(made)
    return [*sorted(glob.glob(CAPTURES + "*.pcap")), made]


def recorded_by_tshark(path):
    return CAPTURES + os.path.basename(path)[:-5] + ".json"


def check_tshark(path):
    name = os.path.basename(path)
    with open(recorded_by_tshark(path), encoding="ascii") as file:
        layers = [json.loads(line) for line in file]
    if shutil.which("tshark"):
        equal(tshark(path), layers, name + ": the tshark of this machine says what was recorded")
    else:
        skip(name + ": the tshark of this machine", "there is none")
    said = [e for e in events(path, "-a") if e["event"] in MEMBERS]
    equal(len(said), len(layers), name + ": as many messages as tshark finds")
    ok(len(said) > 5, name + ": several messages", len(said))
    wrong = [line for event, layer in zip(said, layers) for line in differences(event, layer)]
    equal(wrong, [], name + ": every member as tshark has it")
    compared = sum(len(flat(layer)) for layer in layers)
    ok(compared > 60, name + ": many members", compared)


# ---- constructed captures ----

def outcomes(path, *argv):
    return [e for e in events(path, *argv) if e["event"] == "outcome"]


def check_outcomes(path):
    found = {e["from"].rsplit(":", 1)[1]: e for e in outcomes(path)}
    equal({port: e["mode"] for port, e in found.items()},
          {"40000": "SMC-D", "40001": "SMC-R", "40002": "TCP", "40003": "TCP", "40005": "TCP", "40006": "unknown", "40007": "unknown",
           "40008": "SMC-R", "40009": "TCP"}, "modes")
    equal([(found[port]["reason"]["symbol"], found[port]["reason"]["found_by"]) for port in ("40002", "40003", "40005")],
          [("NOUEID", "server"), ("PEERNOSMC", "client"), ("NOSMCDEV", "client")], "reasons, and who found them")
    hosts = [{(r["where"], r.get("host")) for r in found[port]["reason"]["remedies"]} for port in ("40003", "40005")]
    equal(hosts, [{("server", "10.0.0.2"), ("both", None)}, {("client", "10.0.0.1"), ("both", None)}], "on which host")
    equal(found["40001"]["vlan"], 7, "VLAN")
    equal(found["40001"]["from"], "[fd00::1]:40001", "IPv6")
    equal(found["40000"]["handshake_us"], 2500, "how long it took, by the times of packets")
    equal([e["from"] for e in events(path, "-a") if e["event"] == "syn" and not e["offers_smc"]], ["10.0.0.1:40004"],
          "-a: who does not offer SMC")
    equal([["client" in note and "SYN" in note for note in e["notes"]] for e in outcomes(path, "-a") if e["from"].endswith(":40004")], [[True]],
          "-a: and what comes of it")
    systems = [(e["event"], e["os"]) for e in events(path, "port 40008 or port 40009") if "os" in e]
    equal(systems, [("accept", "z/OS"), ("confirm", "AIX"), ("decline", "AIX")], "systems of peers")
    ok("system      z/OS\n" in dump("-r", path, "port", "40008")[1], "systems of peers, as text", dump("-r", path, "port", "40008"))


def check_why(directory):
    """Reasons for not using a better mode."""
    path = directory + "/why.pcap"
    capture = Capture(path)
    Connection(capture, 40000).open().say("both-proposal", "v1-smcr-accept", "v1-smcr-confirm")
    Connection(capture, 40001).open().say("both-proposal", "smcr-accept", "smcr-confirm")
    Connection(capture, 40002).open().say("v1-proposal", "v1-smcr-accept", "v1-smcr-confirm")
    Connection(capture, 40003).open().say("both-proposal", "smcd-accept", "smcd-confirm")
    Connection(capture, 40004).open().say("smcr-proposal", "few-accept", "smcr-confirm")
    Connection(capture, 40005).open().say("smcr-proposal", "smcr-accept", "smcr-confirm", "decline-v2")
    foreign = bytearray(message("decline-v2"))
    foreign[16:21] = bytes.fromhex("0303777710")
    conn = Connection(capture, 40006).open().say("both-proposal")
    conn.send(1, bytes(foreign))
    Connection(capture, 40007).open().say("both-proposal").send(1, message("smcr-confirm"))
    capture.close()
    notes = {e["from"].rsplit(":", 1)[1]: e["notes"] for e in outcomes(path)}
    for port, words in (("40000", "not version 2: the client .* EID EID.ONE, EID.TWO, IBM-SYSZ"), ("40000", "not SMC-D: the client .* CHID 07c0, 07c0, 07c1"),
                        ("40001", "not SMC-D: the client .* CHID"), ("40002", "not version 2: the client does not"),
                        ("40002", "not SMC-D: the client .* GID 1122334455667788"),
                        ("40003", "not SMC-R: SMC-D is better"), ("40003", "CHID ffff, emulated"),
                        ("40004", "at most 16 connections .*: the server's limit"), ("40004", "one link .*: the server's limit"),
                        ("40004", "whose RoCE path has a gateway"), ("40005", "after the confirm"), ("40006", "Linux has no .* z/OS"),
                        ("40007", "before the server's answer")):
        ok(any(re.search(words, note) for note in notes[port]), "why: " + words, notes[port])
    equal([e["mode"] for e in outcomes(path) if e["from"].endswith(":40005")], ["SMC-R", "TCP"], "a decline after the confirm")


# Proposal, answers, the changed one, where, what, and the words about it.
IMPOSSIBLE = (
    ("smcr", 1, 45, "07", "accept: RMBE index 7: a buffer of Linux"), ("smcr", 2, 45, "02", "confirm: RMBE index 2"),
    ("smcr", 1, 45, "00", "accept: RMBE index 0: the first"), ("smcr", 1, 50, "26", "accept: path MTU code 6"),
    ("smcr", 2, 50, "20", "confirm: path MTU code 0"), ("smcr", 1, 38, "000001", "accept: queue pair 1"),
    ("smcr", 1, 16, "00" * 16, "accept: no GID"), ("smcr", 1, 64, "58", "accept: EID XMC-"),
    ("smcr", 2, 64, "58", "confirm: EID XMC-.* SMC-"), ("smcr", 1, 105, "22", "accept: version 2.2"),
    ("smcr", 1, 141, "03", "accept: 3 links"), ("smcr", 1, 7, "20", "confirm: a new"),
    ("smcd", 1, 24, "03", "accept: DMBE index 3"), ("smcd", 2, 24, "03", "confirm: DMBE index 3"),
    ("smcd", 1, 32, "0000", "accept: CHID 0000.*CVE-2026-64048"), ("smcd", 2, 32, "0000", "confirm: CHID 0000[^:]*$"),
    ("smcd", 1, 32, "07c0", "accept: CHID 07c0"),
    ("smcd", 0, 7, "22", "accept: SMC-D v2"),
)


def check_impossible(directory):
    path = directory + "/impossible.pcap"
    for kind, which, at, value, words in IMPOSSIBLE:
        capture = Capture(path)
        conn = Connection(capture).open()
        for i, name in enumerate(("proposal", "accept", "confirm")):
            data = bytearray(message("%s-%s" % (kind, name)))
            if i == which:
                data[at:at + len(value) // 2] = bytes.fromhex(value)
            conn.send(i % 2, bytes(data))
        capture.close()
        notes = [note for e in outcomes(path) for note in e["notes"] if note.startswith("impossible")]
        ok(any(re.search("impossible in the " + words, note) for note in notes), words, notes)
    for kind in "smcr", "smcd":
        capture = Capture(path)
        Connection(capture).open().say(kind + "-proposal", kind + "-accept", kind + "-confirm")
        capture.close()
        equal([note for e in outcomes(path) for note in e["notes"] if "impossible" in note], [], kind + ": nothing impossible")
    for path in sorted(glob.glob(CAPTURES + "*.pcap")):
        ok("impossible" not in dump("-r", path)[1], os.path.basename(path) + ": nothing impossible of Linux")


def messages_of(path):
    return [(e["event"], e["length"], e["is_cut"]) for e in events(path) if e["event"] in ("proposal", "accept", "confirm", "decline")]


WHOLE = [("proposal", 264, False), ("accept", 160, False), ("confirm", 180, False)]


def transfer(directory, send, **options):
    """Decode a handshake whose proposal is sent by send(connection, bytes)."""
    path = directory + "/transfer.pcap"
    capture = Capture(path, **options)
    conn = Connection(capture).open()
    first = conn.next[0]
    send(conn, message("both-proposal"))
    conn.next[0] = first + 264
    conn.send(1, message("smcr-accept"))
    conn.send(0, message("smcr-confirm"))
    conn.send(0, b"data", flags=ACK | FIN)
    capture.close()
    return messages_of(path)


def check_transfer(directory):
    def parts(*bounds):
        """Return: a function that sends these ranges of the bytes, a segment each, in this order."""
        def send(conn, data):
            for begin, end in bounds:
                conn.send(0, data[begin:end], at=conn.next[0] + begin)
        return send
    for name, send in (("in one", parts((0, 264))), ("a byte each", parts(*((i, i + 1) for i in range(264)))),
                       ("backwards", parts(*((i, i + 8) for i in range(256, -1, -8)))),
                       ("sent again", parts((0, 100), (0, 100), (50, 200), (0, 264), (0, 264))),
                       ("overlapping", parts((100, 264), (0, 150)))):
        equal(transfer(directory, send), WHOLE, "segments: " + name)
    for options in ({"link": packets.RAW}, {"link": packets.SLL2}, {"order": ">"}, {"magic": 0xa1b23c4d}):
        equal(transfer(directory, parts((0, 264)), **options), WHOLE, "a capture of another kind: %r" % options)
    equal(transfer(directory, parts((0, 264)), snaplen=154), [("proposal", 264, True), ("accept", 160, True), ("confirm", 180, True)],
          "packets cut by the capture")
    equal(transfer(directory, parts((100, 264))), [("accept", 160, False)], "a segment that is missing")
    path = directory + "/twice.pcap"
    capture = Capture(path)
    conn = Connection(capture).open()
    conn.send(0, message("both-proposal")[100:], at=conn.next[0] + 100)
    conn.send(0, message("both-proposal")[:100] + b"\xff" * 50)
    capture.close()
    equal([e["max_conns"] for e in events(path) if e["event"] == "proposal"], [32], "of bytes that come twice the first count")
    path = directory + "/late.pcap"
    capture = Capture(path)
    Connection(capture).say("both-proposal", "smcr-accept", "smcr-confirm")
    again = Connection(capture).open()
    again.say("decline-v1")
    again.send(1, flags=RST)
    conn = Connection(capture, 40001)
    conn.send(1, message("decline-v2"))
    capture.close()
    equal([e["mode"] for e in outcomes(path)], ["SMC-R", "TCP", "TCP"], "a capture that begins late; ports used again")
    equal([e["connection"] for e in outcomes(path)], [1, 2, 3], "which are different connections")
    equal(outcomes(path)[2]["reason"]["found_by"], "server", "a decline alone: of the lower port")


def check_text(path, directory):
    status, out, err = dump("-r", path)
    equal((status, err), (0, ""), "text")
    for words in ("10.0.0.1:40000 > 10.0.0.2:7000  => SMC-D version 2.1, handshake 2.500 ms\n", " vlan 7  proposal, version 2, ",
                  "=> TCP, 0x03010000 PEERNOSMC, found by the client\n", "on 10.0.0.2 (server)", "smc_run PROGRAM",
                  "    ISM         3fc31437efff4645:83913fa1c37a7f9f CHID ffff\n", "=> unknown\n",
                  "22:13:20.000500 10.0.0.1:40000 > 10.0.0.2:7000  SYN, offers SMC\n"):
        ok(words in out, "text: " + words.strip(), out)
    equal(dump("-r", path, "port", "40004"), (0, "", "smc_dump: no SMC handshake; SYNs that do not offer SMC: 1 ('--all' shows them)\n"),
          "no handshake: said")
    refused("no SMC handshake, .*no SYN$", "-r", path, "port", "9", status=0)
    equal(dump("-j", "-r", path, "port", "40004"), (0, "", ""), "no handshake: no data")
    equal(len([line for line in dump("-q", "-r", path)[1].splitlines() if line.startswith(" ")]), 0, "-q: one line a message")
    out = dump("-x", "-q", "-r", path)[1]
    ok("\t0x0000:  e2d4 c3d9 0100 e026 " in out, "-x", out[:400])
    declines = message("decline-v2"), message("decline-v1"), packets.of_system("decline-v2", 20, 3)
    equal([e["bytes"] for e in events(path, "-x") if e["event"] == "decline"], [data.hex() for data in declines], "-x -j")
    equal(len(events(path, "-c", "3")), 3, "-c")
    equal({e["from"].rsplit(":", 1)[1] for e in outcomes(path, "port", "40005")}, {"40005"}, "a filter of two words")
    with open(path, "rb") as file:
        status, out, err = dump("-j", "-r", "-", stdin=file)
    equal((status, err, out), (0, "", dump("-j", "-r", path)[1]), "-r -")
    packets.to_pcapng(path, directory + "/made.pcapng")
    for source in path, directory + "/made.pcapng":
        with open(source, "rb") as file:
            data = file.read()
        with subprocess.Popen([BUILD + "/smc_dump", "-q", "-r", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=ENV) as live:
            live.stdin.write(data[:1000])
            live.stdin.flush()
            shown = bool(select.select([live.stdout], [], [], 60)[0]) and live.stdout.readline()
            ok(shown and shown.endswith(b"SYN, offers SMC\n"), "-r - with a pipe: each line when it is known: " +
               os.path.basename(source), shown)
            live.stdin.close()
            live.stdout.read()
    equal(dump("-j", "-r", directory + "/made.pcapng"), (0, dump("-j", "-r", path)[1], ""), "pcapng")
    evil = directory + "/evil.pcap"
    capture = Capture(evil)
    data = message("smcr-accept")
    Connection(capture).open().send(1, data[:64] + b"\x1b[31m\xe2\x80\xaeX\n".ljust(32) + data[96:])
    capture.close()
    for argv in ((), ("-j",), ("-q",)):
        status, out, err = dump("-r", evil, *argv)
        ok(status == 0 and "\x1b" not in out and all(c >= " " or c == "\n" for c in out), "what peers chose is escaped", out)
    ok(r"\x1b[31m" in dump("-r", evil)[1], "and can be read", dump("-r", evil)[1])


def check_write(path, directory):
    copy = directory + "/copy.pcap"
    with open(copy, "wb"):
        os.chmod(copy, 0o644)
    equal(dump("-r", path, "-w", copy), (0, "", ""), "-w: from a file")
    equal(os.stat(copy).st_mode & 0o777, 0o600, "-w: only the owner may read what was there, too")
    equal(dump("-j", "-r", copy)[1], dump("-j", "-r", path)[1], "-w: the same packets")
    dump("-r", path, "-w", copy, "-c", "2")
    equal([e["event"] for e in events(copy)], ["syn", "syn_ack", "outcome"], "-w -c: packets")
    kept = dump("-j", "-r", copy)[1]
    for name, argv in (("the file that is read", ("-r", copy, "-w", copy)), ("wrong filter", ("-r", path, "-w", copy, "port", "no-such")),
                       ("not a capture", ("-r", __file__, "-w", copy))):
        refused(name, *argv)
        equal(dump("-j", "-r", copy)[1], kept, "-w: what was there is kept: " + name)
    with open(copy, "rb") as file:
        status, _, err = dump("-r", "-", "-w", copy, stdin=file)
    ok(status == 1 and "the file that is read" in err and dump("-j", "-r", copy)[1] == kept, "-w: kept: it is standard input", err)
    os.unlink(copy)
    os.symlink(directory + "/target", copy)
    refused("cannot write", "-r", path, "-w", copy)
    ok(not os.path.exists(directory + "/target"), "-w follows no link")
    master, slave = pty.openpty()
    result = subprocess.run([BUILD + "/smc_dump", "-r", path, "-w", "-"], stdout=slave, stderr=subprocess.PIPE, env=ENV, check=False)
    ok(result.returncode == 1 and b"to a terminal" in result.stderr and not select.select([master], [], [], 0)[0],
       "-w -: not to a terminal", result)
    os.close(slave)
    os.close(master)
    with open("/dev/full", "wb") as full:
        result = subprocess.run([BUILD + "/smc_dump", "-r", path, "-w", "-"], stdout=full, stderr=subprocess.PIPE, env=ENV, check=False)
    equal((result.returncode, result.stderr), (1, b"smc_dump: cannot write packets: No space left on device\n"), "-w: a full device")
    with open("/dev/full", "wb") as full:
        result = subprocess.run([BUILD + "/smc_dump", "-r", path], stdout=full, stderr=subprocess.PIPE, env=ENV, check=False)
    tap.refused((result.returncode, "", result.stderr.decode()), "standard output: No space left on device$", "a full device")


def listen(*argv, ignores=False, **more):
    """Start smc_dump on loopback. Return: None without permission."""
    live = subprocess.Popen([BUILD + "/smc_dump", "-i", "lo", *argv], stderr=subprocess.PIPE, env=ENV,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN if ignores else signal.SIG_DFL), **more)
    for line in live.stderr:
        if b"listening" in line:
            return live
    live.wait()
    return None


def check_signals():
    live = listen(ignores=True)
    if not live:
        skip("signals", "it may not listen here")
        return
    live.send_signal(signal.SIGINT)
    live.communicate()
    equal(live.returncode, 0, "SIGINT ends a background job, and is no failure")
    live = listen()
    live.terminate()
    live.communicate()
    equal(live.returncode, 0, "SIGTERM is no failure")
    live = listen("-w", "-", "udp port 4791", stdout=subprocess.PIPE)
    fcntl.fcntl(live.stdout, fcntl.F_SETPIPE_SZ, 4096)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, open("/proc/%d/wchan" % live.pid, encoding="ascii") as waits:
        for _ in range(100000):
            if "pipe" in waits.read():
                break
            sender.sendto(bytes(1024), ("127.0.0.1", 4791))
            waits.seek(0)
    live.send_signal(signal.SIGINT)
    _, err = live.communicate()
    ok(live.returncode == 0 and re.fullmatch(rb"(smc_dump: too fast: lost \d+ packets?\n)?", err), "Ctrl-C while its output waits is no failure",
       (live.returncode, err))


def rights(pid):
    """Rights left in the process, also for root."""
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        lines = dict(line.split(":", 1) for line in file)
    return {key: lines[key].split() for key in ("Uid", "Gid", "CapPrm", "CapEff", "NoNewPrivs", "Seccomp")}


def check_rights(path, directory):
    """State of a process that has read the first bytes of a capture, and waits for more."""
    fifo, first = directory + "/fifo", 10
    os.mkfifo(fifo)
    left = {"CapPrm": ["0" * 16], "CapEff": ["0" * 16], "NoNewPrivs": ["1"], "Seccomp": ["2"]}
    for key, own in (("Uid", os.getuid()), ("Gid", os.getgid())):
        left[key] = [str(own if os.getuid() else 65534)] * 4
    with open(path, "rb") as file:
        whole = file.read()
    for source, more in (fifo, ("-j",)), ("-", ("-j",)), (fifo, ("-w", "-")):
        name = " ".join(("-r", os.path.basename(source), *more))
        want = subprocess.run([BUILD + "/smc_dump", "-r", path, *more], stdout=subprocess.PIPE, env=ENV, check=True).stdout
        with open(os.open(fifo, os.O_RDWR), "wb", buffering=0) as pipe, \
             subprocess.Popen([BUILD + "/smc_dump", "-r", source, *more], stdin=open(fifo, "rb"), stdout=subprocess.PIPE,
                              env=ENV) as reader:
            pipe.write(whole[:first])
            while reader.poll() is None and struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]:
                time.sleep(0.01)
            equal(rights(reader.pid), left, name + ": rights are given up before the first byte is looked at")
            threading.Thread(target=lambda to=pipe: (to.write(whole[first:]), to.close())).start()
            out = reader.stdout.read()
        ok(out == want, name + ": it reads on", out[:200])


def check_refused(path, directory):
    refused("'--quiet' is only for '--read' or '--interface'", "-q", "dport", "=", ":80")
    refused("exclude", "-r", path, "-A")
    refused("exclude", "-i", "lo", "-p", "redis-server")
    refused("exclude", "-A", "-w", directory + "/no")
    refused("payload has no states", "state", "listen")
    refused("'vlan' is not a filter", "vlan", "80")
    refused("exclude", "-r", path, "-i", "lo")
    refused("exclude", "-j", "-q", "-r", path)
    # Combinations without effect.
    copy = directory + "/none.pcap"
    for option in "aqxj":
        refused("'--write' and", "-r", path, "-w", copy, "-" + option)
    refused("'--read' and '--snaplen' exclude", "-r", path, "-s", "96", "-w", copy)
    ok(not os.path.exists(copy), "refused: no file is made")
    refused("unknown option '-y'", "-y")
    for number_ in ("0", "-1", "x", ""):
        refused("--count: '", "-r", path, "-c", number_)
    refused("--snaplen: '300000' .* from 0 to ", "-r", path, "-s", "300000")
    refused("wrong filter", "-r", path, "dport = :6379")
    for name in ("port https", "host localhost", "net loopback", "ip proto \\tcp", "not proto (ospf)", "ip protochain \\udp"):
        refused("give the number", "-r", path, name)
    for same in ("ip proto 6", "ether proto \\ip and proto (6 or 132)"):
        equal(dump("-r", path, same)[1], dump("-r", path, "ip and tcp")[1], "-r FILE " + same)
    refused("No such file", "-r", directory + "/nosuch")
    text = directory + "/text"
    with open(text, "wb") as file:
        file.write(b"no capture, but long enough to be one\n")
    refused("not a capture", "-r", text)
    with open(path, "rb") as file:
        whole = file.read()
    with open(text, "wb") as file:
        file.write(whole[:2000])
    status, out, err = dump("-j", "-r", text)
    ok(status == 1 and err.startswith("smc_dump: cannot read packets: ") and err.count("\n") == 1 and
       [json.loads(line)["event"] for line in out.splitlines()][:3] == ["syn", "syn_ack", "proposal"],
       "a file that ends in a packet: what was before it, and an error", (status, out[-200:], err))
    odd = directory + "/odd.pcap"
    Capture(odd, link=147).close()
    refused("link layer 147", "-r", odd)


# ---- link layers ----

def events_of(path, *argv):
    """The output, without times and VLAN."""
    return [{key: value for key, value in e.items() if key not in ("seconds", "nanoseconds", "vlan", "handshake_us")}
            for e in events(path, "-a", *argv)]


def check_links(path, directory):
    target, want = directory + "/link.pcap", events_of(path)
    for link, around in packets.LINKS.items():
        capture = Capture(target, link=link)
        for _, data in packets.frames(path):
            # With or without a VLAN.
            at = 18 if data[12:14] == b"\x81\0" else 14
            v6 = data[at] >> 4 == 6
            if link not in (228, 229) or v6 == (link == 229):
                capture.frame(around(data[at:], v6))
        capture.close()
        number = {228: "10.0.0.", 229: "fd00::"}.get(link, "")
        strip = lambda es: [{k: v for k, v in e.items() if k != "connection"} for e in es]  # noqa: E731
        equal(strip(events_of(target)), strip([e for e in want if number in e["from"]]), "link layer %d" % link)


def mixed(path, target):
    """The packets of a capture by turns on interfaces of different link layers, snapshot lengths and clocks, in sections
    of different byte orders. Those of a link layer that nobody knows are skipped."""
    out = packets.Pcapng(target)
    for i, (at_time, data) in enumerate(packets.frames(path)):
        if i % 20 == 0:
            order = "<>"[i // 20 % 2]
            if i:
                out.section(order)
            out.interface()
            out.interface(link=packets.RAW, snaplen=2000, options=packets.option(order, 9, b"\x09"))
            out.interface(link=packets.SLL2, snaplen=65535)
            out.interface(link=147)
            out.packet(3, data, time=at_time)
        at = 18 if data[12:14] == b"\x81\0" else 14
        v6 = data[at] >> 4 == 6
        kind = 0 if at == 18 else i % 3
        around = packets.LINKS[(1, packets.RAW, packets.SLL2)[kind]]
        out.packet(kind, data if at == 18 else around(data[at:], v6), time=at_time, tick=1 if kind == 1 else 1000)
    out.close()


def check_mixed(path, directory):
    target, copy = directory + "/mixed.pcapng", directory + "/copy.pcapng"
    mixed(path, target)
    want = dump("-j", "-r", path)[1]
    status, text, err = dump("-j", "-r", target)
    equal((status, text), (0, want), "pcapng of three link layers, two clocks, two byte orders: all handshakes")
    ok(re.fullmatch(r"smc_dump: skipped [1-9] packets? of .*\n", err),
       "packets of an unknown link layer beside them: a note", err)
    port = "tcp port 40001"
    equal(dump("-j", "-r", target, port)[1], dump("-j", "-r", path, port)[1], "a filter, compiled for each link layer")
    equal(dump("-r", target, "-w", copy)[0], 0, "-w writes its packets")
    equal((dump("-j", "-r", copy)[1:], os.path.getsize(copy) < os.path.getsize(target)), ((want, ""), True),
          "as pcapng, without those that were skipped")
    os.unlink(copy)
    dump("-r", target, "-w", copy, port)
    equal(dump("-j", "-r", copy)[1], dump("-j", "-r", path, port)[1], "-w with a filter")
    os.unlink(copy)
    with open(target, "rb") as file:
        equal(dump("-j", "-r", "-", stdin=file)[1], want, "from standard input")
    refused("wrong filter", "-r", target, "tcp port")
    if shutil.which("tshark"):
        equal(len(tshark(target)), len(tshark(path)), "tshark finds as many messages")
    out = packets.Pcapng(copy)
    out.interface(link=147)
    out.close()
    refused("link layer 147 .*not supported", "-r", copy)


def record(directory):
    for path in captures(directory):
        with open(recorded_by_tshark(path), "w", encoding="ascii") as file:
            for layer in tshark(path):
                print(json.dumps(layer, separators=(",", ":"), sort_keys=True), file=file)


def main():
    with new_directory() as directory:
        if sys.argv[1:] == ["--record"]:
            record(directory)
            return
        *_, path = paths = captures(directory)
        for capture in paths:
            check_tshark(capture)
        check_outcomes(path)
        check_why(directory)
        check_impossible(directory)
        check_transfer(directory)
        check_text(path, directory)
        check_links(path, directory)
        check_mixed(path, directory)
        check_write(path, directory)
        check_signals()
        check_rights(path, directory)
        check_refused(path, directory)
    done()


if __name__ == "__main__":
    main()
