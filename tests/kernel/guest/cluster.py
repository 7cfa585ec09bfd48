# SPDX-License-Identifier: MIT
"""A cluster of hosts, each connected with each other one over SMC-R, both ways: what the kernel makes of it, what the tools
show of it, and what is left if rails are pulled. Arguments: connections from a host to another one (default 3), and
"figures", which prints what it takes.

    lab/smc-lab cluster 40 --rails 2 -m 12G -t 3000 --fast build --fast tests/kernel/guest -- sh -c '
        PATH=$SMC_LAB_FAST/build:$PATH PYTHONPATH=tests python3 -B $SMC_LAB_FAST/guest/cluster.py 1 figures'
"""
import ctypes
import json
import os
import resource
import socket
import struct
import subprocess
import sys
import time

import genl
from kern import done, doc, equal, ok, out_of, read, wait_for

HOSTS, RAILS = int(os.environ["SMC_LAB_HOSTS"]), int(os.environ["SMC_LAB_RAILS"])
CONNECTIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
PORT, CLONE_NEWNET, AF_SMC = 7000, 0x40000000, 43
# Dumps of SMC's netlink family.
GROUPS, LINKS = 2, 3
# Most connections of a link group, and links of a pair of hosts.
GROUP = 255
libc = ctypes.CDLL(None, use_errno=True)


def note(text, *values):
    if "figures" in sys.argv:
        print("# " + text % values, flush=True)


def on_host(host):
    """Sockets that are made from now on belong to this host; 0 is the guest itself."""
    fd = os.open("/run/netns/host%d" % host if host else "/proc/1/ns/net", os.O_RDONLY)
    assert not libc.setns(fd, CLONE_NEWNET), ctypes.get_errno()
    os.close(fd)


def smc_socket():
    """Python has no addresses for AF_SMC, and the kernel expects those of AF_INET."""
    fd = socket.socket(AF_SMC, socket.SOCK_STREAM, 0).detach()
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fd)


def listeners():
    made = {}
    for host in range(1, HOSTS + 1):
        on_host(host)
        made[host] = smc_socket()
        made[host].bind(("0.0.0.0", PORT))
        made[host].listen(CONNECTIONS * HOSTS)
    return made


def is_smc(sock):
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_DOMAIN) == AF_SMC


def connect(server, listener, times):
    """Both ends of a connection. Now and then Soft-RoCE loses the first message of a link, and the kernel falls back to TCP
    after three seconds: try again."""
    for attempt in range(3):
        sock = smc_socket()
        begin = time.monotonic()
        sock.connect(("10.%d.0.%d" % (server, server), PORT))
        times.append(time.monotonic() - begin)
        peer = listener.accept()[0]
        if is_smc(sock):
            break
    return sock, peer, attempt


def connect_all(listening):
    """Both ends of all connections, and how long each client's connect() took: the first of a pair, and later ones."""
    ends, first, later, again = [], [], [], 0
    for client in range(1, HOSTS + 1):
        on_host(client)
        for server in range(1, HOSTS + 1):
            for i in range(CONNECTIONS if server != client else 0):
                sock, peer, attempts = connect(server, listening[server], later if i else first)
                ends.append((client, server, sock, peer))
                again += attempts
    on_host(0)
    return ends, sorted(first), sorted(later), again


def exchange(ends, seconds=20):
    """The connections that carry a message each way, and the longest time of one."""
    alive, longest = 0, 0
    timeout = struct.pack("ll", seconds, 0)
    for _, _, client, server in ends:
        begin = time.monotonic()
        try:
            for sock, peer in ((client, server), (server, client)):
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeout)
                sock.send(b"message")
                alive += peer.recv(100) == b"message"
        except OSError:
            pass
        longest = max(longest, time.monotonic() - begin)
    return alive / 2, longest


def kilobytes(name):
    return int(read("/proc/meminfo").split(name + ":")[1].split()[0])


def used():
    return (kilobytes("MemTotal") - kilobytes("MemAvailable")) / 1024


def queue_pairs():
    return sum("type RC" in line for line in out_of("rdma", "resource", "show", "qp").splitlines())


