#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""smc_top on a recorded host whose cursors this test moves: as data, and on a terminal."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
from recorded import BUILD, done, ok, tap  # noqa: E402

# A record of a typical host.
with open(BUILD + "/smc_top", "rb") as file:
    ORDER = "<" if file.read(6)[5] == 1 else ">"
TOP = tempfile.TemporaryDirectory()
ROOT = TOP.name + "/record"
HEAD = b"smc-tools netlink 1 %s 0 %%s \n" % (b"little" if ORDER == "<" else b"big")
ENV = dict(os.environ, LC_ALL="C", SMC_TOOLS_ROOT=ROOT, TERM="xterm")
ENV.pop("NO_COLOR", None)
# The tool's sandbox has no /proc, which LeakSanitizer needs.
ENV["ASAN_OPTIONS"] = "detect_leaks=0"
BUF = 1 << 20
SMCR, TCP, SMCD = 0, 1, 2


class Conn:
    """A connection of the recorded host: positions in bytes since the beginning."""
    def __init__(self, port, mode, buf=BUF):
        self.port, self.mode, self.buf = port, mode, buf
        self.arrived = self.read = self.written = self.sent = self.gone = self.peer_read = 0

    def cursor(self, position):
        return struct.pack(ORDER + "HHI", 0, position // self.buf % 65536, position % self.buf)

    def message(self):
        body = struct.pack(ORDER + "BBBB", 43, 1, self.mode, 0) + struct.pack("!HH", self.port, 9)
        body += socket.inet_aton("10.0.0.1") + bytes(12) + socket.inet_aton("10.0.0.2") + bytes(12)
        body += struct.pack(ORDER + "III", 0, self.port, 0) + struct.pack(ORDER + "III", 0, self.port, 0)
        if self.mode != TCP:
            info = struct.pack(ORDER + "IIII", 1, self.buf, self.buf, self.buf)
            info += b"".join(map(self.cursor, (self.arrived, self.peer_read, self.sent, self.read)))
            info += bytes(4) + b"".join(map(self.cursor, (self.written, self.sent, self.gone)))
            body += struct.pack(ORDER + "HH", 4 + len(info), 1) + info
        return struct.pack(ORDER + "IHHII", 16 + len(body), 20, 2, 1, 1) + body


def write(name, data):
    path = ROOT + "/" + name
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.rename(path + ".new", path)


def record(conns):
    write("netlink/sock_diag/43", HEAD % (b"ff" * 52) + b"".join(c.message() for c in conns))


def tcp_record(port, received, sent):
    """The TCP socket inside a connection that fell back."""
    body = struct.pack(ORDER + "BBBB", 2, 1, 0, 0) + struct.pack("!HH", port, 9)
    body += socket.inet_aton("10.0.0.1") + bytes(12) + socket.inet_aton("10.0.0.2") + bytes(12)
    body += struct.pack(ORDER + "III", 0, 1, 0) + struct.pack(ORDER + "IIIII", 0, 0, 0, 0, 1)
    # TCP_INFO up to tcpi_bytes_retrans: acknowledged, received, segments with data, sent, sent again.
    info = bytearray(216)
    struct.pack_into(ORDER + "QQ", info, 120, sent + 1, received)
    struct.pack_into(ORDER + "II", info, 152, 1, 1)
    struct.pack_into(ORDER + "QQ", info, 200, sent, 0)
    body += struct.pack(ORDER + "HH", 4 + len(info), 2) + bytes(info)
    message = struct.pack(ORDER + "IHHII", 16 + len(body), 20, 2, 1, 1) + body
    write("netlink/sock_diag/2", HEAD % (b"ff" * 56) + message)


def smc_top(*argv, env=None):
    return subprocess.run([BUILD + "/smc_top", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=env or ENV, timeout=60, check=False, stdin=subprocess.DEVNULL)


def moved(lines, count):
    """Return: for each port the first row in which it has moved data, until there are @count; and the first such document.
    They can be in different documents, as the two files do not change atomically."""
    rows, first = {}, None
    for doc in map(json.loads, lines):
        for s in doc["sockets"]:
            if s.get("rate_in") or s.get("rate_out"):
                rows.setdefault(s["local"]["port"], s)
                first = first or doc
        if len(rows) == count:
            break
    return rows, first


# ---- bad usage ----

def check_usage():
    for words, *argv in (
            ("unknown option '-p'", "-p"),
            ("'--smcd' and '--smcr' exclude", "-R", "-D"),
            ("'--json' and '--no-header' exclude", "-jH"),
            ("--sort: 'size' is not rate, unread, unsent or process", "--sort", "size"),
            (r"option '--sort' needs .*\(KEY\)", "--sort"),
            ("unknown column 'netns'", "-o", "local,netns"),
            ("'0' .*seconds from 0.1 to 86400", "-w", "0"),
            ("'nonsense' is not a filter", "nonsense"),
            ("'netns' is for smcss --all-netns", "not", "netns", "host"),
            ("smcss -l", "state", "listen"),
            ("smcss -l", "--once", "sport", "80", "and", "(", "state", "listen", "or", "not", "state", "!=", "listening", ")")):
        got = smc_top(*argv)
        tap.refused((got.returncode, got.stdout, got.stderr), "^smc_top: .*%s.*; try 'smc_top --help'$" % words, "refused: " + " ".join(argv))


# ---- data ----

def check_data():
    conns = [Conn(1, SMCR), Conn(2, SMCD), Conn(3, TCP)]
    # A 16-bit lap counter wraps between the samples.
    conns[0].arrived = conns[0].read = 65536 * BUF - 100
    record(conns)
    tcp_record(3, 1000, 5000)
    with subprocess.Popen([BUILD + "/smc_top", "-j", "-w", "0.3"], stdout=subprocess.PIPE, text=True, env=ENV) as watch:
        first = json.loads(watch.stdout.readline())
        conns[0].arrived += 4000000
        conns[0].read += 3000000
        conns[1].written += BUF
        conns[1].sent += BUF
        record(conns)
        tcp_record(3, 2000000, 5000)
        rows, doc = moved(watch.stdout, len(conns))
        watch.terminate()
    ok(len(first["sockets"]) == 3 and not any(s.get("rate_in") for s in first["sockets"]), "where nothing moves rates are 0", first)
    # The actual interval only has to be near the requested one.
    ok(4000000 / 60 < rows[1]["rate_in"] < 4000000 / 0.2, "a lap of 65536 buffers ends: the rate is right", rows[1])
    ok(rows[1]["unread"] == {"bytes": 1000000, "buffer": BUF, "percent": 95}, "unread", rows[1])
    ok(rows[1]["bottleneck"] == "this reader", "the reader here is the bottleneck", rows[1])
    ok(rows[2]["rate_out"] and rows[2]["unsent"]["percent"] == 100 and rows[2]["bottleneck"] == "the peer's reader",
       "the peer's reader is the bottleneck", rows[2])
    ok(rows[3]["rate_in"] and rows[3]["rate_out"] == 0 and "unread" not in rows[3] and "bottleneck" not in rows[3],
       "of TCP rates only", rows[3])
    ok(doc["connections"] == {"smcr": 1, "smcd": 1, "tcp": 1} and doc["rate_in"] == sum(s["rate_in"] for s in doc["sockets"]),
       "sums", doc)
    order = [s["rate_in"] + s["rate_out"] for s in doc["sockets"]]
    ok(order == sorted(order, reverse=True), "the fastest first", order)


def check_doubt():
    """With 64 KiB a cursor may wrap within a second: only the kernel's totals show it."""
    conns = [Conn(1, SMCR, 65536)]
    record(conns)
    row = json.loads(smc_top("--once", "-j", "-w", "0.5").stdout)["sockets"][0]
    ok("rate_in" not in row and row["rate_in_least"] == 0, "a cursor that may have gone round is no rate", row)
    text = smc_top("--once", "-H", "-w", "0.5").stdout
    ok(re.search(r" >0 +>0 ", text), "and text shows it", text)
    conns[0].buf = 1 << 30
    record(conns)
    row = json.loads(smc_top("--once", "-j", "-w", "0.1").stdout)["sockets"][0]
    ok(row["rate_in"] == 0, "a large buffer leaves no doubt", row)


def check_text():
    conns = [Conn(port, SMCR if port % 2 else SMCD) for port in range(1, 6)]
    conns[1].arrived = BUF // 2
    record(conns)
    got = smc_top("--once", "-w", "0.1")
    lines = got.stdout.splitlines()
    ok(got.returncode == 0 and not got.stderr and re.match(
        r"SMC-D 2  SMC-R 3  TCP 0      in 0 B/s  out 0 B/s  0\.\d s, by rate$", lines[0]), "the line of sums", got)
    ok(lines[1].split() == "Local Address Peer Address Mode IN/s OUT/s UNREAD UNSENT BOTTLENECK Process".split() and
       len(lines) == 7, "header and rows", lines)
    ok("redis[811]" in got.stdout and "evil\\x1b[31m[5]" in got.stdout and "\x1b" not in got.stdout,
       "processes, with what they call themselves made harmless", got.stdout)
    got = smc_top("-w", "0.1", "--once", "--sort", "unread").stdout.splitlines()
    ok(got[0].endswith("by unread") and got[2].startswith("10.0.0.1:2 ") and " 50 % " in got[2], "--sort unread", got)
    got = smc_top("-w", "0.1", "--once", "--sort", "process").stdout.splitlines()
    ok([line.split()[-1] for line in got[2:4]] == ["evil\\x1b[31m[5]", "redis[811]"], "--sort process", got)
    got = smc_top("-D", "--once", "-w", "0.1", "-o", "local,rate_in", "sport", "=", ":2").stdout.splitlines()
    ok([line.split() for line in got[1:]] == [["Local", "Address", "IN/s"], ["10.0.0.1:2", "0"]],
       "options, columns and filters as in lists", got)
    start = time.monotonic()
    got = smc_top()
    ok(got.returncode == 0 and got.stdout.count("by rate") == 1 and time.monotonic() - start >= 1,
       "without a terminal it measures once", got)


# ---- a terminal ----

class Screen:
    """A program on a terminal: its screen, and the terminal modes."""
    def __init__(self, *argv, size=(12, 100), env=None):
        self.master, slave = pty.openpty()
        self.slave, self.raw, self.size, self.alternate, self.cursor = slave, b"", size, False, True
        self.lines, self.at, self.everything, self.wide = [], [0, 0], b"", False
        self.is_cleared = False
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(slave)

        def control():
            os.setsid()
            # A shell's "&" sets one of these signals to be ignored, nohup(1) the other.
            for number in signal.SIGINT, signal.SIGHUP:
                signal.signal(number, signal.SIG_DFL)
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen([BUILD + "/smc_top", *argv], stdin=slave, stdout=slave, stderr=slave,
                                        env=env or ENV, preexec_fn=control)

    def put(self, char):
        row, col = self.at
        while len(self.lines) <= row:
            self.lines.append("")
        self.lines[row] = self.lines[row].ljust(col)[:col] + char + self.lines[row][col + 1:]
        self.at[1] += 1
        self.wide |= self.at[1] > self.size[1] or row >= self.size[0]

    def take(self, code):
        if code == "H":
            self.at = [0, 0]
        elif code == "K":
            del self.lines[len(self.lines):]
            if self.at[0] < len(self.lines):
                self.lines[self.at[0]] = self.lines[self.at[0]][:self.at[1]]
        elif code == "J":
            self.is_cleared |= self.at == [0, 0]
            self.lines = self.lines[:self.at[0] + (self.at[1] > 0)]
        elif code in ("?1049h", "?1049l"):
            self.alternate = code[-1] == "h"
        elif code in ("?25h", "?25l"):
            self.cursor = code[-1] == "h"
        elif not re.fullmatch(r"[0-9;]*m", code):
            self.lines.append("UNKNOWN " + code)

    def feed(self, data):
        self.everything += data
        self.raw += data
        text = self.raw.decode()
        cut = text.rfind("\x1b")
        rest = text[cut:] if cut >= 0 and not re.match(r"\x1b\[[?0-9;]*[A-Za-z]", text[cut:]) else ""
        self.raw = rest.encode()
        for code, char in re.findall(r"\x1b\[([?0-9;]*[A-Za-z])|([^\x1b])", text[:len(text) - len(rest)]):
            if code:
                self.take(code)
            elif char == "\n":
                self.at[0] += 1
            elif char == "\r":
                self.at[1] = 0
            else:
                self.put(char)

    def read(self):
        """Return: False when there is no writer any more."""
        if not select.select([self.master], [], [], 0.05)[0]:
            return self.process.poll() is None
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.feed(data)
        return bool(data)

    def until(self, what, seconds=60):
        end = time.monotonic() + seconds
        while not what():
            if not self.read() or time.monotonic() > end:
                return what()
        return True

    def shows(self, pattern):
        return self.until(lambda: re.search(pattern, "\n".join(self.lines)))

    def type(self, keys):
        os.write(self.master, keys)

    def resize(self, *size):
        self.is_cleared = False
        self.size, self.lines = size, [line[:size[1]] for line in self.lines[:size[0]]]
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before and not self.alternate and self.cursor

    def end(self):
        """Exit status, once it has ended by itself."""
        self.until(lambda: self.process.poll() is not None)
        while select.select([self.master], [], [], 0)[0] and self.read():
            pass
        if self.process.poll() is None:
            self.process.kill()
        status = self.process.wait()
        result = self.is_restored()
        os.close(self.slave)
        os.close(self.master)
        return status, result


def ports(screen):
    """Cells of the rows on the screen."""
    return [int(m.group(1)) for m in (re.match(r"10\.0\.0\.1:(\d+) ", line) for line in screen.lines) if m]


def check_screen():
    conns = [Conn(port, SMCD) for port in range(1, 31)]
    conns[4].arrived = BUF // 2
    conns[6].written = conns[6].sent = BUF // 4
    record(conns)
    screen = Screen("-w", "0.2")
    ok(screen.shows(r"^SMC-D 30  SMC-R 0  TCP 0 .* s, by rate(\n|$)") and screen.alternate and not screen.cursor,
       "the screen: sums", screen.lines)
    ok(b" measuring, by rate" in screen.everything and b"10.0.0.1:5 " in screen.everything,
       "the first sample has no rates yet", screen.everything)
    ok(screen.until(lambda: len(screen.lines) == 12 and len(ports(screen)) == 9), "as many rows as it has room for",
       screen.lines)
    ok("\x1b[7m" in screen.everything.decode(), "the header stands out")

    def is_first():
        """While data moves: a rate is that of the last interval."""
        conns[8].arrived = conns[8].read = (conns[8].read + 5000000) % 2**31
        record(conns)
        return ports(screen)[:1] == [9]
    ok(screen.until(is_first), "what moves comes first", screen.lines)
    ok(re.search(rb"10\.0\.0\.1:9 .*peer writes", screen.everything), "with its bottleneck", screen.lines)
    for keys, name, port in (b"u", "unread", 5), (b"n", "unsent", 7), (b"p", "process", 5), (b"r", "rate", None):
        screen.type(keys)
        ok(screen.until(lambda: screen.lines[0].endswith("by " + name) and port in (None, ports(screen)[0])),
           "key %s: by %s" % (keys.decode(), name), screen.lines)
    screen.type(b"s")
    ok(screen.shows("by unread"), "key s: the next order", screen.lines)
    check_scrolling(screen)
    screen.type(b"?")
    ok(screen.shows("the end") and not ports(screen), "key ?: help", screen.lines)
    screen.type(b"h")
    ok(screen.until(lambda: len(ports(screen)) == 9), "and back", screen.lines)
    # Ignore output from before the resize: wait until the screen is cleared.
    for size, rows, name in ((5, 76), 3, "a smaller terminal"), ((40, 120), 30, "a larger one"):
        screen.resize(*size)
        ok(screen.until(lambda: screen.is_cleared), name + ": all is drawn again", screen.lines)
        screen.wide = False
        ok(screen.until(lambda: len(ports(screen)) == rows) and len(screen.lines) == size[0],
           name + ": as many rows as it has room for", screen.lines)
        ok(not screen.wide, name + ": no line is longer than that", screen.lines)
    record(conns[:2])
    ok(screen.until(lambda: len(ports(screen)) == 2 and screen.lines[0].startswith("SMC-D 2 ")),
       "connections that have gone", screen.lines)
    screen.type(b"q")
    status = screen.end()
    ok(status == (0, True), "key q ends it, and the terminal is as it was", status)


def check_scrolling(screen):
    # Sorted by unread: the fifth, then the rest in the kernel's order, once the old rows are idle.
    rows = [5, *range(1, 5), *range(6, 31)]
    ok(screen.until(lambda: ports(screen) == rows[:9]), "nothing moves", screen.lines)
    for keys, first, name in ((b"j", 1, "j: a row down"), (b"\x1b[B", 2, "arrow down"), (b"k", 1, "k: a row up"),
                              (b"\x1b[A", 0, "arrow up"), (b"\x1b[6~", 8, "PgDn"), (b"\x1b[5~", 0, "PgUp"),
                              (b"G", 21, "G: the last row"), (b"\x1b[H", 0, "Home"), (b"kk", 0, "no further up"),
                              (b"\x1b[F", 21, "End"), (b"j", 21, "no further down"), (b"g", 0, "g: the first row")):
        screen.type(keys)
        ok(screen.until(lambda: ports(screen) == rows[first:first + 9]), "key " + name, (first, screen.lines))


def check_signals():
    record([Conn(1, SMCD)])
    for how in "c", "term", "hangup":
        screen = Screen("-w", "0.2")
        screen.shows("by rate")
        if how == "hangup":
            os.close(screen.slave)
            os.close(screen.master)
            ok(screen.process.wait(60) in (0, -signal.SIGHUP), "the terminal goes: so does smc_top", screen.process.returncode)
            continue
        if how == "c":
            screen.type(b"\x03")
        else:
            screen.process.terminate()
        want = -signal.SIGINT if how == "c" else -signal.SIGTERM
        status = screen.end()
        ok(status == (want, True), "ended by %s: the terminal is as it was" % signal.Signals(-want).name, status)
    screen = Screen("-w", "0.2")
    screen.shows("by rate")
    screen.type(b"\x1a")
    ok(screen.until(lambda: stopped(screen.process.pid)) and screen.until(screen.is_restored),
       "Ctrl-Z: it stops, and the terminal is as it was", screen.everything[-200:])
    screen.lines = []
    screen.process.send_signal(signal.SIGCONT)
    ok(screen.shows("by rate") and screen.alternate, "and goes on with a new screen", screen.lines)
    screen.type(b"q")
    ok(screen.end() == (0, True), "to its end")


def stopped(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "T"


def check_plain():
    record([Conn(1, SMCD)])
    screen = Screen("-w", "0.2", env=dict(ENV, NO_COLOR="1"))
    screen.shows("by rate")
    screen.type(b" q")
    status = screen.end()
    ok(status == (0, True) and b"\x1b[7m" not in screen.everything, "NO_COLOR: nothing stands out", screen.everything)
    for term in "dumb", None:
        env = dict(ENV, TERM="dumb")
        if not term:
            env.pop("TERM")
        screen = Screen(env=env)
        status = screen.end()
        ok(status == (0, True) and b"\x1b" not in screen.everything and screen.everything.count(b"by rate") == 1,
           "TERM=%s: a table, once" % term, screen.everything)


def main():
    os.mkdir(ROOT)
    write("probes/holders", b"1 811 7 redis\n5 5 3 evil\x1b[31m\n")
    check_usage()
    check_data()
    check_doubt()
    check_text()
    check_screen()
    check_signals()
    check_plain()
    done()


main()
