#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""A bundle of any machine is read on any machine: the recorded host and its twin of the other byte order. TAP.

The twin is made here, from the types in the kernel's headers. Every command must print the same of both."""
import os
import shutil
import struct
import tarfile

import recorded

LITTLE, BIG = "<", ">"
WORD = {LITTLE: b"little", BIG: b"big"}
NESTED, TYPE = 0x8000, 0x3fff
# Attributes that are text, or bytes in network order (the UIDs of links, 3 8 and 3 9): types from the outermost nest inwards. All others of 2, 4 or 8 bytes are numbers.
TEXT = {
    "SMC_GEN_NETLINK": {
        (1,), (1, 4), (1, 5), (2, 4), (2, 7, 3), (2, 7, 4), (3, 2), (3, 4), (3, 5), (3, 8), (3, 9), (4, 6), (4, 9, 3), (4, 9, 4),
        (5, 7), (5, 10), (5, 8, 2), (5, 9, 2), (6, 7), (6, 10), (6, 8, 2), (6, 9, 2)},
    "SMC_PNETID": {(1,), (2,), (3,)},
    "ethtool": {(1, 2)},
}
CURSOR = "HHI"
# Structures: message bodies and attributes.
SOCKETS = {
    "43": ("40s4IQ", {1: "4I" + 4 * CURSOR + "4s" + 3 * CURSOR, 4: "2I6Q", 5: "2I"}),
    "2": ("40s8I", {}),
    "10": ("40s8I", {}),
}


class Turn:
    """Convert messages to the other byte order; with @filled, zeros become asymmetric numbers."""

    def __init__(self, old, new, filled):
        self.old, self.new, self.filled, self.number = old, new, filled, 0

    def fill(self, value, size):
        self.number += 1
        return int.from_bytes(bytes((self.number * 7 + i * 17) % 250 + 1 for i in range(size)), "big") >> 1

    def struct(self, data, form):
        form = form if struct.calcsize(LITTLE + form) == len(data) else "2I4Q"
        values = struct.unpack(self.old + form, data)
        if self.filled:
            values = [value or self.fill(value, 2) for value in values]
        return struct.pack(self.new + form, *values)

    def leaf(self, data, is_text):
        form = {2: "H", 4: "I", 8: "Q"}.get(len(data))
        if is_text or not form:
            return data
        value, = struct.unpack(self.old + form, data)
        if self.filled and not value:
            value = self.fill(value, len(data))
        return struct.pack(self.new + form, value)

    def attrs(self, data, body, path=()):
        done = b""
        while data:
            size, kind = struct.unpack_from(self.old + "HH", data)
            inner, here = data[4:size], path + (kind & TYPE,)
            if kind & NESTED:
                inner = self.attrs(inner, body, here)
            else:
                inner = body(inner, here)
            done += struct.pack(self.new + "HH", size, kind) + inner + bytes(-size % 4)
            data = data[size + -size % 4:]
        return done

    def message(self, data, place, name):
        head = struct.pack(self.new + "IHHII", *struct.unpack_from(self.old + "IHHII", data))
        data = data[16:]
        if place == "sock_diag":
            form, attrs = SOCKETS[name]
            size = struct.calcsize(LITTLE + form)
            first = Turn(self.old, self.new, False).struct(data[:size], form)
            return head + first + self.attrs(data[size:], lambda inner, path: self.struct(inner, attrs[path[0]])
                                             if path[0] in attrs else inner)
        texts = TEXT[place]
        return head + data[:4] + self.attrs(data[4:], lambda inner, path: self.leaf(inner, path in texts))

    def file(self, path):
        place, name = path.split("/")[-2:]
        with open(path, "rb") as file:
            line, data = file.read().split(b"\n", 1)
        words = line.split(b" ")
        assert words[3] == WORD[self.old], line
        words[3] = WORD[self.new]
        done = b" ".join(words) + b"\n"
        while data:
            size, = struct.unpack_from(self.old + "I", data)
            done += self.message(data[:size], place, name) + bytes(-size % 4)
            data = data[size + -size % 4:]
        with open(path, "wb") as file:
            file.write(done)

    def record(self, source, target):
        shutil.copytree(source, target, symlinks=True)
        for place, _, names in os.walk(target + "/netlink"):
            for name in names:
                self.file(place + "/" + name)
        return target


