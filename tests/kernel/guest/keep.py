# SPDX-License-Identifier: MIT
"""An event loop with clients that do not read, beside the same over TCP: nobody waits for them, and
who reads after all gets everything. Each number is compared with TCP's in the same run.
keep.py COMMAND PORT [COUNT] is one client."""
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from kern import done, equal, listing, ok, processes, wait_for
from nginx import nginx_conf

TCP_PORT, SMC_PORT, CLOSE_PORT = 7100, 7101, 7102
SIZE = 20 << 20
MODE = "SMCR" if os.path.exists("/sys/class/infiniband/rxelo") else "SMCD"
# Tolerated delay in seconds. If a server waits for two clients in turn, the kernel takes two seconds for each.
MORE_THAN_TCP = 4.0
# Pause in seconds, longer than earlier versions of the library waited for unsent data.
PAUSE = 12
CLOSES = 2000

# Text for the server block of nginx's configuration.
SERVER = """
    listen 127.0.0.1:%d backlog=512; keepalive_timeout 0; send_timeout 2s;
    location /big { alias %s; }
    location /patient { alias %s; send_timeout 60s; }
    location /small { return 200 "hello"; }
"""


def ask(port, path):
    sock = socket.create_connection(("127.0.0.1", port), 120)
    sock.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
    return sock


def small(port):
    """Seconds until the answer was there."""
    start = time.monotonic()
    with ask(port, "/small") as sock:
        text = sock.makefile("rb").read()
    if not text.endswith(b"hello"):
        raise OSError("no answer: %r" % text)
    return time.monotonic() - start


def idle(port, count):
    """Many clients do not read, and the server drops all of them. Return: the longest time of a small answer meanwhile, and
    their number."""
    idlers = [ask(port, "/big") for _ in range(count)]
    worst, answers, end = 0.0, 0, time.monotonic() + 6
    while time.monotonic() < end:
        worst = max(worst, small(port))
        answers += 1
        time.sleep(0.02)  # leave processor time to others
    for sock in idlers:
        sock.close()
    return {"worst": worst, "answers": answers}


def patient(port):
    """A client that pauses before it reads, and again when the server has sent everything. Return: size and hash of the
    data."""
    with ask(port, "/patient") as sock:
        file = sock.makefile("rb")
        time.sleep(PAUSE)
        while file.readline() not in (b"\r\n", b""):
            pass
        data = file.read(SIZE - 100000)
        time.sleep(PAUSE)
        data += file.read()
    return {"size": len(data), "hash": hashlib.sha256(data).hexdigest()}


def fill(sock):
    """Fill the buffers of both ends. Return: number of bytes."""
    sock.setblocking(False)
    total = 0
    try:
        while True:
            total += sock.send(bytes(65536))
    except BlockingIOError:
        return total


def drain(listener, totals):
    """Read each connection, a moment after it was accepted."""
    while True:
        sock = listener.accept()[0]
        time.sleep(0.01)
        totals.append(sum(len(data) for data in iter(lambda s=sock: s.recv(1 << 20), b"")))
        sock.close()


def closes(port, count):
    """Open and close this many connections, every tenth with unsent data. Return: what remains in this process."""
    listener, got, sent = socket.create_server(("127.0.0.1", port), backlog=64), [], []
    threading.Thread(target=drain, args=(listener, got), daemon=True).start()
    signals = []
    signal.signal(signal.SIGCHLD, lambda *args: signals.append(args))
    before = len(os.listdir("/proc/self/fd"))
    for i in range(count):
        sock = socket.create_connection(("127.0.0.1", port), 60)
        sent.append(fill(sock) if i % 10 == 0 else sock.send(b"x"))
        sock.close()
    wait_for(lambda: len(got) == count)
    try:
        child = os.waitpid(-1, os.WNOHANG) != 0
    except ChildProcessError:
        child = False
    return {"fds": wait_for(lambda: len(os.listdir("/proc/self/fd")) == before) or "left", "child": child,
            "signals": len(signals), "complete": sorted(got) == sorted(sent)}


