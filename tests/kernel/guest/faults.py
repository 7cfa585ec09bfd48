# SPDX-License-Identifier: MIT
"""Traffic with known bytes, while things break: redis, nginx and a program of ours, over TCP
and over SMC. usage: faults.py CONNECTIONS [FAULT...]; CONNECTIONS over SMC for each program and fault."""
import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading

from kern import doc, done, link_groups, listing, ok, out_of, wait_for
from traffic import (BROKEN, KINDS, SMC, TCP, Load, Server, Way, complaints, errors, lost, smc_connections, start,
                     words)

ADDRESS, PORT, HOLDER = "127.0.0.1", 7301, 7300
EID = "SMC-LAB-EID"
GROUP = "/sys/fs/cgroup/faults"
# Connections that are held while link groups run out: a group of SMC-D has 255, of SMC-R as many as is set here.
HELD_SMCD, HELD_SMCR, GROUP_SMCR = 300, 40, 16
# Takes this many KiB until its standard input ends; the first process that the kernel kills for lack of memory.
HOG = """
import sys
open("/proc/self/oom_score_adj", "w").write("1000")
taken = b"x" * (int(sys.argv[1]) << 10)
print(flush=True)
sys.stdin.read()
"""
SCARCE = {"socket EMFILE", "accept EMFILE", "connect EMFILE", "refused"}


def set_value(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))


def get_value(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def has_rdma():
    return bool(doc("smcr", "-j", "device")["devices"])


# ---- faults: each alternates between on and off while it is entered ----

class Fault:
    """No fault; base class of the others."""
    name = "nothing"
    # Errors that programs may see over SMC but not over TCP; errors that they may see over both; and the least part of
    # the connections that must be complete.
    only_smc, either, whole = set(), set(), 0.1
    library, period, way = None, 0.3, SMC

    def prepare(self):
        """Called before the server starts."""

    def begin(self):
        """Called before the traffic."""

    def on(self):
        """Switch the fault on; False if not possible."""

    def off(self):
        """Switch it off."""

    def finish(self):
        """Called after the traffic."""

    def turn(self):
        while not self.over.wait(self.period):
            self.turns += self.on() is not False
            self.over.wait(self.period)
            self.off()

    @contextlib.contextmanager
    def happen(self, server):
        self.over, self.turns = threading.Event(), 0
        self.server = server
        self.begin()
        thread = threading.Thread(target=self.turn)
        thread.start()
        try:
            yield
        finally:
            self.over.set()
            thread.join()
            self.finish()


class Signals(Fault):
    """A timer of each process sends signals. Over SMC-R Linux sometimes loses data or the end of file then: see "signal" in
    upstream.py."""
    name, library = "a signal each millisecond", "ticks.so"

    def begin(self):
        if has_rdma():
            self.only_smc, self.whole = {"receive ETIMEDOUT", "send ETIMEDOUT"}, 0.99

    def on(self):
        """Do all processes of the server handle the signal? Without a handler it would have killed them."""
        for pid in self.server.pids():
            with open("/proc/%d/status" % pid, encoding="ascii") as file:
                caught = int(re.search(r"^SigCgt:\s+(\w+)", file.read(), re.M).group(1), 16)
            if not caught & 1 << (signal.SIGVTALRM - 1):
                return False
        return True


class Descriptors(Fault):
    name, either = "no descriptor is left", SCARCE

    def limit(self, spare):
        for pid in self.server.pids():
            most = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
            used = max(map(int, os.listdir("/proc/%d/fd" % pid))) + 1
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (min(most, used + spare), most))

    def on(self):
        self.limit(-1)

    def off(self):
        self.limit(1000)


class Buffers(Fault):
    name = "rmem_max and wmem_max shrink"
    paths = ("/proc/sys/net/core/rmem_max", "/proc/sys/net/core/wmem_max")

    def begin(self):
        self.before = list(map(get_value, self.paths))

    def on(self):
        for path in self.paths:
            set_value(path, 4608)

    def off(self):
        for path, value in zip(self.paths, self.before):
            set_value(path, value)


class Eids(Fault):
    name = "smcd ueid flush, add"

    def on(self):
        out_of("smcd", "ueid", "flush")

    def off(self):
        out_of("smcd", "ueid", "add", EID)


class Bpf(Fault):
    name, way = "smc_bpf detach, attach", Way(group=GROUP)

    def prepare(self):
        self.off()

    def on(self):
        out_of("smc_bpf", "detach", "-c", GROUP)

    def off(self):
        out_of("smc_bpf", "attach", "-c", GROUP)

    def finish(self):
        self.on()