def add_lookup(record):
    """A socket without addresses, and two candidates for its TCP socket: the user id decides."""
    def message(body):
        return struct.pack("<IHHII", 16 + len(body), 20, 2, 1, 1) + body

    ports = struct.pack(">HH", 1000, 2000)
    with open(record + "/netlink/sock_diag/43", "ab") as file:
        file.write(message(bytes((43, 1, 0, 0)) + ports + bytes(32) + struct.pack("<4IQ", 5, 6, 7, 0x700, 0x80000001)))
    with open(record + "/netlink/sock_diag/2", "wb") as file:
        file.write(b"smc-tools netlink 1 little 0 " + b"ff" * 56 + b" \n" + b"".join(
            message(bytes((2, 1, 0, 0)) + ports + bytes((10, 0, 0, last)) + bytes(12) + bytes((10, 0, 0, last + 1)) + bytes(12) +
                    struct.pack("<8I", 0, 1, 2, 3, 4, 5, uid, 9)) for last, uid in ((1, 5), (3, 0x700))))
    with open(record + "/netlink/sock_diag/10", "wb") as file:
        file.write(b"smc-tools netlink 1 little 0 " + b"ff" * 56 + b" \n")


def compare(tops, files):
    """All commands, with records that differ only in byte order."""
    def both(line):
        argv = [files.get(word, word) for word in line.split()]
        return line, [recorded.run(argv, {"SMC_TOOLS_ROOT": top}) for top in tops]

    printed = 0
    for line, (one, other) in recorded.each(both, recorded.COMMANDS.strip().splitlines()):
        recorded.ok(one == other and one[0] is not None, "%s: %s" % (os.path.basename(tops[0]), line), (one, other))
        printed += bool(one[1])
    recorded.ok(printed > 50, "most of them print something", printed)


def make_bundle(record, directory):
    """Make a bundle. Its index has the byte order of this host, as each answer has its own mark."""
    path = directory + "/bundle.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        tar.add(directory + "/x/smc-bundle/index.json", "smc-bundle/index.json")
        tar.add(record, "smc-bundle/record")
    return path


def main():
    with recorded.new_directory() as directory:
        record = recorded.unpack(directory + "/x")
        add_lookup(record)
        files = {"COLUMNS": recorded.COLUMNS, "FILE": directory + "/smc.conf"}
        with open(files["FILE"], "w", encoding="ascii") as file:
            file.write(recorded.SETTINGS)
        twin = Turn(LITTLE, BIG, False).record(record, directory + "/twin")
        compare((record, twin), files)
        filled = Turn(LITTLE, LITTLE, True).record(record, directory + "/filled")
        compare((filled, Turn(LITTLE, BIG, False).record(filled, directory + "/filled-twin")), files)
        result = recorded.run(["smcss", "-a"], {"SMC_TOOLS_ROOT": twin})
        recorded.ok(not result[0] and b"10.0.0.3:1000" in result[1], "TCP sockets are found by their user", result)
        path = make_bundle(twin, directory)
        for line in ("smcss -a -d", "smcd -j linkgroup", "smcr -a -j stats", "smc_pnet -l", ""):
            argv = line.split() or ["smc_chk", "doctor"]
            here = recorded.run(argv, {"SMC_TOOLS_ROOT": record})
            there = recorded.run(["smc_chk", "from", path, *line.split()], {"TMPDIR": directory})
            recorded.ok(here == there, "smc_chk from %s" % line, (here, there))
    recorded.done()


if __name__ == "__main__":
    main()
