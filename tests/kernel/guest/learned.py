# SPDX-License-Identifier: MIT
"""Destinations with connections too short for SMC go to TCP: within a process, from one process to the next, and back."""
import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time

from kern import done, equal, ok, run
from terminal import on_terminal

SYS_GETSOCKOPT = {"x86_64": 55, "s390x": 365, "aarch64": 209}[os.uname().machine]
SO_PROTOCOL, PORT = 38, 7100
ME = os.path.abspath(__file__)
SOME_USER, OTHER_USER = 1234, 1235
LIBC = ctypes.CDLL(None)


def is_smc(sock):
    """Uses a system call: the library hides it. A connection that fell back has a TCP socket."""
    value, size = ctypes.c_int(-1), ctypes.c_uint(4)
    ctypes.CDLL(None).syscall(SYS_GETSOCKOPT, sock.fileno(), socket.SOL_SOCKET, SO_PROTOCOL, ctypes.byref(value), ctypes.byref(size))
    return value.value != socket.IPPROTO_TCP


def serve():
    """One thread for each client: some stay."""
    with socket.create_server(("127.0.0.1", PORT), backlog=64) as listener:
        print("ready", flush=True)
        while True:
            threading.Thread(target=answer, args=listener.accept()).start()


def answer(conn, _):
    with conn:
        while data := conn.recv(64):
            conn.sendall(data)


def live(seconds):
    """A connection in use for a while; every second one by a non-blocking connect()."""
    with socket.socket() as sock:
        sock.settimeout(60 if live.count % 2 else None)
        live.count += 1
        sock.connect(("127.0.0.1", PORT))
        end = time.monotonic() + seconds
        while True:
            sock.sendall(b"x" * 64)
            sock.recv(64)
            if time.monotonic() >= end:
                return "s" if is_smc(sock) else "t"


def client(count, seconds):
    live.count = 0
    print("".join(live(seconds) for _ in range(int(count))))


def helpers(count):
    """Open connections, and start a program after each; the child process closes its copies of the descriptors before exec."""
    kept = []
    for _ in range(count):
        kept.append(socket.create_connection(("127.0.0.1", PORT)))
        subprocess.run(["true"], check=True)
    print("".join("s" if is_smc(sock) else "t" for sock in kept))


def refused(count):
    for _ in range(count):
        with socket.socket() as sock:
            sock.settimeout(60)
            if sock.connect_ex(("127.0.0.1", PORT)) == 0:
                sock.sendall(b"x")
    print()


def sandbox(*argv):
    """Start a program with a filter that allows everything."""
    allow = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7fff0000))
    program = ctypes.create_string_buffer(struct.pack("@HP", 1, ctypes.addressof(allow)))
    if ctypes.CDLL(None).prctl(22, 2, program):
        sys.exit("no filter")
    os.execvp(argv[0], argv)


def take(key, size, mode):
    """Create shared memory with this key."""
    if LIBC.shmget(key, ctypes.c_size_t(size), 0o3000 | mode) < 0:
        sys.exit("no shared memory")


ROLES = {"serve": serve, "client": client, "helpers": helpers, "refused": refused}
if sys.argv[1:2] == ["sandbox"]:
    sandbox(*sys.argv[2:])
if sys.argv[1:2] == ["take"]:
    take(*map(int, sys.argv[2:]))
    sys.exit()
if len(sys.argv) > 1:
    PORT = int(sys.argv[2])
    ROLES[sys.argv[1]](*map(float if sys.argv[1] == "client" else int, sys.argv[3:]))
    sys.exit()

del os.environ["SMC_LEARN"]


def program(role, *args, options=(), prefix=(), env=None):
    status, out, err = run(*prefix, "smc_run", *options, "--", sys.executable, "-B", ME, role, *map(str, args), env=env)
    if status or err:
        ok(False, role, (status, err))
    return out.strip()


def clients(count, *options, seconds=0.0, **how):
    """Open connections in one process. Return: a letter for each, s for SMC or t for TCP."""
    return program("client", PORT, count, seconds, options=options, **how)


def as_user(number):
    return "setpriv", "--reuid=%d" % number, "--regid=%d" % number, "--clear-groups"


def learned(prefix=(), port=PORT):
    status, out, err = run(*prefix, "smcss", "--learned", "-j")
    equal((status, err), (0, ""), "smcss --learned -j")
    return [entry for entry in json.loads(out)["destinations"] if entry["port"] == port]


