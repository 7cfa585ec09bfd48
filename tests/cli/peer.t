#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The peer of tests/peer against itself, without SMC in the kernel: its scripts say what they should, and none breaks."""
import concurrent.futures
import os
import socket
import sys
import threading

from recorded import ROOT, done, equal, ok

sys.path.insert(0, ROOT + "/tests/peer")
import clc  # noqa: E402
import smcpeer  # noqa: E402

smcpeer.SILENCE = 2
# The client "no RDMA" hears this of these servers, and the server "no RDMA" says that to these clients.
HEARD = {
    "decline": "decline 0x03030000", "decline of z/OS": "decline 0x03047777", "close": "closed",
    "http": "data", "length 4": "malformed message", "unknown type": "unknown message",
    "confirm for accept": "confirm", "no RDMA": "accept", "index 7": "accept",
}
SAID = {
    "close": "nothing", "http": "data", "proposal v1": "accept",
    "no EID": "accept", "index 7": "accept",
}


def meet(server, client):
    """What both ends heard of each other. No script may raise what attempt() does not expect."""
    ends = socket.socket(), None
    ends[0].bind(("127.0.0.1", 0))
    ends[0].listen()
    heard = {}

    def serve():
        heard["server"] = smcpeer.attempt(lambda conn: smcpeer.answer(smcpeer.SERVERS[server], conn), ends[0].accept()[0])

    thread = threading.Thread(target=serve)
    thread.start()
    with ends[0]:
        heard["client"] = smcpeer.attempt(smcpeer.CLIENTS[client], socket.create_connection(ends[0].getsockname()))
        thread.join()
    return heard


def meet_all(pairs):
    with concurrent.futures.ThreadPoolExecutor(len(pairs)) as pool:
        jobs = [pool.submit(meet, *pair) for pair in pairs]
    for (server, client), job in zip(pairs, jobs):
        error = job.exception()
        ok(not error and "server" in job.result(), "%s and %s" % (server, client), error)
    return [None if job.exception() else job.result() for job in jobs]


def check_messages():
    """The peer reads what Linux has sent, and builds the same."""
    for name in os.listdir(ROOT + "/tests/fuzz/corpus/clc"):
        with open(ROOT + "/tests/fuzz/corpus/clc/" + name, "rb") as file:
            data = file.read()
        if name in ("smcr-proposal", "smcr-accept", "smcr-confirm", "smcd-accept", "decline-v1", "decline-v2"):
            ok(clc.parse(data)["data"] == data, name + ": read")
    offer = clc.proposal(bytes(8), clc.gid_of("127.0.0.1"), bytes(6), ["SMC-TEST-EID"])
    with open(ROOT + "/tests/fuzz/corpus/clc/smcr-proposal", "rb") as file:
        equal(offer.hex(), file.read().hex(), "the proposal of Linux, byte by byte")
    with open(ROOT + "/tests/fuzz/corpus/clc/smcr-accept", "rb") as file:
        data = file.read()
    found = clc.parse(data)
    link = {key: found[key] for key in smcpeer.LINK}
    made = clc.answer_r(clc.ACCEPT, link, data[8:16], found["gid"], bytes(6), "SMC-TEST-EID", mtu=found["mtu"], host="(none)",
                        size=2, features=1)
    equal(made.hex(), data.hex(), "the accept of Linux")


def main():
    check_messages()
    servers = [(name, "no RDMA") for name in smcpeer.SERVERS if "flood" not in name and not name.startswith("link")]
    clients = [("no RDMA", name) for name in smcpeer.CLIENTS if "flood" not in name and not name.startswith("link")]
    heard = dict(zip(servers, meet_all(servers)))
    for name, words in HEARD.items():
        equal(heard[name, "no RDMA"]["client"].split(", ")[0], words, "of the server '%s'" % name)
    heard = dict(zip(clients, meet_all(clients)))
    for name, words in SAID.items():
        equal(heard["no RDMA", name]["client"].split(", ")[0], words, "to the client '%s'" % name)
    done()


main()
