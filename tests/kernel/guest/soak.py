# SPDX-License-Identifier: MIT
"""make soak: long-running programs for a long time, while connections come and go. Nothing grows.

Memory is what smaps_rollup calls Anonymous, with shared memory: pages that the process has written, also
those that it still shares with a child. Pages of files come and go with the page cache, and the counters of
/proc/PID/status are only near the truth. For the tools, heap_lib.c also counts what malloc() has handed out."""
import mmap
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from chkfake import smc_socket
from kern import link_groups, listing, read, run, wait_for
from kern import processes as pids_of
from soakjudge import HEAP_NOISE, NOISE, PARTS, WARM_UP, WINDOW, Sample, ends, faults

MODE = {"lo": "SMCD", "6.12": "SMCR"}[os.environ["SMC_LAB_KERNEL"]]
PORT, PLAIN, CHECK = "7300", "7301", 37373
HAS_BPF = bool(shutil.which("smc_bpf"))
LOOKS = 360
# Seconds of traffic before the measurement. TIME_WAIT lasts 60 seconds, and the number of such sockets grows until
# then.
SETTLE = 70
NOTHING = rb"(?!)"
NEVER = b"\xff" * 8


def has(mode, pattern):
    """Pattern of a tool's output if this guest uses the transport; else None."""
    return re.compile(pattern) if mode == MODE else None


class Heap:
    """Bytes that malloc() has handed out in a process. Those in its caches per thread are included, so the caches must be
    empty."""

    def __init__(self):
        with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
            file.write(NEVER)
            file.flush()
            self.memory = mmap.mmap(file.fileno(), len(NEVER))
            self.path = "/proc/%d/fd/%d" % (os.getpid(), os.dup(file.fileno()))
        self.environment = dict(os.environ, HEAP_FILE=self.path, LD_PRELOAD=shutil.which("heap.so"),
                                GLIBC_TUNABLES="glibc.malloc.tcache_count=0")

    def least(self):
        """Bytes, since the last call."""
        got = self.memory[:]
        self.memory[:] = NEVER
        return None if got == NEVER else int.from_bytes(got, sys.byteorder)


class Process:
    """A permanent process; its output is counted, not kept."""

    def __init__(self, argv, refresh, row=None, ends_with=-signal.SIGTERM, heap=None):
        self.name, self.refresh, self.row = " ".join(argv), re.compile(refresh), row
        self.ends_with = ends_with
        self.samples, self.last = [], b""
        self.refreshes, self.rows, self.part = [0] * PARTS, 0 if row else None, 0
        self.heap = heap
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        env=heap and heap.environment)
        self.pid = self.process.pid
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if self.refresh.search(line):
                self.refreshes[self.part] += 1
                self.last = line
            if self.row and self.row.search(line):
                self.rows += 1

    def look(self, when):
        self.part = min(int(when * PARTS), PARTS - 1)
        self.samples += look(self.pid, when, self.heap and self.heap.least())

    def end(self):
        """Problems with its exit."""
        early = self.process.poll()
        if early is not None:
            return ["ended by itself with status %d" % early]
        self.process.terminate()
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return ["does not end when asked"]
        self.reader.join(30)
        return [] if status == self.ends_with else ["ends with status %d" % status]


class Keeper:
    """smc_keep, which comes and goes by itself."""
    name, rows, heap = "smc_keep", 0, None
    # The listener, and three times /dev/null.
    IDLE = 4

    def __init__(self):
        self.samples, self.refreshes, self.part, self.pids = [], [0] * PARTS, 0, set()

    def look(self, when):
        for pid in pids_of("smc_keep"):
            found = look(pid, when)
            self.samples += found
            self.pids.add(pid)
            if found and found[0].fds > self.IDLE:
                self.refreshes[min(int(when * PARTS), PARTS - 1)] += 1
                self.rows += 1

    def end(self):
        return [] if wait_for(lambda: not pids_of("smc_keep"), 30) else ["has not gone"]


def text(*path):
    return read(os.path.join("/proc", *map(str, path)))


def look(pid, when, heap=None):
    """A sample, or none if the process has just gone."""
    try:
        sizes = dict(re.findall(r"^(\w+): +(\d+) kB", text(pid, "smaps_rollup"), re.MULTILINE))
        threads = re.search(r"^Threads:\s+(\d+)", text(pid, "status"), re.MULTILINE).group(1)
        return [Sample(when, int(sizes["Anonymous"]) + int(sizes["Pss_Shmem"]),
                       len(os.listdir("/proc/%d/fd" % pid)), int(threads), heap)]
    except (OSError, KeyError, AttributeError):
        return []


