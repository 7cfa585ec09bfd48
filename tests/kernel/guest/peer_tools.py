# SPDX-License-Identifier: MIT
"""What the tools say of each misbehaving peer of tests/peer, over Soft-RoCE in one guest: the same as the kernel, in bounded time
and memory. The table in tests/README.md has each script in the row of its outcome; the table that was found is printed.
usage: peer_tools.py ROOT [WORD]    of the repository; only scripts with this word"""
import concurrent.futures
import contextlib
import glob
import json
import os
import re
import subprocess
import sys
import threading

from kern import Reports, done, equal, ok, out_of, read, run, wait_for
from smcsock import smc_client

PEER = ["/usr/bin/python3", "-B", sys.argv[1] + "/tests/peer/smcpeer.py"]
WORD = sys.argv[2] if len(sys.argv) > 2 else ""
SERVERS, CLIENTS = (line.split(": ")[1].split(", ") for line in out_of(*PEER, "--list").splitlines())
FIRST, SERVE = 7500, 7400
PORTS = {name: FIRST + i for i, name in enumerate(SERVERS)}
KERNEL = "7.2" if os.uname().release.startswith("7.2") else "6.12"
# Seconds for a call, and MiB by which a tool may grow.
LIMIT, GROWTH = 150, 8
HEAD = "| outcome | servers | clients |\n|---|---|---|\n"


# ---- tools ----

