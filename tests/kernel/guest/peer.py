# SPDX-License-Identifier: MIT
"""Two guests over Soft-RoCE, guest 1 has the clients: the server's guest dies, or the RDMA port goes down and up. Before it
dies it reads, late, data that was unsent when its programs ended.
usage: peer.py dies | peer.py port CONNECTIONS, for each program"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

from kern import IPPROTO_SMC, NODE, doc, done, listing, ok, out_of, processes, sync, wait_for, write
from traffic import BROKEN, KINDS, SMC, TCP, Load, Way, complaints, errors, lost, smc_connections, start, stuck, words

PEER = os.environ["SMC_LAB_PEER_IP"]
PORTS = {(way, kind): 7400 + i for i, (way, kind) in enumerate((way, kind) for way in (TCP, SMC) for kind in KINDS)}
# Broken connections after which the guest counts as dead: then the clients stop.
ENOUGH = 16
# End of a connection after the peer's death: TCP gives up, its neighbour is not found; SMC's link breaks.
GONE = {"connect ETIMEDOUT", "connect EHOSTUNREACH", "receive ETIMEDOUT", "receive EHOSTUNREACH", "send ETIMEDOUT",
        "connect ENETUNREACH", "send EHOSTUNREACH", "send ENETUNREACH"}
ENDED = GONE | BROKEN

# Three ways to leave unsent data to the kernel; the reader's socket is TCP or SMC.
LEAVES = ["unsent_" + how for how in ("exit", "exec", "close")]
RAW = Way(("smc_run", "--raw", "--quiet"))
WRITERS = {7500 + i: (way, leave) for i, (way, leave) in enumerate((w, x) for w in (TCP, SMC, RAW) for x in LEAVES)}
READ = os.path.join(os.environ["SMC_LAB_SHARED"], "read")


def read_late():
    """Guest 2: when the writers have ended, and the kernel has given up what is left of them."""
    listeners = {}
    for port, (way, _) in WRITERS.items():
        listeners[port] = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC if way.prefix else 0)
        listeners[port].bind(("0.0.0.0", port))
        listeners[port].listen()
    sync("listening")
    peers = {port: listener.accept()[0] for port, listener in listeners.items()}
    sync("left")
    got = {}
    for port, peer in peers.items():
        got[port] = 0
        try:
            for data in iter(lambda p=peer: p.recv(1 << 20), b""):
                got[port] += len(data)
        except ConnectionError:
            pass
        peer.close()
    with open(READ, "w", encoding="ascii") as file:
        json.dump(got, file)
    sync("read")


def unsent():
    """Programs that exit at once with full buffers: their peer, on another host, gets everything."""
    sync("listening")
    before = smc_connections()
    writers = {port: subprocess.Popen([*way.prefix, "twin", "-w", PEER, str(port), leave], stdout=subprocess.PIPE)
               for port, (way, leave) in WRITERS.items()}
    sent = {port: int(writer.communicate()[0] or -1) for port, writer in writers.items()}
    made = smc_connections() - before
    ok(made == 2 * len(LEAVES), "unsent data: the writers under smc_run use SMC", made)
    time.sleep(2.5)
    sync("left")
    sync("read")
    with open(READ, encoding="ascii") as file:
        got = {int(port): count for port, count in json.load(file).items()}
    for port, (way, leave) in WRITERS.items():
        if way is not RAW:
            ok(got[port] == sent[port] > 100000, "%s, %s: all of it arrives at another host"
               % ("TCP" if way is TCP else "SMC", leave), (sent[port], got[port]))
    ok(any(got[port] < sent[port] for port, (way, _) in WRITERS.items() if way is RAW), "--raw: not all of it arrives", (sent, got))


def serve(work):
    """Guest 2: all servers, until the end, or a power failure."""
    if sys.argv[1] == "dies":
        read_late()
    servers = [start(key[1], port, work, key[0]) for key, port in PORTS.items()]
    sync("up")
    sync("end")
    if sys.argv[1] == "port":
        for server in servers:
            server.end()
        return
    # The lab takes this for this guest's result.
    write("/run/smc-lab/host/2/status", "0\n")
    subprocess.run(["sync"], check=True)
    write("/proc/sysrq-trigger", "b")


def begin(count, options=()):
    return {key: Load((key[1], PEER, port), count, key[0], options) for key, port in PORTS.items()}


def tell(fault, kind, smc, tcp):
    print("# %-27s %-6s %6d %7.1f  %-40s  %s" % (fault, kind, smc.get("tried", 0), smc.get("bytes", 0) / 1e6,
          words(tcp), words(smc)), flush=True)


def port_down(count):
    """TCP waits until the port is up again; SMC-R connections may break, but with an error."""
    loads, downs = begin(count), 0
    while any(load.process.poll() is None for load in loads.values()) and downs < 100:
        time.sleep(0.5)
        out_of("ip", "link", "set", "eth0", "down")
        time.sleep(0.2)
        out_of("ip", "link", "set", "eth0", "up")
        downs += 1
        # Long enough for a new link group.
        time.sleep(4)
    counts = {key: load.end() for key, load in loads.items()}
    for kind in KINDS:
        smc, tcp = counts[SMC, kind], counts[TCP, kind]
        tell("the RDMA port goes", kind, smc, tcp)
        ok("tried" in smc and smc["tried"] == count, "port down, %s: nothing hangs" % kind, (smc, tcp))
        ok(not {"wrong", "extra"} & set(lost(smc)), "port down, %s: no byte is wrong or there twice" % kind, smc)
        ok(set(errors(smc)) <= ENDED | set(errors(tcp)), "port down, %s: errors say that the connection broke" % kind, smc)
        ok(smc.get("whole", 0) > count / 2, "port down, %s: it goes on afterwards" % kind, smc)
    ok(downs, "the port went down")


def peer_dies():
    before = smc_connections()
    loads = begin(10 ** 9, ("-t", "20", "-f", str(ENOUGH)))
    ok(wait_for(lambda: smc_connections() > before + 10, 120), "connections over SMC", smc_connections() - before)
    sync("end")
    counts = {key: load.end() for key, load in loads.items()}
    for kind in KINDS:
        smc, tcp = counts[SMC, kind], counts[TCP, kind]
        tell("the peer's guest dies", kind, smc, tcp)
        ok("tried" in smc and "tried" in tcp, "peer dies, %s: nothing hangs" % kind, (smc, tcp, stuck()))
        # A reset by the kernel may read as an end of file: "Resets" in af_smc(7).
        ok(not {"wrong", "extra"} & set(lost(smc)), "peer dies, %s: no byte is wrong or there twice" % kind, smc)
        ok(smc.get("whole") and set(errors(smc)) <= ENDED, "peer dies, %s: errors say that the connection broke" % kind, smc)
        ok(set(errors(tcp)) <= GONE, "peer dies, %s: TCP's own errors" % kind, tcp)


def main(case, count):
    before = complaints()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        os.chmod(work, 0o755)
        if NODE == 2:
            return serve(work)
        if case == "dies":
            unsent()
        sync("up")
        print("# %-27s %-6s %6s %7s  %-40s  %s" % ("fault", "", "conns", "MB", "errors over TCP", "over SMC"))
        if case == "dies":
            peer_dies()
        else:
            port_down(count)
            sync("end")
    ok(wait_for(lambda: not listing("-a"), 120), "no SMC socket is left", (listing("-a"), stuck()))
    ok(wait_for(lambda: not processes("smc_keep"), 120), "smc_keep has ended", processes("smc_keep"))
    if case == "dies":
        ok(wait_for(lambda: not doc("smcr", "-j", "linkgroup")["linkgroups"], 120), "no link group is left",
           doc("smcr", "-j", "linkgroup"))
    new = [line for line in complaints() if line not in before]
    ok(not new, "the kernel does not complain", "\n".join(new[:20]))
    return done()


main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 0)