def planned():
    """Link groups, links and queue pairs: a client and a server have one each for 255 connections."""
    groups = 2 * HOSTS * (HOSTS - 1) * -(-CONNECTIONS // GROUP)
    return {"groups": groups, "links": groups * RAILS, "queue_pairs": groups * RAILS}


def found():
    return {"groups": len(doc("smcr", "-j", "linkgroup")["linkgroups"]),
            "links": len(doc("smcr", "-j", "linkgroup", "link-show")["links"]), "queue_pairs": queue_pairs()}


def cost(*argv):
    """Seconds of the processor, and the peak of memory in KiB."""
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    ok(status == 0, " ".join(argv), status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def bare_dump(command):
    """Seconds of the processor, and number of messages, of a dump that nobody decodes."""
    with genl.Family("SMC_GEN_NETLINK") as family:
        begin = time.process_time()
        count = family.dump(command)
        return time.process_time() - begin, count


def check_tools(ends):
    hosts = ["smc-lab-host", "1"]
    rows = json.loads(out_of(*hosts, "smcss", "-j"))["sockets"]
    equal([row["mode"] for row in rows].count("SMCR"), 2 * (HOSTS - 1) * CONNECTIONS,
          "smcss on host 1: its connections, and no other host's")
    totals = json.loads(out_of(*hosts, "smcr", "-ja", "stats"))["connections"]
    equal((totals["client_v2"], totals["server_v2"]), (len(ends) // HOSTS,) * 2, "smcr stats on host 1")
    peers = {row["peer"]["address"] for row in rows if row["state"] == "ACTIVE"}
    equal(len(peers), 2 * (HOSTS - 1), "smcss on host 1: every other host is a peer, as a server and as a client")
    for argv in (["smcss"], ["smcss", "-j"], ["smcr", "linkgroup"], ["smcr", "-j", "linkgroup", "link-show"],
                 ["smcr", "device"]):
        note("%s: %.3f s, %d KiB", " ".join(argv), *cost(*(hosts + argv if argv[0] == "smcss" else argv)))
    for what in (GROUPS, LINKS):
        note("bare dump %d: %.3f s, %d messages", what, *bare_dump(what))


def check_pulled(ends, pulled):
    """The first rail of these hosts goes away: with a second one every connection lives."""
    for host in pulled:
        out_of("smc-lab-host", str(host), "ip", "link", "set", "eth0", "down")
    begin = time.monotonic()
    alive, longest = exchange(ends)
    touched = sum(client in pulled or server in pulled for client, server, _, _ in ends)
    note("rail pulled on %d hosts: %d of %d connections live, %d had to move; longest exchange %.2f s, all %.1f s",
         len(pulled), alive, len(ends), touched, longest, time.monotonic() - begin)
    equal(alive, len(ends), "a rail pulled on %d host(s): every connection lives" % len(pulled))


def main():
    before = used()
    listening = listeners()
    begin = time.monotonic()
    ends, first, later, again = connect_all(listening)
    note("%d connections in %.1f s; connect(): first of a pair median %.3f s, longest %.3f s; later median %.3f s; "
         "%d fell back to TCP at first", len(ends), time.monotonic() - begin, first[len(first) // 2], first[-1],
         later[len(later) // 2] if later else 0, again)
    equal(sum(is_smc(sock) for end in ends for sock in end[2:]), 2 * len(ends), "every end is SMC")
    equal(exchange(ends)[0], len(ends), "every connection carries messages both ways")
    ok(wait_for(lambda: found() == planned()), "link groups, links and queue pairs as planned", (found(), planned()))
    note("%d hosts, %d rails, %d connections: %s; %.0f MiB, %d descriptors", HOSTS, RAILS, len(ends), found(),
         used() - before, len(os.listdir("/proc/self/fd")))
    check_tools(ends)
    if RAILS > 1:
        for count in sorted({1, min(10, HOSTS), HOSTS}):
            check_pulled(ends, range(1, count + 1))
    done()


resource.setrlimit(resource.RLIMIT_NOFILE, (1000000, 1000000))
main()
