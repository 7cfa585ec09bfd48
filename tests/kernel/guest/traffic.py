# SPDX-License-Identifier: MIT
"""Servers and clients with known data (see traffic.c), and remains after their end."""
import glob
import json
import os
import shutil
import socket
import subprocess

from kern import doc, read, run, wait_for, write
from nginx import nginx_conf

KINDS = ("own", "redis", "nginx")
FILES = (4096, 100000)
AT_ONCE = 16
# Seconds: the timeout of a call in the programs, and of a whole load. Only hangs come near.
CALL, LIMIT = 60, 1800
# Errors of an SMC connection that the kernel breaks.
BROKEN = {"connect ECONNRESET", "connect ECONNABORTED", "connect ETIMEDOUT", "send ECONNRESET", "send ECONNABORTED",
          "send EPIPE", "receive ECONNRESET", "receive ECONNABORTED", "receive ENOTCONN"}


class Way:
    """Ways to start programs: plainly, under smc_run, or in the control group that smc_bpf is attached to."""

    def __init__(self, prefix=(), group=None):
        self.prefix, self.group = prefix, group

    def beside(self, library):
        """This way with one more preload library, in front of the others."""
        command = 'LD_PRELOAD="$0 $LD_PRELOAD" exec "$@"'
        return Way((*self.prefix, "sh", "-c", command, shutil.which(library)), self.group)

    def enter(self):
        if self.group:
            write(self.group + "/cgroup.procs", "0")


TCP, SMC = Way(), Way(("smc_run", "--quiet"))


class Server:
    """One of KINDS, or another program that serves a port, with its prefix."""

    def __init__(self, kind, port, argv, way):
        self.kind, self.port = kind, port
        # The log of other servers is not read; redis would block.
        self.process = subprocess.Popen([*way.prefix, *argv], text=True, preexec_fn=way.enter, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE if kind == "own" else subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        if not wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0):
            raise RuntimeError("%s does not start" % kind)

    def pids(self):
        """The server and its workers."""
        pid = self.process.pid
        return [pid, *map(int, read("/proc/%d/task/%d/children" % (pid, pid)).split())]

    def descriptors(self):
        return [len(os.listdir("/proc/%d/fd" % pid)) for pid in self.pids()]

    def end(self):
        """End the server. Return: its counts, if it prints some."""
        self.process.terminate()
        try:
            out = self.process.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            return {"hangs": True}
        return json.loads(out) if self.kind == "own" else {}


def start(kind, port, work, way):
    if kind == "own":
        return Server(kind, port, ["traffic", "-t", str(CALL), "serve", str(port)], way)
    if kind == "redis":
        return Server(kind, port, ["redis-server", "--port", str(port), "--save", "", "--protected-mode", "no"], way)
    place = os.path.join(work, str(port))
    os.mkdir(place)
    for size in FILES:
        with open(os.path.join(place, str(size)), "wb") as file:
            subprocess.run(["traffic", "data", str(size)], stdout=file, check=True)
    conf = nginx_conf(place, "listen %d backlog=512; keepalive_timeout 0; send_timeout %ds;" % (port, CALL))
    return Server(kind, port, ["nginx", "-c", conf], way)


class Load:
    """Clients of a server of KINDS, at least for the duration of the with block."""

    def __init__(self, server, count, way, options=()):
        kind, address, port = server
        argv = [*way.prefix, "traffic", "-t", str(CALL), *options, "load", kind, address, str(port), str(count), str(AT_ONCE)]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, preexec_fn=way.enter)

    def end(self):
        """Its counts."""
        try:
            out = self.process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return {"hangs": True}
        return json.loads(out) if self.process.returncode == 0 else {"status": self.process.returncode}


def smc_connections():
    """Number of SMC connections since boot. A connection within this kernel counts at both ends."""
    return sum(sum(doc(tool, "-j", "-a", "stats")["connections"].values()) for tool in ("smcd", "smcr"))


def errors(*ends):
    """Name and number of all errors that programs saw."""
    found = {}
    for end in ends:
        for name, number in [*end.get("errors", {}).items(), ("refused", end.get("refused", 0))]:
            if number:
                found[name] = found.get(name, 0) + number
    return found


def lost(*ends):
    """Missing, duplicate or wrong data without an error."""
    return {what: sum(end.get(what, 0) for end in ends) for what in ("wrong", "short", "extra")
            if any(end.get(what) for end in ends)}


def words(*ends):
    """Errors, and premature ends."""
    found = errors(*ends)
    early = sum(end.get("short", 0) for end in ends)
    if early:
        found["early end"] = early
    return ", ".join("%d %s" % (number, name) for name, number in sorted(found.items())) or "-"


def complaints():
    """Lines of the kernel's log not explained by a fault."""
    bad = ("WARNING", "BUG", "Oops", "refcount", "protection fault", "hung", "blocked for more", "Call Trace",
           "lockup", "stall")
    return [line for line in run("dmesg", "-l", "emerg,alert,crit,err,warn")[1].splitlines()
            if any(word in line for word in bad)]


def stuck():
    """Kernel stacks of uninterruptible tasks, for the report of a failure."""
    found = []
    for task in glob.glob("/proc/[0-9]*/task/*"):
        try:
            with open(task + "/stat", encoding="ascii") as file:
                name, state = file.read().split("(", 1)[1].rsplit(") ", 1)
            if state[0] == "D":
                with open(task + "/stack", encoding="ascii") as file:
                    found.append("%s: %s" % (name, " ".join(line.split()[1].split("+")[0] for line in file)))
        except OSError:
            pass
    return found
