# SPDX-License-Identifier: MIT
"""smc_conf drain and undrain: clients of redis and PostgreSQL that reconnect go on over TCP without a failed request, the module can
be unloaded, and afterwards there is SMC again. With Soft-RoCE also for one device.
usage: drain.py CONNECTIONS_TO_REDIS CONNECTIONS_TO_POSTGRESQL"""
import glob
import os
import re
import signal
import subprocess
import sys

import smcsock
from kern import NOBODY, Lines, by_inode, done, equal, listens, listing, ok, out_of, read, refuses, run, skip, wait_for, write

FILE = "/etc/smc-tools/drained"
REDIS, POSTGRESQL, PORT = 6379, 5432, 7300
PGDATA = "/run/pgdata"
AS_POSTGRES = ("setpriv", "--reuid=986", "--regid=986", "--clear-groups")
NET = "127.9.0.0/16"
NOTE = r"^smc_conf: drained.*: %s\n$"
# Each request is repeated once on a new connection. Reports rounds, and what failed twice.
# usage: redis NUMBER | postgresql NUMBER
CLIENT = """
import socket, struct, sys
made = {}
def message(kind, text):
    return kind + struct.pack(">I", len(text) + 4) + text
def answer(sock):
    \"""Up to ReadyForQuery: what has come.\"""
    text = b""
    while not text.endswith(b"Z\\0\\0\\0\\5I"):
        more = sock.recv(4096)
        if not more:
            raise OSError(text)
        text += more
    return text
class redis:
    port = %d
    def begin(sock):
        pass
    def ask(sock):
        sock.sendall(b"PING\\r\\n")
        return sock.recv(7, socket.MSG_WAITALL) == b"+PONG\\r\\n"
class postgresql:
    port = %d
    def begin(sock):
        sock.sendall(message(b"", struct.pack(">I", 196608) + b"user\\0postgres\\0\\0"))
        answer(sock)
    def ask(sock):
        sock.sendall(message(b"Q", b"SELECT 6 * 7\\0"))
        return b"\\0\\0\\0\\00242" in answer(sock)
server = globals()[sys.argv[1]]
def ask(number):
    if number not in made:
        made[number] = socket.create_connection(("127.0.0.1", server.port))
        server.begin(made[number])
    if not server.ask(made[number]):
        raise OSError("another answer")
while True:
    for number in range(int(sys.argv[2])):
        try:
            ask(number)
        except OSError:
            made.pop(number).close()
            try:
                ask(number)
            except OSError as error:
                print("failed", number, error, flush=True)
    print("round", flush=True)
""" % (REDIS, POSTGRESQL)


def modes(*ports):
    """Of the clients' connections to each of the servers."""
    return [sorted({s["mode"] for s in listing("state", "active", "and", "dport", "=", ":%d" % port)} or
                   {s["mode"] for s in listing("dport", "=", ":%d" % port)}) for port in ports]


def mode(address="127.0.0.1"):
    """Of a new connection."""
    with smcsock.smc_listener(PORT, "0.0.0.0") as listener, smcsock.smc_client(PORT, address) as client:
        smcsock.accept(listener).close()
        return by_inode(os.fstat(client.fileno()).st_ino)["mode"]


