# SPDX-License-Identifier: MIT
"""smc_conf drain and undrain: clients of redis that reconnect go on over TCP without a failed request, the module can be unloaded,
and afterwards there is SMC again. With Soft-RoCE also for one device.
usage: drain.py CLIENT_CONNECTIONS"""
import os
import re
import signal
import subprocess
import sys

import smcsock
from kern import NOBODY, Lines, by_inode, done, equal, listens, listing, ok, out_of, read, refuses, run, skip, wait_for

FILE = "/etc/smc-tools/drained"
REDIS, PORT = 6379, 7300
NET = "127.9.0.0/16"
NOTE = r"^smc_conf: drained.*: %s\n$"
# Each request is repeated once on a new connection. Reports rounds, and what failed twice.
CLIENT = """
import socket, sys, threading
made = {}
def ask(number):
    if number not in made:
        made[number] = socket.create_connection(("127.0.0.1", %d))
    made[number].sendall(b"PING\\r\\n")
    answer = made[number].recv(7, socket.MSG_WAITALL)
    if answer != b"+PONG\\r\\n":
        raise OSError(answer)
while True:
    for number in range(int(sys.argv[1])):
        try:
            ask(number)
        except OSError:
            made.pop(number).close()
            try:
                ask(number)
            except OSError as error:
                print("failed", number, error, flush=True)
    print("round", flush=True)
""" % REDIS


def modes():
    """Of the client's connections."""
    return sorted({s["mode"] for s in listing("state", "active", "and", "dport", "=", ":%d" % REDIS)} or
                  {s["mode"] for s in listing("dport", "=", ":%d" % REDIS)})


def mode(address="127.0.0.1"):
    """Of a new connection."""
    with smcsock.smc_listener(PORT, "0.0.0.0") as listener, smcsock.smc_client(PORT, address) as client:
        smcsock.accept(listener).close()
        return by_inode(os.fstat(client.fileno()).st_ino)["mode"]


def start_redis(smc):
    argv = ["redis-server", "--port", str(REDIS), "--save", "", "--maxclients", "1000"]
    redis = subprocess.Popen(["smc_run", *argv] if smc else argv, stdout=subprocess.DEVNULL)
    wait_for(lambda: listens(REDIS))
    return redis


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait()


def rounds(client, count=2):
    """Wait for whole rounds from now on."""
    want = client.all.count("round\n") + count
    return wait_for(lambda: client.all.count("round\n") >= want, 120)


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


def check_service(count):
    redis = start_redis(True)
    client = Lines("smc_run", "python3", "-uc", CLIENT, count)
    ok(rounds(client), "a client asks redis", client.all)
    smc = modes()
    ok(smc in (["SMCD"], ["SMCR"]), "over SMC", smc)
    status, out, err = run("smc_conf", "drain", "-t", "1")
    ok(status == 2 and not err and "python3 %s" % count in out and "redis-server %s" % count in out, "drain waits for them, and names them",
       (status, out, err))
    ok(rounds(client), "they live on", client.all[-3:])
    equal(modes(), smc, "over SMC")
    run("nft", "flush", "ruleset")
    check_apply("all", "127.0.0.1", "drained over a restart of the boot unit")
    status, out, err = run("smc_conf", "drain", "all", "--kill")
    ok(status == 0 and not err and "\n0 SMC connections left\n" in out, "drain --kill ends them", (status, out, err))
    ok("keep the module smc in use: " in out and "redis-server" in out.splitlines()[-1], "and names who still has sockets", out)
    ok(rounds(client), "the client goes on", client.all[-3:])
    equal(modes(), ["TCP"], "over TCP")
    is_module = "\nsmc " in read("/proc/modules")
    client.end()
    equal([line for line in client.all if line != "round\n"], [], "no request has failed")
    stop(redis)
    if is_module:
        equal(run("rmmod", "smc_diag", "smc"), (0, "", ""), "the module can be unloaded")
        equal("smc" in [line.split()[0] for line in read("/proc/modules").splitlines()], False, "and is gone")
    else:
        skip("unloading the module", "the kernel has it built in")
    redis = start_redis(True)
    out_of("smcd", "ueid", "add", "SMC-LAB-EID") if is_module else None
    equal(mode(), "TCP", "still drained, after the module was loaded again")
    equal((out_of("smc_conf", "undrain"), mode()), ("", smc[0]), "undrain: SMC again")
    client = Lines("smc_run", "python3", "-uc", CLIENT, "5")
    ok(rounds(client), "the client asks again", client.all)
    equal(modes(), smc, "over SMC")
    client.end()
    stop(redis)


def main():
    check_words()
    check_network()
    check_device()
    check_netns()
    check_service(sys.argv[1])
    done()


main()
