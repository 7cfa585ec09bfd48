# SPDX-License-Identifier: MIT
"""An event loop with clients that do not read, beside the same over TCP: nobody waits for them, and
who reads after all gets everything. Each number is compared with TCP's in the same run."""
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

from kern import done, equal, listing, ok, processes, wait_for
from nginx import nginx_conf

PORT = 7100
SIZE = 20 << 20
# Seconds. The kernel's own wait is two for each of them, one after the other.
MORE_THAN_TCP = 4.0
# Longer than anything waited for unsent data once.
PAUSE = 12
CLOSES = 2000

# In the braces of nginx's server.
SERVER = """
    listen 127.0.0.1:%d backlog=512; keepalive_timeout 0; send_timeout 2s;
    location /patient { alias %s/big; send_timeout 60s; }
    location /small { return 200 "hello"; }
"""


def ask(path):
    sock = socket.create_connection(("127.0.0.1", PORT), 120)
    sock.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
    return sock


def small():
    """Seconds until the answer was there."""
    start = time.monotonic()
    with ask("/small") as sock:
        text = sock.makefile("rb").read()
    if not text.endswith(b"hello"):
        raise OSError("no answer: %r" % text)
    return time.monotonic() - start


def idle(count):
    """Clients that do not read, until the server has dropped all of them: the worst small answer."""
    idlers = [ask("/big") for _ in range(count)]
    worst, answers, end = 0.0, 0, time.monotonic() + 6
    while time.monotonic() < end:
        worst = max(worst, small())
        answers += 1
    for sock in idlers:
        sock.close()
    return {"worst": worst, "answers": answers}


def patient():
    """Pauses at the start, and when the server has given all away: hash of what it got."""
    with ask("/patient") as sock:
        file = sock.makefile("rb")
        time.sleep(PAUSE)
        while file.readline() not in (b"\r\n", b""):
            pass
        data = file.read(SIZE - 100000)
        time.sleep(PAUSE)
        data += file.read()
    return {"size": len(data), "hash": hashlib.sha256(data).hexdigest()}


def fill(sock):
    """All that the two buffers take."""
    sock.setblocking(False)
    total = 0
    try:
        while True:
            total += sock.send(bytes(65536))
    except BlockingIOError:
        return total


def drain(listener, totals):
    """Lets each connection wait a moment for its reader."""
    while True:
        sock = listener.accept()[0]
        time.sleep(0.01)
        totals.append(sum(len(data) for data in iter(lambda s=sock: s.recv(1 << 20), b"")))
        sock.close()


def closes(count):
    """So many connections, each tenth with unsent data: what is left of them in this process."""
    listener, got, sent = socket.create_server(("127.0.0.1", PORT + 1), backlog=64), [], []
    threading.Thread(target=drain, args=(listener, got), daemon=True).start()
    signals = []
    signal.signal(signal.SIGCHLD, lambda *args: signals.append(args))
    before = len(os.listdir("/proc/self/fd"))
    for i in range(count):
        sock = socket.create_connection(("127.0.0.1", PORT + 1), 60)
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
    """This program again, as a client."""
    out = subprocess.run([*prefix, sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True,
                         timeout=600, check=False).stdout
    try:
        return json.loads(out)
    except ValueError:
        return {"worst": float("inf"), "answers": 0, "size": 0, "hash": None}


class Server:
    def __init__(self, work, prefix):
        conf = nginx_conf(work, SERVER % (PORT, work))
        self.process = subprocess.Popen([*prefix, "nginx", "-c", conf], stderr=subprocess.DEVNULL)

    def __enter__(self):
        wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", PORT)) == 0)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def descriptors(self):
        """Of the worker."""
        with open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid),
                  encoding="ascii") as file:
            return len(os.listdir("/proc/%s/fd" % file.read().split()[0]))


def serve(work, prefix):
    """Both numbers of idle clients, and a patient one, for one kind of socket."""
    with Server(work, prefix) as server:
        client(prefix, "idle", "0")
        before = server.descriptors()
        result = {count: client(prefix, "idle", str(count)) for count in (5, 100)}
        result["patient"] = client(prefix, "patient")
        result["left"] = wait_for(lambda: server.descriptors() == before, 30)
    return result


def is_smc():
    """Whether a client under smc_run really talks SMC to the server under smc_run."""
    with subprocess.Popen(["smc_run", sys.executable, __file__, "stay"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        modes = wait_for(lambda: [s["mode"] for s in listing("dport", "=", ":%d" % PORT)], 5)
        process.stdin.close()
    return modes


def stay():
    with socket.create_connection(("127.0.0.1", PORT), 20):
        print("connected", flush=True)
        sys.stdin.read()


def check(tcp, smc, want):
    for count in (5, 100):
        print("# %3d clients do not read: worst answer %.3f s over TCP (%d answers), %.3f s over SMC (%d)"
              % (count, tcp[count]["worst"], tcp[count]["answers"], smc[count]["worst"],
                 smc[count]["answers"]), flush=True)
        ok(tcp[count]["answers"] and smc[count]["worst"] < tcp[count]["worst"] + MORE_THAN_TCP,
           "%d clients that do not read stop nobody" % count, smc[count])
    equal(tcp["patient"]["hash"], want, "TCP: who pauses for %d s twice gets 20 MB" % PAUSE)
    equal(smc["patient"]["hash"], want, "SMC: so it is")
    ok(smc["left"], "the server has no file descriptor left")


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        big = os.urandom(SIZE)
        with open(os.path.join(work, "big"), "wb") as file:
            file.write(big)
        os.chmod(work, 0o755)
        tcp = serve(work, [])
        with Server(work, ["smc_run"]):
            print("# over %s" % is_smc())
        smc = serve(work, ["smc_run"])
        check(tcp, smc, hashlib.sha256(big).hexdigest())
    equal(client(["smc_run"], "closes", str(CLOSES)),
          {"fds": True, "child": False, "signals": 0, "complete": True},
          "%d connections closed, each tenth with unsent data" % CLOSES)
    ok(wait_for(lambda: not processes("smc_keep")), "smc_keep has gone", processes("smc_keep"))
    done()


if sys.argv[1:]:
    {"idle": lambda: print(json.dumps(idle(int(sys.argv[2])))), "stay": stay,
     "closes": lambda: print(json.dumps(closes(int(sys.argv[2])))),
     "patient": lambda: print(json.dumps(patient()))}[sys.argv[1]]()
else:
    main()
