# SPDX-License-Identifier: MIT
"""Compare captures that smc_dump wrote in a guest with the bytes that were sent, and with tshark's reading, if installed.
usage: dump_judge.py DIRECTORY: prints TAP

NAME-N.pcapng is the capture of guest N, NAME-*.json the output of all ends of "ways"."""
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE + "/..", HERE + "/guest"]
import pcapng  # noqa: E402
from tap import done, equal, ok, skip  # noqa: E402

# "ways -s 100" in smc_dump_data.py.
SNAPLENS = {"cut": 100}
# Captures with intentional losses.
LOSSY = ("stopped",)
# The kernel discards the data, or nobody reads it: the captured part must be right.
PARTLY = ("trunc", "unread")
FOLLOWED = 40
LARGEST_PACKET = 61440
SEPARATOR = "\x1e"
# Fields of tshark for SYN, SYN-ACK and FIN of every connection.
USUAL = ("Connection establish", "Connection finish", "connection closing")

# ---- bytes ----

def judge_way(name, way, streams, want, snaplen, lossy):
    label = "%s: %s" % (name, way)
    complaints = [wrong for stream in streams for wrong in stream.wrong]
    equal((lossy or len(streams), complaints[:5]), (lossy or 1, []), label + ": a stream, as TCP would be")
    for stream in streams:
        equal([half.differs(want[i]) for i, half in enumerate(stream.halves)], [None, None], label + ": the bytes that were sent")
        if not lossy:
            equal([half.lost() for half in stream.halves], [[], []], label + ": none is lost")
        if way not in PARTLY and not lossy:
            equal([sum(piece.length for piece in half.pieces) for half in stream.halves], [len(side) for side in want], label + ": lengths")
            equal((stream.has_ended(), snaplen or [half.cut() for half in stream.halves]), (True, snaplen or [0, 0]), label + ": whole, with an end")


def pieces(stream):
    """Captured and full length of each packet; pieces too large for an IP packet are split."""
    before = 0
    for kept, full in stream.lengths:
        if before < LARGEST_PACKET or kept:
            yield kept, full
        before = full


def check_snaplen(name, streams, snaplen):
    """No packet exceeds this; truncated ones have exactly this length."""
    found = [(kept, full) for stream in streams for kept, full in pieces(stream)]
    wrong = [(kept, full) for kept, full in found if kept != min(full, snaplen)]
    ok(not wrong and {full > snaplen for _, full in found} == {True, False}, "%s: %d bytes of each message" % (name, snaplen), wrong[:9])


def judge(name, path, lines):
    streams = pcapng.streams(path)
    lossy, snaplen = name in LOSSY, SNAPLENS.get(name)
    ports = {line["port"]: line["way"] for line in lines if "port" in line}
    equal({stream.server[1] for stream in streams} - set(ports), set(), "%s: no other connections" % name)
    for port, way in ports.items():
        judge_way(name, way, pcapng.of_port(streams, port), pcapng.expected(lines, port), snaplen, lossy)
    if not lossy:
        ok(all(stream.comments for stream in streams), name + ": each stream begins with a comment")
    if snaplen:
        check_snaplen(name, streams, snaplen)
    if lossy:
        ok(any(half.lost() for stream in streams for half in stream.halves) or len(streams) < len(lines) // 2,
           "%s: there are gaps" % name)
    return streams


# ---- tshark ----

def tshark(path, *argv):
    out = subprocess.run(["tshark", "-n", "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-r", path, *argv],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return out.stdout.decode("utf-8", "replace")


# Ports are chosen by the kernel: ignore dissectors of protocols that happen to use one.
PLAIN = ("-d", "tcp.port==1-65535,data")


def fields(path, names, *more):
    """A row of lists for each packet."""
    argv = [*more, *(word for name in names for word in ("-e", name))]
    out = tshark(path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=" + SEPARATOR, *argv)
    return [[cell.split(SEPARATOR) if cell else [] for cell in line.split("\t")] for line in out.split("\n") if line]


def follow(path, numbers):
    """{number: [client's bytes, server's bytes]}"""
    out = tshark(path, "-q", *[word for number in numbers for word in ("-z", "follow,tcp,raw,%d" % number)])
    found, current = {}, None
    for line in out.splitlines():
        if line.startswith("Filter: tcp.stream eq "):
            current = found[int(line.rsplit(" ", 1)[1])] = [[], []]
        elif current is not None and line.strip() and all(c in "0123456789abcdef" for c in line.strip()):
            current[line[0] == "\t"].append(line.strip())
    return {number: [bytes.fromhex("".join(side)) for side in both] for number, both in found.items()}


def check_tshark(name, path, streams):
    rows = fields(path, ["frame.number", "tcp.stream", "tcp.analysis.flags", "_ws.malformed", "tcp.checksum.status", "ip.checksum.status",
                         "_ws.expert.message", "_ws.expert.severity", "frame.comment"], *PLAIN)
    equal(len(rows), sum(len(stream.flags) for stream in streams), name + ": tshark: as many packets")
    equal(len({row[1][0] for row in rows}), len(streams), name + ": tshark: as many streams")
    bad = [row for row in rows if row[2] or row[3] or {"0", "Bad"} & set(row[4] + row[5]) or
           not all(any(usual in message for usual in USUAL) for message in row[6] if message not in row[8])]
    equal(bad[:5], [], name + ": tshark: nothing to complain of")
    equal(sum(bool(row[8]) for row in rows) >= len(streams), True, name + ": tshark: comments")
    if name not in SNAPLENS:
        got = follow(path, range(min(len(streams), FOLLOWED)))
        same = {number for number, both in got.items() if both == [half.bytes() for half in streams[number].halves]}
        whole = {number for number in got if not any(half.lost() or half.cut() for half in streams[number].halves)}
        equal((len(got), whole - same), (min(len(streams), FOLLOWED), set()), name + ": tshark: follow stream, byte for byte")


def main(directory):
    has_tshark = shutil.which("tshark")
    for path in sorted(glob.glob(directory + "/*-[12].pcapng")):
        name, guest = os.path.basename(path).split(".")[0].rsplit("-", 1)
        lines = []
        for file in glob.glob("%s/%s-?.json" % (directory, name)):
            with open(file, encoding="ascii") as opened:
                lines += json.load(opened)
        streams = judge(name, path, lines) if lines else pcapng.streams(path)
        if has_tshark and name not in LOSSY and streams:
            check_tshark("%s %s" % (name, guest) if guest != "1" else name, path, streams)
    if not has_tshark:
        skip("tshark", "this machine has none")


if __name__ == "__main__":
    main(sys.argv[1])
    done()
