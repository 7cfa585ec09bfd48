# SPDX-License-Identifier: MIT
"""Sizes of the buffers of SMC connections under smc_run: the default, its limits, and overrides."""
import json
import os
import socket
import sys

from kern import done, equal, ok, out_of, read, run, write

KIB = 1024
# Connects to itself or to a port, prints receive buffer and locks (SO_BUF_LOCK) of the client, as the kernel counts.
PROGRAM = """
import socket, sys
port, own = int(sys.argv[1]), int(sys.argv[2])
listener, client = socket.socket(), socket.socket()
if own:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, own)
listener.bind(("127.0.0.1", 0))
listener.listen()
client.connect(("127.0.0.1", port) if port else listener.getsockname())
server = None if port else listener.accept()[0]
print(*[s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2 for s in (client, server) if s],
      client.getsockopt(socket.SOL_SOCKET, 72))
"""
# A listener and its client over TCP. Prints protocol and locked buffer sizes of the accepted socket.
SERVER = """
import socket, subprocess, sys
listener = socket.socket()
if int(sys.argv[1]):
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(sys.argv[1]))
listener.bind(("127.0.0.1", 0))
listener.listen()
client = subprocess.Popen(["env", "-u", "LD_PRELOAD", "python3", "-c", "import socket, sys; "
                           "s = socket.create_connection(('127.0.0.1', %d)); s.recv(1)" % listener.getsockname()[1]])
server = listener.accept()[0]
print(server.getsockopt(socket.SOL_SOCKET, socket.SO_PROTOCOL), server.getsockopt(socket.SOL_SOCKET, 72))
client.kill()
"""
# Connections of a program to itself. Prints the receive buffers of the first client, the last client, and the last
# accepted socket.
MANY = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
ends = []
for _ in range(int(sys.argv[1])):
    client = socket.socket()
    client.connect(listener.getsockname())
    ends += [client, listener.accept()[0]]
print(*[s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2 for s in (ends[0], ends[-2], ends[-1])])
"""
USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
UNLIMITED = ("sh", "-c", 'ulimit -n "$(ulimit -Hn)" && exec "$@"', "sh")


def knob(name, value):
    """Set a sysctl. Return: its previous value."""
    old = read("/proc/sys/net/" + name).strip()
    write("/proc/sys/net/" + name, str(value))
    return old


def sizes(*options, port=0, own=0, before=(), env=None):
    """Buffer sizes of a client and its server, and which are locked (SO_BUF_LOCK)."""
    status, out, err = run(*before, "smc_run", *options, "/usr/bin/python3", "-c", PROGRAM, str(port), str(own), env=env)
    return [int(word) for word in out.split()] if not status and not err else (status, out, err)


def test_default():
    large, limit = 512 * KIB, 256 * KIB  # 212992, the kernel's limit, is rounded up
    equal(sizes(), [large, large, 0], "both ends have 512 KiB, and nothing is locked")
    equal(sizes("--family=inet"), [large, large, 0], "sockets of IPPROTO_SMC, too")
    equal(sizes(before=USER), [limit, limit, 0], "without rights it stays below net.core.rmem_max, silently")
    equal(sizes("--seccomp"), [limit, 64 * KIB, 0], "by a supervisor, which has no rights and no say at listen()")
    equal(sizes("-r", "0", "-t", "0"), [64 * KIB, 64 * KIB, 0], "size 0 is the kernel's own")
    equal(sizes("-r", "128K"), [128 * KIB, 128 * KIB, 0], "an option is more than the default")
    equal(sizes(env={"SMC_RCVBUF": "32K"}), [32 * KIB, 32 * KIB, 0], "so is the variable")
    equal(sizes(own=16 * KIB), [16 * KIB, large, 2], "the program's own size wins, and is locked")


def test_fallback():
    """After a fallback, TCP has its own sizes, not those meant for SMC."""
    with socket.create_server(("127.0.0.1", 0)) as plain:
        port = plain.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            tcp = client.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2
        equal(sizes(port=port), [tcp, 0], "after a fallback TCP has its own size, which it may change")
        equal(sizes("-r", "1M", port=port), [tcp, 0], "also if a size was asked for")


def test_server():
    equal(run("smc_run", "/usr/bin/python3", "-c", SERVER, "0"), (0, "6 0\n", ""), "nothing is locked for clients over TCP")
    equal(run("smc_run", "/usr/bin/python3", "-c", SERVER, "65536"), (0, "6 2\n", ""), "but what the program set on its listener")


def linkgroups():
    return json.loads(out_of("smcd", "-j", "linkgroup"))["linkgroups"]


def test_many(count=1000):
    equal(sizes(before=UNLIMITED), [512 * KIB, 64 * KIB, 0], "a listener of a program that may have many descriptors: the kernel's")
    equal(sizes("--seccomp", before=UNLIMITED), [64 * KIB, 64 * KIB, 0], "nor does a supervisor set any for it")
    held_by_many(count)


def held_by_many(count):
    """An ordinary user with the maximum number of descriptors; memory that the kernel keeps afterwards."""
    before = sum(group["dmb_bytes"] for group in linkgroups())
    status, out, err = run(*UNLIMITED, *USER, "smc_run", "/usr/bin/python3", "-c", MANY, str(count))
    ok(not status and out.split() == [str(size * KIB) for size in (256, 64, 64)],
       "many connections: the first ones have large buffers, later ones and those of the listener the kernel's", (status, out, err))
    groups = linkgroups()
    held = sum(group["dmb_bytes"] for group in groups) - before
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    ok(held < memory / 16 * 1.25 + 2 * count * 64 * KIB < 2 * count * 256 * KIB,
       "they take a sixteenth of the memory at most, beside the kernel's buffers", (held, memory))
    ok(held > count * 64 * KIB and not sum(group["connections"] for group in groups), "which stays when they have ended", groups)


def test_administrator():
    old = knob("smc/rmem", 128 * KIB)
    equal(sizes(), [128 * KIB, 128 * KIB, 0], "net.smc.rmem that somebody has set is left alone")
    knob("smc/rmem", old)
    old = knob("core/rmem_max", 64 * KIB)
    equal(sizes(before=USER), [64 * KIB, 64 * KIB, 0], "where the limit is 64 KiB, nothing is set")
    knob("core/rmem_max", old)


def main():
    test_default()
    test_fallback()
    test_server()
    test_administrator()
    test_many()
    done()


sys.exit(main())