def start_server(port):
    server = subprocess.Popen(["smc_run", "--no-learn", sys.executable, "-B", ME, "serve", str(port)], stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    return server


server = start_server(PORT)

# Durations depend on the clock: on a busy machine some are long. So no count is exact.
text = on_terminal(["smcss", "--learned"])[1]
ok(text.startswith("smcss: no destination") and text.count("\n") == 1, "nothing is known yet", text)
first = clients(150)
ok(first.startswith("s" * 8), "new destinations use SMC", first)
ok(first[20:].count("t") > 65, "most connections use TCP after that", first)
ok("t" in clients(8, env={"SMC_LEARN": "1"}), "the next process knows it")
entries = learned()
equal([(entry["address"], entry["uses"], entry.get("why"), entry["user"]) for entry in entries], [("127.0.0.1", "TCP", "short", 0)], "it is listed")
ok(entries[0]["connections"] >= 158, "with all connections", entries)
ok(run("smcss", "-s")[1].endswith("1 destination uses TCP by choice: smcss --learned\n"), "smcss -s names it")
ok("1, see smcss --learned" in run("smc_chk")[1], "as does the doctor")
out = run("smc_run", "-d", "--", sys.executable, "-B", ME, "client", str(PORT), "3", "0")[2]
ok("connections there are too short for SMC -> TCP" in out, "and smc_run -d", out)

for options, env in ((["--no-learn"], {}), (["--strict"], {}), (["--raw"], {}), (["--include", str(PORT)], {}), ([], {"SMC_LEARN": "0"})):
    equal(clients(4, *options, env=env), "ssss", "not with %s" % (options or env))

# A long connection, over TCP here, and SMC is back. One of 16 is measured.
handshake = learned()[0]["handshake_us"] / 1e6
clients(16, seconds=200 * handshake)
equal(clients(8), "s" * 8, "one long life brings SMC back")
equal([entry["uses"] for entry in learned()], ["SMC"], "which is listed, too")

# ---- no durations ----

other = start_server(PORT + 1)
equal(program("helpers", PORT + 1, 20), "s" * 20, "descriptors that a child closes before exec are no ends")
equal([entry["uses"] for entry in learned(port=PORT + 1)], ["SMC"], "nor are they later")
other.terminate()
other.wait()
program("refused", PORT + 1, 40)
equal([entry["uses"] for entry in learned(port=PORT + 1)], ["SMC"], "connections that are refused are no short ones")

# ---- the memory ----

def segments(user):
    """Key, number, mode and size of each."""
    with open("/proc/sysvipc/shm", encoding="ascii") as file:
        rows = [[int(word) for word in line.split()] for line in file.readlines()[1:]]
    return [row[:4] for row in rows if row[7] == user]


[(_, number, mode, size)] = segments(0)
equal((mode, size), (600, 65538), "one segment for the user, which is the user's own")
ok("t" in clients(40, prefix=as_user(SOME_USER)) and len(segments(SOME_USER)) == 1, "another user has a segment of his own")
equal(len(learned(as_user(OTHER_USER))), 0, "and sees no other one")
equal(sorted(entry["user"] for entry in learned()), [0, SOME_USER], "but root sees all")

# Keys taken by others, before the user's programs: another key is used.
for words in ((size, 0o666), (1, 0o666), (size, 0o600), (2 * size, 0o600)):
    [(key, own, _, _)] = segments(SOME_USER)
    LIBC.shmctl(own, 0, None)
    status, out, err = run(*as_user(OTHER_USER), sys.executable, "-B", ME, "take", str(key), *map(str, words))
    equal((status, err), (0, ""), "another user takes the key")
    got = clients(40, prefix=as_user(SOME_USER))
    ok("t" in got and got.startswith("s" * 8), "a key with size %d and mode %o: the process learns" % words, got)
    clients(8, prefix=as_user(SOME_USER))
    equal([(entry["user"], entry["connections"]) for entry in learned(as_user(SOME_USER))], [(SOME_USER, 48)], "shared with the next process")
    for _, taken, _, _ in segments(OTHER_USER):
        LIBC.shmctl(taken, 0, None)

sandboxed = sys.executable, "-B", ME, "sandbox"
got = clients(40, prefix=sandboxed)
ok("t" in got and got.startswith("s" * 8) and clients(8, prefix=sandboxed) == "s" * 8, "in a sandbox each process learns for itself", got)

# Garbage of the user's own: never more than a wrong choice.
LIBC.shmat.restype = ctypes.c_void_p
ctypes.memset(LIBC.shmat(number, None, 0), 1, size)
ok(set(clients(20)) <= set("st"), "garbage", None)
status, out, err = run("smcss", "--learned")
equal((status, err), (0, ""), "garbage is listed")
server.terminate()
server.wait()
done()
