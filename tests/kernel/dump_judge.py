# SPDX-License-Identifier: MIT
"""Compare captures that smc_dump wrote in a guest with the bytes that were sent, and with tshark's reading, if installed.
usage: dump_judge.py DIRECTORY: prints TAP

NAME-N.pcapng is the capture of guest N, NAME-*.json the output of all ends of "ways"; dialog-NAME-smc.pcapng and -tcp.pcap
are the same session over SMC and over TCP."""
import collections
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
FIELDS = {
    "redis": "resp.array.length resp.bulk_string.value resp.bulk_string.length resp.string resp.integer resp.error",
    "http": "http.request.method http.request.uri http.request.version http.response.code http.response.phrase "
            "http.content_length_header http.host http.content_type http.file_data",
    "pgsql": "pgsql.type pgsql.query pgsql.parameter_name pgsql.parameter_value pgsql.authtype pgsql.tag pgsql.status "
             "pgsql.col.name pgsql.val.data pgsql.copydata pgsql.message pgsql.code",
}
SEPARATOR = "\x1e"
# Fields of tshark for SYN, SYN-ACK and FIN of every connection.
USUAL = ("Connection establish", "Connection finish", "connection closing")

# ---- bytes ----

def sides(streams):
    return sorted(tuple(half.bytes() for half in stream.halves) for stream in streams)


def seen(streams, wanted, lossy):
    """For captures with losses, or truncated: complaints about the captured part, of the matching connection."""
    for stream in streams:
        wrong = [[half.differs(want[i]) for i, half in enumerate(stream.halves)] for want in wanted]
        if not any(found == [None, None] for found in wrong):
            yield wrong[0]
        lost = [half.lost() for half in stream.halves]
        if any(lost) and not lossy:
            yield "lost %r" % lost


def right_lengths(streams, wanted):
    """Complaints about streams with all bytes, or with their lengths."""
    return sorted(tuple(sum(piece.length for piece in half.pieces) for half in s.halves) for s in streams) == \
        sorted(tuple(len(side) for side in want) for want in wanted)


def judge_way(name, way, streams, wanted, snaplen, lossy):
    label = "%s: %s" % (name, way)
    complaints = [wrong for stream in streams for wrong in stream.wrong]
    if not lossy:
        equal((len(streams), complaints[:5]), (len(wanted), []), label + ": a stream for each connection, as TCP would be")
    else:
        equal(complaints[:5], [], label + ": what is there is as TCP would be")
    if not snaplen and not lossy and way not in PARTLY:
        got = sides(streams)
        ok(got == sorted(wanted), label + ": every byte of both directions",
           [list(seen(streams, wanted, False)), [[len(side) for side in both] for both in got][:5], [[len(s) for s in w] for w in wanted][:5]])
    else:
        equal(list(seen(streams, wanted, lossy)), [], label + ": what is there of them is right")
    if way not in PARTLY and not lossy:
        ok(right_lengths(streams, wanted), label + ": lengths", [s.lengths[:5] for s in streams][:3])
        ok(way == "unread" or all(stream.has_ended() for stream in streams), label + ": an end", [s.flags[-4:] for s in streams])


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
    streams = pcapng.streams(path, path.endswith("pcapng"))
    lossy, snaplen = name in LOSSY, SNAPLENS.get(name)
    ports = collections.OrderedDict((line["port"], line["way"]) for line in lines if "port" in line)
    equal({stream.server[1] for stream in streams} - set(ports), set(), "%s: no other connections" % name)
    for port, way in ports.items():
        judge_way(name, way, pcapng.of_port(streams, port), pcapng.expected(lines, port), snaplen, lossy)
    if not lossy and path.endswith("pcapng"):
        ok(all(stream.comments for stream in streams), name + ": each stream begins with a comment")
    if snaplen:
        check_snaplen(name, streams, snaplen)
    if lossy:
        ok(any(half.lost() for stream in streams for half in stream.halves) or len(streams) < len(lines) // 2,
           "%s: there are gaps" % name)
    return streams


# ---- tshark ----

def tshark(path, *argv, checksums="TRUE"):
    out = subprocess.run(["tshark", "-n", "-o", "tcp.check_checksum:" + checksums, "-o", "ip.check_checksum:TRUE", "-r", path, *argv],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return out.stdout.decode("utf-8", "replace")


# Ports are chosen by the kernel: ignore dissectors of protocols that happen to use one.
PLAIN = ("-d", "tcp.port==1-65535,data")


def fields(path, names, *more, checksums="TRUE"):
    """A row of lists for each packet."""
    argv = [*more, *(word for name in names for word in ("-e", name))]
    out = tshark(path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=" + SEPARATOR, *argv, checksums=checksums)
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


def dissected(path, name):
    """Values of both sides for each stream: {field: values in their order}."""
    names = FIELDS[name].split()
    found = collections.OrderedDict()
    # Packets on lo have no checksums: offload.
    for row in fields(path, ["tcp.stream", "tcp.dstport", *names], checksums="FALSE"):
        if not row[0]:
            continue
        side = found.setdefault((int(row[0][0]), row[1][0] if int(row[1][0]) < 20000 else "client"), collections.OrderedDict((n, []) for n in names))
        for field, cell in zip(names, row[2:]):
            side[field] += cell
    # Numbers of streams and the order of connecting vary.
    return sorted(json.dumps(said) for said in found.values() if any(said.values()))


def differences(got, want):
    for one, other in zip(map(json.loads, got), map(json.loads, want)):
        for name in one:
            if one[name] != other[name]:
                pairs = [(a[:40], b[:40]) for a, b in zip(one[name], other[name]) if a != b]
                yield "%s: %d values, not %d; %r" % (name, len(one[name]), len(other[name]), pairs[:3])


def check_dialog(name, directory):
    smc, tcp = "%s/dialog-%s-smc.pcapng" % (directory, name), "%s/dialog-%s-tcp.pcap" % (directory, name)
    equal([stream.wrong for stream in pcapng.streams(smc) if stream.wrong], [], name + ": as TCP would be")
    got, want = dissected(smc, name), dissected(tcp, name)
    ok(len(want) >= 2 and got == want, name + ": tshark: over SMC dissected as over TCP", "\n".join(differences(got, want)))


def main(directory):
    has_tshark = shutil.which("tshark")
    for path in sorted(glob.glob(directory + "/*-[12].pcap*")):
        name, guest = os.path.basename(path).split(".")[0].rsplit("-", 1)
        lines = []
        for file in glob.glob("%s/%s-?.json" % (directory, name)):
            with open(file, encoding="ascii") as opened:
                lines += json.load(opened)
        streams = judge(name, path, lines) if lines else pcapng.streams(path)
        if has_tshark and name not in LOSSY and streams and path.endswith("pcapng"):
            check_tshark("%s %s" % (name, guest) if guest != "1" else name, path, streams)
    for path in sorted(glob.glob(directory + "/dialog-*-tcp.pcap")):
        if has_tshark:
            check_dialog(os.path.basename(path)[len("dialog-"):-len("-tcp.pcap")], directory)
    if not has_tshark:
        skip("tshark", "this machine has none")


if __name__ == "__main__":
    main(sys.argv[1])
    done()
