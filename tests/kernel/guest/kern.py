# SPDX-License-Identifier: MIT
"""Common parts of the tests in guests: the tools under test, sockets for a test."""
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import tap

# For tests that import all from here.
ok, equal, refused, skip, done, counted, go_on = tap.ok, tap.equal, tap.refused, tap.skip, tap.done, tap.counted, tap.go_on

IPPROTO_SMC = 256
NODE = int(os.environ.get("SMC_LAB_NODE", "1"))
# The system EID: only IBM Z has one. There is always some EID then: the system's cannot be disabled without another.
HAS_SEID = os.uname().machine == "s390x"
PAIR = os.environ.get("SMC_LAB_NODES", "1") == "2"
# The first line of smc_chk serve, in the peer's words.
SERVES = "Server started on port 37373\n"


NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text, mode="w"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)


def run(*argv, env=None, timeout=300):
    """Status, stdout and stderr of a program."""
    result = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, **(env or {})), timeout=timeout, check=False)
    return result.returncode, result.stdout, result.stderr


def out_of(*argv):
    """Output of a program that must succeed without warnings."""
    status, out, err = run(*argv)
    if status or err:
        ok(False, " ".join(argv), (status, out, err))
    return out


def refuses(argv, pattern, name, status=1):
    return refused(run(*argv), pattern, name, status)


def record_live(command):
    """Output of a program here, to be compared with its output for the bundle elsewhere."""
    live = run(*command.split())
    write("%s/live/%s" % (os.environ["SMC_LAB_OUT"], command), "%d\n%s%s" % live)
    return live


def doc(*argv):
    return json.loads(out_of(*argv))


def smcss(*argv):
    status, out, err = run("smcss", *argv)
    if status or err:
        raise RuntimeError("smcss %s: status %d, %s" % (" ".join(argv), status, err))
    return out


def listing(*argv):
    """Sockets of smcss --json."""
    doc = json.loads(smcss("-j", *argv))
    assert doc["schema"] == "smc-tools/smcss/1"
    return doc["sockets"]


def by_inode(inode, *argv):
    found = [s for s in listing("-a", *argv) if s["inode"] == inode]
    return found[0] if len(found) == 1 else None


def held_modes(program):
    """Transport of both ends of a connection that "sockets ...:pair:..." holds. Its output names the sockets. TCP sockets are
    not listed."""
    inodes = []
    for line in program.stdout:
        if line == "ready\n":
            break
        made = json.loads(line)
        if made["what"] != "listener":
            inodes.append(made["inode"])
    return [s["mode"] for s in listing("-a") if s["inode"] in inodes]


def port_modes(port):
    """Modes of the connections of a port."""
    return [s["mode"] for s in listing() if s["state"] == "ACTIVE" and
            port in (s.get("local", {}).get("port"), s.get("peer", {}).get("port"))]


def mode(port):
    """Transport of a connection to a server, seen from the client, which always tries SMC."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC) as client:
        wait_for(lambda: client.connect_ex(("127.0.0.1", port)) == 0)
        mine = client.getsockname()[1]
        found = [s for s in listing("-a") if (s.get("local") or {}).get("port") == mine]
        return found[0]["mode"] if found else None


def only_smcr():
    """Connections use SMC-R even within a host that has loopback: loopback gets a PNET ID that no net device has."""
    if os.path.isdir("/sys/class/dibs/lo"):
        out_of("smc_pnet", "-a", "APART", "-D", "lo")


def slow_page():
    """For "busybox httpd -h /run/www": a page, /cgi-bin/slow, whose connection lasts until there is /run/seen."""
    write("/run/www/cgi-bin/slow", "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\nhello from busybox'\nuntil [ -e /run/seen ]; do sleep 0.1; done\n")
    os.chmod("/run/www/cgi-bin/slow", 0o755)


def has_jit():
    """Does the kernel have the JIT compiler, which smc_bpf needs? Debian's for s390x do not."""
    return " bpf_jit_charge_modmem\n" in read("/proc/kallsyms")


def sync(name):
    if PAIR:
        subprocess.run(["smc-lab-sync", name], check=True)


class Sockets:
    """Run the program "sockets" in the with block."""

    def __init__(self, *specs, prefix=()):
        self.process = subprocess.Popen([*prefix, "sockets", *specs], stdout=subprocess.PIPE, text=True)
        self.all = []
        for line in self.process.stdout:
            if line == "ready\n":
                return
            self.all.append(json.loads(line))
        raise RuntimeError("sockets %s ended with %d" % (" ".join(specs), self.process.wait()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def one(self, spec, what):
        return [s for s in self.all if s["spec"] == spec and s["what"] == what][0]


class Lines:
    """A program whose lines are read meanwhile."""
    parse = staticmethod(str)

    def __init__(self, *argv, **options):
        self.all = []
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, **options)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.all.append(self.parse(line))

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.thread.join()


class Reports(Lines):
    """A document a line."""
    parse = staticmethod(json.loads)


class Forked:
    """A process with its own name that runs a function."""

    def __init__(self, name, work, *args):
        self.pid = os.fork()
        if not self.pid:
            write("/proc/self/comm", name)
            work(*args)
            os._exit(0)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def status_of(process, seconds=300):
    """Wait until a program ends. If it does not: print where its threads are in the kernel, and fail."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        for stack in glob.glob("/proc/%d/task/*/stack" % process.pid):
            print(stack, read(stack), sep="\n", file=sys.stderr)
        raise


def listens(port):
    """Over TCP, or as the TCP socket inside an SMC socket."""
    return any(line.split()[1].endswith(":%04X" % port) and line.split()[3] == "0A" for line in read("/proc/net/tcp").splitlines()[1:])


def uids(process):
    """User ids, capabilities, and the filter of system calls."""
    lines = dict(line.split(":\t", 1) for line in read("/proc/%d/status" % process.pid).splitlines())
    return lines["Uid"].split(), int(lines["CapEff"], 16), lines["Seccomp"].strip()


def wait_for(function, seconds=60):
    """Call a function until it returns a true value. Return: its last value. Pauses take at least as long as the calls, so
    that the awaited program can run."""
    end = time.monotonic() + seconds
    while True:
        begin = time.monotonic()
        value = function()
        now = time.monotonic()
        if value or now > end:
            return value
        time.sleep(min(max(0.1, now - begin), 0.5))


def processes(name):
    """Their ids."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += [int(pid)] if read("/proc/%s/comm" % pid) == name + "\n" else []
        except OSError:
            pass
    return found


def link_groups():
    """Link groups of SMC-D and SMC-R."""
    return [group for tool in ("smcd", "smcr") for group in doc(tool, "-j", "linkgroup")["linkgroups"]]