def client(prefix, *words):
    """Start this program as a client."""
    out = subprocess.run([*prefix, sys.executable, __file__, *map(str, words)], stdout=subprocess.PIPE,
                         text=True, timeout=600, check=False).stdout
    try:
        return json.loads(out)
    except ValueError:
        return {"worst": float("inf"), "answers": 0, "size": 0, "hash": None}


class Server:
    """nginx, and its clients, over one kind of socket."""

    def __init__(self, work, port, prefix=()):
        self.port, self.prefix, directory = port, prefix, os.path.join(work, str(port))
        os.mkdir(directory)
        conf = nginx_conf(directory, SERVER % (port, os.path.join(work, "big"), os.path.join(work, "big")))
        self.process = subprocess.Popen([*prefix, "nginx", "-c", conf], stderr=subprocess.DEVNULL)

    def __enter__(self):
        wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", self.port)) == 0)
        self.modes = self.stay()
        self.before = self.descriptors()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def client(self, command, *numbers):
        return client(self.prefix, command, self.port, *numbers)

    def stay(self):
        """Mode of a client's connection, which is closed before this returns."""
        with subprocess.Popen([*self.prefix, sys.executable, __file__, "stay", str(self.port)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            modes = [s["mode"] for s in listing("dport", "=", ":%d" % self.port)]
            process.communicate()
        return modes

    def descriptors(self):
        """Of the worker."""
        with open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid),
                  encoding="ascii") as file:
            return len(os.listdir("/proc/%s/fd" % file.read().split()[0]))


def stay(port):
    with socket.create_connection(("127.0.0.1", port), 20):
        print("connected", flush=True)
        sys.stdin.read()


def is_stopped(tcp, smc, count):
    """Do clients that do not read delay the answers to others? A server that waits for each of them stops for seconds."""
    there, here = tcp.client("idle", count), smc.client("idle", count)
    print("# %3d clients do not read: worst answer %.3f s over TCP (%d answers), %.3f s over SMC (%d)"
          % (count, there["worst"], there["answers"], here["worst"], here["answers"]), flush=True)
    return not there["answers"] or here["worst"] >= there["worst"] + MORE_THAN_TCP


def check_idle(tcp, smc):
    """Up to three attempts: a busy machine may delay an answer once; a server that waits delays it each time."""
    for count in (5, 100):
        ok(any(not is_stopped(tcp, smc, count) for _ in range(3)), "%d clients that do not read stop nobody" % count)


def check(tcp, smc, want):
    """While the patient clients pause, all others connect and leave."""
    equal((tcp.modes, smc.modes), ([], [MODE]), "who uses SMC")
    with ThreadPoolExecutor() as pool:
        there, here = pool.submit(tcp.client, "patient"), pool.submit(smc.client, "patient")
        closed = pool.submit(client, ["smc_run"], "closes", CLOSE_PORT, CLOSES)
        check_idle(tcp, smc)
        equal(there.result()["hash"], want, "TCP: who pauses for %d s twice gets 20 MB" % PAUSE)
        equal(here.result()["hash"], want, "SMC: so it is")
        equal(closed.result(), {"fds": True, "child": False, "signals": 0, "complete": True},
              "%d connections closed, each tenth with unsent data" % CLOSES)
    ok(wait_for(lambda: smc.descriptors() == smc.before, 30), "the server has no file descriptor left")


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        big = os.urandom(SIZE)
        with open(os.path.join(work, "big"), "wb") as file:
            file.write(big)
        os.chmod(work, 0o755)
        with Server(work, TCP_PORT) as tcp, Server(work, SMC_PORT, ["smc_run"]) as smc:
            check(tcp, smc, hashlib.sha256(big).hexdigest())
    ok(wait_for(lambda: not processes("smc_keep")), "smc_keep has gone", processes("smc_keep"))
    done()


if sys.argv[1:]:
    COMMANDS = {"idle": idle, "stay": stay, "closes": closes, "patient": patient}
    print(json.dumps(COMMANDS[sys.argv[1]](*map(int, sys.argv[2:]))))
else:
    main()