def smc_run(*argv):
    return subprocess.Popen(["smc_run", *argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_redis():
    redis = smc_run("redis-server", "--port", str(REDIS), "--save", "", "--maxclients", "1000")
    wait_for(lambda: listens(REDIS))
    return redis


def start_postgresql():
    bin_dir = glob.glob("/usr/lib/postgresql/*/bin")[0]
    if not os.path.exists(PGDATA):
        write("/etc/passwd", "postgres:x:986:986::/run:/bin/sh\n", "a")
        os.mkdir(PGDATA, 0o700)
        os.chown(PGDATA, 986, 986)
        out_of(*AS_POSTGRES, bin_dir + "/initdb", "-D", PGDATA, "-U", "postgres", "-A", "trust", "--locale=C", "--no-sync")
    postgresql = smc_run(*AS_POSTGRES, bin_dir + "/postgres", "-D", PGDATA, "-k", "", "-h", "127.0.0.1", "-N", "300", "-F")
    wait_for(lambda: listens(POSTGRESQL))
    return postgresql


# Port of the server, its start, the client's name of it, and how programs of the server are called.
SERVERS = (REDIS, start_redis, "redis", "redis-server"), (POSTGRESQL, start_postgresql, "postgresql", "postgres")


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait()


def ask(server, count):
    return Lines("smc_run", "python3", "-uc", CLIENT, server[2], str(count))


def rounds(clients, count=2):
    """Wait for whole rounds from now on."""
    wants = [client.all.count("round\n") + count for client in clients]
    return wait_for(lambda: all(client.all.count("round\n") >= want for client, want in zip(clients, wants)), 300)


def check_apply(what, address, name):
    status, out, err = run("smc_conf", "apply")
    ok((status, out, mode(address)) == (0, "", "TCP") and re.match(NOTE % what, err), name, (status, out, err))


def check_words():
    for argv, pattern in ((("drain", "nothing9"), "nothing9"), (("drain", "10.0.0.0/99"), "10.0.0.0/99"), (("drain", 'a"b'), "cannot drain"),
                          (("undrain", "10.1.1.1"), "not drained"), (("undrain", "--kill"), "only for"), (("drain", "a", "b"), "'b'")):
        refuses(("smc_conf", *argv), pattern, "refused: " + " ".join(argv))
    refuses((*NOBODY, "smc_conf", "drain", NET), "CAP_NET_ADMIN", "refused without rights")
    equal((os.path.exists(FILE), mode() != "TCP"), (False, True), "and nothing was changed")


def check_network():
    normal = mode("127.9.0.1")
    equal(run("smc_conf", "drain", NET), (0, "0 SMC connections left\n", ""), "a network is drained")
    equal((mode("127.9.0.1"), mode()), ("TCP", normal), "new connections with it use TCP, others do not")
    out_of("nft", "flush", "ruleset")
    equal(mode("127.9.0.1"), normal, "a flush of the ruleset ends this")
    check_apply(NET, "127.9.0.1", "the boot unit's command renews it")
    equal(out_of("smc_conf", "undrain", NET), "", "undrain")
    equal((mode("127.9.0.1"), os.path.exists(FILE)), (normal, False), "then all is as before")


def check_device():
    if not os.path.isdir("/sys/class/infiniband/rxelo"):
        skip("one device", "it needs Soft-RoCE")
        return
    for device in "rxelo", "lo":
        with smcsock.smc_listener(PORT + 1) as listener, smcsock.smc_client(PORT + 1) as client:
            server = smcsock.accept(listener)
            status, out, err = run("smc_conf", "drain", device, "-t", "1")
            equal((status, out, err), (2, "2 SMC connections left: python3 2\n", ""), "drain %s waits for its connections" % device)
            equal(mode(), "TCP", "and new ones use TCP")
            client.close()
            server.close()
        equal((run("smc_conf", "drain", device)[:2], run("smc_conf", "undrain")[0], mode()), ((0, "0 SMC connections left\n"), 0, "SMCR"),
              "drained and undrained")


def check_netns():
    out_of("ip", "netns", "add", "blue")
    inside = ("ip", "netns", "exec", "blue", "nft", "list", "tables")
    out_of("smc_conf", "drain")
    ok("smc-tools-drain" in out_of(*inside), "other network namespaces are drained, too")
    out_of("smc_conf", "undrain")
    ok("smc-tools-drain" not in out_of(*inside), "and undrained")


def check_drain(servers, clients, smc):
    """Return: True if SMC is a module."""
    ports = [server[0] for server in servers]
    status, out, err = run("smc_conf", "drain", "-t", "1")
    ok(status == 2 and not err and "python3 " in out and all(server[3] + " " in out for server in servers), "drain waits for them, and names them",
       (status, out, err))
    ok(rounds(clients), "they live on", [client.all[-3:] for client in clients])
    equal(modes(*ports), smc, "over SMC")
    run("nft", "flush", "ruleset")
    check_apply("all", "127.0.0.1", "drained over a restart of the boot unit")
    status, out, err = run("smc_conf", "drain", "all", "--kill")
    ok(status == 0 and not err and "\n0 SMC connections left\n" in out, "drain --kill ends them", (status, out, err))
    ok("keep the module smc in use: " in out and all(server[3] in out.splitlines()[-1] for server in servers), "and names who still has sockets", out)
    ok(rounds(clients), "the clients go on", [client.all[-3:] for client in clients])
    equal(modes(*ports), [["TCP"]] * len(ports), "over TCP")
    for client in clients:
        client.end()
    equal([line for client in clients for line in client.all if line != "round\n"], [], "no request has failed")
    return "\nsmc " in read("/proc/modules")


def check_services(counts):
    servers = SERVERS[:len(counts)]
    ports = [server[0] for server in servers]
    processes = [server[1]() for server in servers]
    clients = [ask(*each) for each in zip(servers, counts)]
    ok(rounds(clients), "clients ask " + " and ".join(server[2] for server in servers), [client.all for client in clients])
    smc = modes(*ports)
    ok(smc in ([["SMCD"]] * len(ports), [["SMCR"]] * len(ports)), "over SMC", smc)
    is_module = check_drain(servers, clients, smc)
    for process in processes:
        stop(process)
    if is_module:
        equal(run("rmmod", "smc_diag", "smc"), (0, "", ""), "the module can be unloaded")
        equal("smc" in [line.split()[0] for line in read("/proc/modules").splitlines()], False, "and is gone")
    else:
        skip("unloading the module", "the kernel has it built in")
    processes = [server[1]() for server in servers]
    out_of("smcd", "ueid", "add", "SMC-LAB-EID") if is_module else None
    equal(mode(), "TCP", "still drained, after the module was loaded again")
    equal((out_of("smc_conf", "undrain"), mode()), ("", smc[0][0]), "undrain: SMC again")
    clients = [ask(server, 5) for server in servers]
    ok(rounds(clients), "clients ask again", [client.all for client in clients])
    equal(modes(*ports), smc, "over SMC")
    for client in clients:
        client.end()
    for process in processes:
        stop(process)


def main():
    check_words()
    check_network()
    check_device()
    check_netns()
    check_services(sys.argv[1:])
    done()


main()