def commands():
    """Programs of the guest, not threads of its kernel: process id and name."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if text(pid, "cmdline"):
                found[int(pid)] = text(pid, "comm").strip()
        except OSError:
            pass
    return found


def watchers():
    """All repeating tools."""
    every = ("-w", "2")
    return [Process([*argv, *every], refresh, row, heap=Heap()) for argv, refresh, row in (
        (["smcss", "-a"], rb"^State ", re.compile(MODE.encode())),
        (["smcss", "-s"], rb"^Connections ", re.compile(rb"^Connections.* [1-9]")),
        (["smcss", "-aep"], rb"^State ", re.compile(MODE.encode())),
        (["smcss", "-jp"], rb"^{", re.compile(rb'"mode":"%s"' % MODE.encode())),
        (["smc_top", "-j"], rb"^{", re.compile(rb'"rate_out":[1-9]')))]


def traffic():
    """Programs under smc_run, and one without: what they print are rounds."""
    def soak(*argv, ends_with=-signal.SIGTERM):
        return Process([*argv], rb"^\d+ \d+$", ends_with=ends_with)
    servers = [soak("smc_run", "soak", "serve", PORT), soak("soak", "serve", PLAIN)]
    for port in (PORT, PLAIN):
        wait_for(lambda p=port: socket.socket().connect_ex(("127.0.0.1", int(p))) == 0)
    clients = [soak("smc_run", "soak", "churn", PORT, PLAIN)]
    for _ in range(3):
        clients.append(soak("smc_run", "soak", "slow", PORT, ends_with=0))
        time.sleep(0.7)  # not all at the same time
    return servers, clients


# ---- short programs: each is called in turn ----

class Visits:
    """Counts visits by kind."""

    def __init__(self):
        self.done, self.wrong = {}, []

    def kinds(self):
        return [("smc_chk connect", lambda: self.program("smc_chk", "connect", "127.0.0.1")),
                ("smc_run soak once", lambda: self.program("smc_run", "soak", "once", PORT)),
                ("garbage to smc_chk serve", lambda: self.words(smc_socket(), os.urandom(64))),
                ("hanging up on smc_chk serve", lambda: self.words(smc_socket(), b"")),
                ("killed while it reads nothing", self.killed),
                ("plain TCP to smc_chk serve", lambda: self.words(socket.socket(), os.urandom(3))),
                ("reset of smc_chk serve", lambda: self.words(smc_socket(), b"x", True)),
                *([("smc_run --bpf soak once", lambda: self.program("smc_run", "--bpf", "soak", "once", PORT))]
                  if HAS_BPF else [])]

    def program(self, *argv):
        done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False)
        if done.returncode:
            self.wrong.append("%s: status %d, %s" % (" ".join(argv), done.returncode, done.stderr.decode()))

    @staticmethod
    def words(sock, data, is_reset=False):
        with sock:
            sock.connect(("127.0.0.1", CHECK))
            sock.send(data)
            if is_reset:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    @staticmethod
    def killed():
        with subprocess.Popen(["smc_run", "soak", "churn", PORT, PLAIN], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            process.kill()

    def go_on(self, stop):
        turns = self.kinds()
        while not stop.is_set() and len(self.wrong) < 20:
            for name, turn in turns:
                try:
                    turn()
                except (OSError, subprocess.TimeoutExpired) as error:
                    self.wrong.append("%s: %s" % (name, error))
                self.done[name] = self.done.get(name, 0) + 1
                if stop.wait(1):
                    break


# ---- the run ----

def busy():
    """Processor seconds: all, idle."""
    values = [int(value) for value in text("stat").split("\n")[0].split()[1:]]
    return sum(values), values[3] + values[4]


def watch(processes, seconds):
    """Samples all of them repeatedly. Returns the number of link groups after the warm-up."""
    start, before = time.monotonic(), busy()
    part, groups, when = 0, 0, 0
    while when < 1:
        for process in processes:
            process.look(when)
        if int(when * PARTS) > part:
            part = int(when * PARTS)
            groups = groups or len(link_groups())
            print("# %.1f of %g minutes" % (when * seconds / 60, seconds / 60), flush=True)
        time.sleep(max(0.5, seconds / LOOKS))
        when = (time.monotonic() - start) / seconds
    total, idle = (after - earlier for after, earlier in zip(busy(), before))
    print("# processors were busy for %d %% of the time" % (100 - 100 * idle / total))
    return groups


def number(value):
    return "-" if value is None else "%.6g" % value


def course(process):
    """Memory in time, of what grows: the largest sizes."""
    parts = [[] for _ in range(30)]
    for sample in process.samples:
        parts[int(sample.when * len(parts))].append(sample.kb)
    return "# %s, kB: %s" % (process.name, " ".join(number(max(part, default=None)) for part in parts))


def smallest_leak(process):
    """Smallest detectable growth per refresh, in bytes."""
    noise = HEAP_NOISE if process.heap else NOISE["kb"] * 1024
    return noise / max(sum(process.refreshes) * (1 - WARM_UP - WINDOW), 1) + 1


def show(processes):
    """The table; returns the problems."""
    wrong = []
    print("%-33s %15s %20s %14s %7s" % ("", "bytes in use", "kB of memory", "descriptors", "threads"))
    print("%-33s %7s %7s %6s %6s %6s %4s %4s %4s %7s %9s %6s" % (
        "process", "start", "end", "start", "middle", "end", "start", "mid", "end", "end", "refreshes", "rows"))
    for process in processes:
        sizes = [number(v) for what in ("kb", "fds") for v in ends(process.samples, what)]
        sizes.append(number(ends(process.samples, "threads")[2]))
        heap = ends(process.samples, "heap", min)
        print("%-33s %7s %7s %6s %6s %6s %4s %4s %4s %7s" % (process.name, number(heap[0]), number(heap[2]), *sizes),
              "%9s %6s" % (number(process.refreshes and sum(process.refreshes)), number(process.rows)))
        found = faults(process.samples, process.refreshes, process.rows)
        if process.heap and None in heap:
            found.append("nobody counted the bytes in use")
        if found:
            print(course(process))
        wrong += ["%s: %s" % (process.name, fault) for fault in found]
    print("found would have been a leak of %d bytes at each refresh" %
          max(smallest_leak(process) for process in processes if process.refreshes))
    return wrong


def totals(servers, clients, visits):
    """Totals served, after the end; returns the problems."""
    (smc, sent), (plain, _) = (map(int, server.last.split() or (0, 0)) for server in servers)
    wrong, read = list(visits.wrong), sum(int(client.last.split()[1]) for client in clients if client.last)
    print("connections served: %d under smc_run, %d plain; %d bytes for slow clients" % (smc, plain, sent))
    print("visits: " + ", ".join("%s %d" % item for item in sorted(visits.done.items())))
    if not smc or not plain or len(visits.done) < len(visits.kinds()):
        wrong.append("not every kind of connection was served")
    if not read or read != sent:
        wrong.append("slow clients were sent %d bytes and have read %d" % (sent, read))
    return wrong


def rest(before):
    """Programs that were not there before."""
    return {pid: name for pid, name in commands().items() if pid not in before}


def left(processes, before, groups):
    """Everything ends, in reverse order of its start; nothing is left."""
    wrong = ["%s: %s" % (process.name, fault) for process in reversed(processes) for fault in process.end()]
    if HAS_BPF and run("smc_bpf", "detach", "--all")[0]:
        wrong.append("smc_bpf does not detach")
    if not wait_for(lambda: not rest(before), 30):
        wrong.append("processes are left: %s" % rest(before))
    if not wait_for(lambda: not listing("-a"), 60):
        wrong.append("sockets are left: %d" % len(listing("-a")))
    after = link_groups()
    members = sum(group.get("connections", 0) for group in after)
    print("left: processes %d, SMC sockets %d, link groups %d (%d after the warm-up), connections in them %d"
          % (len(rest(before)), len(listing("-a")), len(after), groups, members))
    if len(after) > groups or members:
        wrong.append("link groups are left")
    return wrong


def start():
    """smc_chk serve; servers, clients; watchers; smc_keep, where SMC has a send buffer: not over loopback."""
    check = Process(["smc_chk", "serve"], NOTHING, ends_with=0, heap=Heap())
    check.refreshes = None
    servers, clients = traffic()
    return servers, clients, [check, *servers, *([Keeper()] if MODE == "SMCR" else []), *clients, *watchers()]


def main(minutes):
    before = commands()
    if HAS_BPF:
        run("smc_bpf", "attach", "--run")
    servers, clients, processes = start()
    visits, stop = Visits(), threading.Event()
    visitor = threading.Thread(target=visits.go_on, args=(stop,))
    visitor.start()
    time.sleep(SETTLE)
    groups = watch(processes, minutes * 60)
    stop.set()
    visitor.join()
    wrong = show(processes) + left(processes, before, groups) + totals(servers, clients, visits)
    for fault in wrong:
        print("WRONG: " + fault)
    print("soak, %g minutes on kernel %s over %s: %s" % (minutes, os.environ["SMC_LAB_KERNEL"], MODE,
                                                        "FAILED" if wrong else "nothing grows, nothing is left"))
    sys.exit(1 if wrong else 0)


main(float(sys.argv[1]))