class Memory(Fault):
    """Processes take almost all memory; these are the ones that the kernel kills."""
    name, either = "memory is short", {"connect ENOMEM", "accept ENOMEM", "accept ENOBUFS", "socket ENOMEM"}
    kept_kb, spare_kb = 128 << 10, 24 << 10

    def begin(self):
        self.hogs = []
        self.take(self.kept_kb)

    def take(self, but_kb):
        with open("/proc/meminfo", encoding="ascii") as file:
            size = {line.split(":")[0]: int(line.split()[1]) for line in file}["MemAvailable"] - but_kb
        self.hogs.append(subprocess.Popen([sys.executable, "-c", HOG, str(max(size, 0))], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        self.hogs[-1].stdout.readline()

    def give(self):
        with self.hogs.pop() as hog:
            hog.stdin.close()

    def on(self):
        self.take(self.spare_kb)

    def off(self):
        self.give()

    def finish(self):
        self.give()


class Groups(Fault):
    """More concurrent connections than a link group has."""
    name, path = "link groups are full", "/proc/sys/net/smc/smcr_max_conns_per_lgr"

    def begin(self):
        self.before = get_value(self.path)
        self.held = HELD_SMCR if has_rdma() else HELD_SMCD
        set_value(self.path, GROUP_SMCR)

    def on(self):
        self.holder = subprocess.Popen([*SMC.prefix, "traffic", "hold", ADDRESS, str(HOLDER), str(self.held)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self.holder.stdout.readline() == "%d\n" % self.held

    def off(self):
        self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()

    def finish(self):
        set_value(self.path, self.before)


class Device(Fault):
    name, only_smc, period = "the RDMA device goes", BROKEN | {"accept ECONNABORTED"}, 1.0

    def on(self):
        out_of("rdma", "link", "delete", "rxelo")

    def off(self):
        out_of("rdma", "link", "add", "rxelo", "type", "rxe", "netdev", "lo")


FAULTS = {"nothing": Fault, "signals": Signals, "descriptors": Descriptors, "buffers": Buffers, "eids": Eids,
          "bpf": Bpf, "memory": Memory, "groups": Groups, "device": Device}
# Linux 6.12 may wait for ever in smc_smcr_terminate_all() when the device goes (see upstream.py): only by name.
USUAL = [name for name in FAULTS if name != "device"]


def add(total, counts):
    """Add the counts of another load."""
    for name, value in counts.items():
        if name == "errors":
            add(total[name], value)
        else:
            total[name] = total.get(name, 0) + value


def measure(kind, work, count, way, fault):
    """A server, clients and a fault: counts of each end."""
    fault.prepare()
    if fault.library:
        way = way.beside(fault.library)
    with tempfile.TemporaryDirectory(dir=work) as place:
        os.chmod(place, 0o755)
        server = start(kind, PORT, place, way)
        before, fds = smc_connections(), server.descriptors()
        with fault.happen(server):
            ends = {"client": Load((kind, ADDRESS, PORT), count, way).end()}
            # On a fast machine a load may end before the fault begins.
            while fault.name != "nothing" and not fault.turns and "tried" in ends["client"]:
                add(ends["client"], Load((kind, ADDRESS, PORT), count, way).end())
        ends["smc"] = (smc_connections() - before) // 2
        ends["turns"] = fault.turns
        ends["left"] = [] if wait_for(lambda: server.descriptors() == fds) else [fds, server.descriptors()]
        ends["server"] = server.end()
    return ends


def judge(fault, kind, count, tcp, smc):
    client, over_smc, over_tcp = smc["client"], errors(smc["client"], smc["server"]), errors(tcp["client"], tcp["server"])
    name = "%s, %s: " % (fault.name, kind)
    print("# %-27s %-6s %6d %6d %7.1f  %-20s  %s" % (fault.name, kind, client.get("tried", 0), smc["smc"],
          client.get("bytes", 0) / 1e6, words(tcp["client"], tcp["server"]),
          words(client, smc["server"])), flush=True)
    ended = not {"hangs", "status"} & {*client, *smc["server"]}
    ok(ended and client.get("tried", 0) >= count, name + "nothing hangs", (smc, tcp))
    missing = lost(client, smc["server"])
    if fault.only_smc:
        # If a connection breaks, the other end may see only the end of file. Programs other than ours do not count
        # failures.
        broke = sum(over_smc.values()) if kind == "own" else count
        if missing.get("short", 0) <= broke:
            missing.pop("short", None)
    ok(not missing, name + "no byte is lost, wrong or there twice", (smc, tcp))
    ok(not set(over_smc) - set(over_tcp) - fault.only_smc - fault.either, name + "no error that TCP does not have",
       (over_smc, over_tcp))
    said = sum(errors(client).values()) + client.get("short", 0)
    ok(client.get("whole", 0) + said >= client.get("tried", count) and client.get("whole", 0) > count * fault.whole,
       name + "each connection is whole or says why not", (smc, tcp))
    ok(fault.name == "nothing" or smc["turns"], name + "it happened", smc["turns"])
    ok(not smc["left"], name + "the server has no descriptor left", smc["left"])


def row(fault, kind, work, count):
    tcp = measure(kind, work, max(count // 4, 20), TCP, fault)
    smc = measure(kind, work, count, fault.way, fault)
    judge(fault, kind, count, tcp, smc)
    return smc["smc"]


def groups_in_use():
    return [group for group in link_groups() if group["connections"]]


def check_end(smc, before):
    print("# %d connections over SMC" % smc)
    ok(smc, "connections were SMC")
    ok(wait_for(lambda: not listing("-a")), "no SMC socket is left", listing("-a"))
    ok(wait_for(lambda: not groups_in_use()), "no link group has a connection", groups_in_use())
    new = [line for line in complaints() if line not in before]
    ok(not new, "the kernel does not complain", "\n".join(new[:20]))


def main(count, names):
    os.makedirs(GROUP, exist_ok=True)
    before, smc = complaints(), 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        os.chmod(work, 0o755)
        holder = Server("own", HOLDER, ["traffic", "-t", "600", "serve", str(HOLDER)], SMC)
        print("# %-27s %-6s %6s %6s %7s  %-20s  %s" % ("fault", "", "conns", "SMC", "MB", "errors over TCP", "over SMC"))
        for name in names:
            for kind in KINDS:
                smc += row(FAULTS[name](), kind, work, count)
        holder.end()
    check_end(smc, before)
    done()


main(int(sys.argv[1]), sys.argv[2:] or USUAL)