@contextlib.contextmanager
def running(*argv):
    """A program whose output is a pipe, killed at the end."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def measured(*argv):
    """Status, output and peak in MiB of a tool, which ends within a time."""
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(LIMIT, process.kill)
    timer.start()
    out, err = process.stdout.read(), process.stderr.read()
    status, usage = os.wait4(process.pid, 0)[1:]
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, out, err, usage.ru_maxrss / 1024


def peak(process):
    return int(re.search(r"VmHWM:\s+(\d+)", read("/proc/%d/status" % process.pid))[1]) / 1024


def outcome(row):
    """Of JSON about a connection: the mode, or why it is TCP."""
    if row.get("mode", "SMCR").replace("-", "") == "SMCR":
        return "SMC-R"
    reasons = [row[key].get("symbol") or row[key]["code"] for key in ("reason", "peer_reason") if row.get(key)]
    return "/".join("0x%08x" % reason if isinstance(reason, int) else reason for reason in reasons) or row["mode"]


def ask_chk(port):
    """What smc_chk connect finds, and its peak of memory."""
    status, out, err, size = measured("smc_chk", "connect", "-jt", "60", "127.0.0.1:%d" % port)
    row = json.loads(out) if out else {}
    if status in (0, 2):
        return outcome(row), size
    words = row.get("error") or err.strip() or "status %d" % status
    why = re.search(r", but (.*?)(;|$)", words)
    return why[1] if why else words, size


def ask_smcss(port):
    """What smcss shows of a socket that is connected with the peer."""
    try:
        sock = smc_client(port)
    except OSError as error:
        return os.strerror(error.errno)
    with sock:
        rows = [row for row in json.loads(out_of("smcss", "-aj"))["sockets"] if row["inode"] == os.fstat(sock.fileno()).st_ino]
        return outcome(rows[0]) if rows else "not listed"


class Watch:
    """smc_events and smc_dump, which see everything."""
    def __init__(self):
        self.tools = (Reports("smc_events", "-j"), Reports("smc_dump", "-i", "lo", "-j", stderr=subprocess.DEVNULL),
                      Reports("smc_dump", "-aj", stderr=subprocess.DEVNULL))
        wait_for(lambda: self.tools[0].all)

    def events(self, port, seen=0):
        """What smc_events shows of the connections of a port."""
        return [outcome(dict(e, mode=e.get("mode", "TCP"))) for e in list(self.tools[0].all)[seen:]
                if e["event"] in ("connected", "fallback") and port in (e["local"]["port"], e["peer"]["port"])]

    def outcomes(self, port, seen=0):
        """What smc_dump -i shows of them."""
        return [(outcome(e), e["notes"]) for e in list(self.tools[1].all)[seen:]
                if e["event"] == "outcome" and str(port) in [e[side].rpartition(":")[2] for side in ("from", "to")]]

    def seen(self):
        return [len(tool.all) for tool in self.tools]


# ---- scripts ----

def on_wire(result):
    """The same outcome as smc_dump has it: it sees the reason of a decline, and no end without one."""
    found = re.fullmatch(r"(?:[A-Z_]+/)?(SMC-R|[A-Z_]+|0x\w+)", result)
    return found[1] if found else "unknown"


def check_dump(name, result, outcomes):
    """A flood may go on after a handshake that looks complete."""
    if "flood" not in name:
        equal([what for what, _ in outcomes][-1:], [on_wire(result)], "'%s': smc_dump" % name)


def expected():
    """Outcome of each script for servers and for clients. "name (7.2)" is for this kernel only."""
    tables = tuple({name: "SMC-R" for name in names if name.startswith("link")} for names in (SERVERS, CLIENTS))
    for row in read(sys.argv[1] + "/tests/README.md").partition(HEAD)[2].partition("\n\n")[0].splitlines():
        what, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        for table, cell in zip(tables, cells):
            for name in filter(None, cell.split(", ")):
                name, _, kernel = name.partition(" (")
                if kernel in ("", KERNEL + ")"):
                    table[name] = what.replace("`", "")
    return tables


def judge_server(name):
    """What smc_chk and smcss say, and the peak of memory."""
    try:
        chk, size = ask_chk(PORTS[name])
        return chk, ask_smcss(PORTS[name]), size
    except Exception as error:  # pylint: disable=broad-except
        return repr(error), "", 0


def check_servers(watch, want, found):
    names = [name for name in SERVERS if WORD in name]
    with running(*PEER, "serve", "all", str(FIRST)) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in SERVERS:
            server.stdout.readline()
        threading.Thread(target=server.stdout.read, daemon=True).start()
        plain = [name for name in names if not name.startswith("link")]
        results = dict(zip(plain, pool.map(judge_server, plain)))
        results.update((name, judge_server(name)) for name in names if name.startswith("link"))
    for name, (chk, shown, size) in results.items():
        events, outcomes = watch.events(PORTS[name]), watch.outcomes(PORTS[name])
        ok(chk in want.get(name, "").split(" or "), "server '%s': smc_chk connect" % name, chk)
        if " or " not in want.get(name, ""):
            if on_wire(chk) != "unknown":
                equal({shown, *events}, {chk}, "server '%s': smcss, smc_events" % name)
            check_dump(name, chk, outcomes)
        print("# server '%s': %s | %s | %s | %s | %.1f MiB" % (name, chk, shown, events, outcomes, size), flush=True)
        found.setdefault(chk, ([], []))[0].append(name)


def call(name):
    """The words of a client."""
    try:
        return run(*PEER, "connect", name, "127.0.0.1", str(SERVE), timeout=LIMIT)[1].strip()
    except subprocess.TimeoutExpired:
        return "hang"


def check_clients(watch, want, found):
    with running("smc_chk", "serve", "-p", str(SERVE)) as serve:
        serve.stdout.readline()
        honest, before = ask_chk(SERVE)[0], peak(serve)
        wait_for(lambda: len(watch.events(SERVE)) == 2)
        for name in (name for name in CLIENTS if WORD in name):
            seen = watch.seen()
            line = call(name)
            wait_for(lambda n=seen: watch.events(SERVE, n[0]) and watch.outcomes(SERVE, n[1]), 1)
            events, outcomes = watch.events(SERVE, seen[0]), watch.outcomes(SERVE, seen[1])
            result = events[0] if events else re.sub("ended: .*", "reset", line.partition(": ")[2])
            equal(result, want.get(name), "client '%s': smc_events, or what the client sees" % name)
            check_dump(name, result, outcomes)
            print("# client '%s': %s | %s | %s" % (name, events, outcomes, line), flush=True)
            found.setdefault(result, ([], []))[1].append(name)
        equal(ask_chk(SERVE)[0], honest, "smc_chk serve goes on")
        ok(peak(serve) < before + GROWTH, "smc_chk serve: memory", (before, peak(serve)))


def doctor():
    """Its findings without the counts of connections that fell back."""
    status, out, err, _ = measured("smc_chk", "doctor", "-j")
    return status, err, [(row["level"], row["check"], row.get("object")) for row in json.loads(out)["findings"]
                         if row["check"] != "traffic"]


def gid_types():
    """Of all GIDs; a file of an unused one cannot be read."""
    for name in glob.glob("/sys/class/infiniband/*/ports/1/gid_attrs/types/*"):
        with contextlib.suppress(OSError):
            yield read(name).strip()


def main():
    found, (servers, clients) = {}, expected()
    equal(set(gid_types()), {"RoCE v2"}, "Soft-RoCE has no GID of RoCE v1, which version 1 needs")
    before = doctor()
    watch = Watch()
    try:
        peaks = [peak(tool.process) for tool in watch.tools]
        check_servers(watch, servers, found)
        check_clients(watch, clients, found)
        equal(doctor(), before, "the doctor says the same as before")
        for tool, size in zip(watch.tools, peaks):
            ok(tool.process.poll() is None and peak(tool.process) < size + GROWTH, "%s: runs, memory" % " ".join(tool.process.args),
               (size, peak(tool.process)))
    finally:
        for tool in watch.tools:
            tool.process.kill()
    print(HEAD + "\n".join("| %s | %s | %s |" % (what, *map(", ".join, names)) for what, names in found.items()))
    done()



main()
