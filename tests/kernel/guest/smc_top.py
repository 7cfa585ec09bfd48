# SPDX-License-Identifier: MIT
"""smc_top with programs whose bytes this test counts. usage: smc_top.py SMCD|SMCR"""
import json
import os
import socket
import sys
import threading
import time

from kern import NOBODY, done, equal, ok, only_smcr, Reports, run, wait_for
from smcsock import accept, smc_client, smc_listener

MODE = sys.argv[1]
PORT = 7000


class Pair:
    """Both ends of a connection."""
    def __init__(self, listener):
        self.client = smc_client(PORT)
        self.server = accept(listener)


def inode(sock):
    return os.fstat(sock.fileno()).st_ino


class Watch(Reports):
    """smc_top -j, repeating."""
    def __init__(self, *argv):
        super().__init__("smc_top", "-j", "-w", "1", *argv)

    def next(self, count=1):
        """Documents with samples from here on."""
        have = len(self.all)
        wait_for(lambda: len(self.all) >= have + count)
        return self.all[-1]

    def row(self, sock, doc=None):
        number = inode(sock)
        return [s for s in (doc or self.all[-1])["sockets"] if s["inode"] == number][0]

    def until(self, what, name):
        """Wait for the first document that meets a condition."""
        wait_for(lambda: self.all and what(self.all[-1]))
        ok(what(self.all[-1]), name, self.all[-1])

    def totals(self, socks, move):
        """Bytes in and out of each socket while a function moves them."""
        self.next()
        first = len(self.all)
        move()
        # Two samples: one may have begun before the data was moved completely, the next one begins after that.
        self.next(2)
        result = []
        for sock in socks:
            rows = [(doc["seconds"], self.row(sock, doc)) for doc in self.all[first:]]
            result.append(tuple(sum(seconds * row.get(way, -1e18) for seconds, row in rows) for way in ("rate_in", "rate_out")))
        return result


def send(sock, total, piece, pause):
    data = bytes(piece)
    for _ in range(total // piece):
        sock.sendall(data)
        if pause:
            time.sleep(pause)


def receive(sock, total):
    got = 0
    while got < total:
        got += len(sock.recv(262144))


def together(*calls):
    """Run functions concurrently, each in its own thread."""
    threads = [threading.Thread(target=call[0], args=call[1:]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def near(got, want):
    return abs(got - want) <= want / 100


def check_rates(watch, one, other):
    """One direction at full speed, the other and another connection at a known rate."""
    fast, slow, paced = 30_000_000, 2_000_000, 500_000
    got = watch.totals((one.client, one.server, other.client, other.server), lambda: together(
        (send, one.client, fast, 60_000, 0), (receive, one.server, fast),
        (send, one.server, slow, 20_000, 0.02), (receive, one.client, slow),
        (send, other.client, paced, 5_000, 0.03), (receive, other.server, paced)))
    for end, name, want in zip(got, ("client", "server", "the other's client", "the other's server"),
                               ((slow, fast), (fast, slow), (0, paced), (paced, 0))):
        for i, way in enumerate(("in", "out")):
            ok(near(end[i], want[i]), "%s: rates %s are %d bytes, within 1 %%" % (name, way, want[i]), got)
    for ends in (got[0], got[1]), (got[2], got[3]):
        ok(near(ends[0][1], ends[1][0]) and near(ends[0][0], ends[1][1]), "both ends agree, within 1 %", ends)


def check_bottlenecks(watch, pair):
    stop = threading.Event()

    def trickle():
        while not stop.is_set():
            pair.client.sendall(bytes(1000))
            stop.wait(0.02)
    reader = threading.Thread(target=lambda: iter_read(pair.server))
    writer = threading.Thread(target=trickle)
    reader.start()
    writer.start()
    watch.until(lambda doc: (watch.row(pair.client, doc).get("bottleneck"), watch.row(pair.server, doc).get("bottleneck")) ==
                ("this writer", "the peer's writer"), "a slow writer is the bottleneck")
    stop.set()
    writer.join()
    watch.until(lambda doc: not any(watch.row(sock, doc).get(way) for sock in (pair.client, pair.server)
                                    for way in ("rate_in", "rate_out", "bottleneck")), "a writer that stops: nothing is the bottleneck")
    pair.client.shutdown(socket.SHUT_WR)
    reader.join()


def iter_read(sock):
    while sock.recv(65536):
        pass


def check_reader(watch, pair):
    """A reader that stops: all buffers on the way to it fill up, and empty when it goes on."""
    pair.client.setblocking(False)
    sent = 0

    def fill():
        nonlocal sent
        try:
            while True:
                sent += pair.client.send(bytes(30_000))
        except BlockingIOError:
            return True
    wait_for(lambda: fill() and watch.row(pair.server)["unread"]["percent"] == 100 and
             watch.row(pair.client)["unsent"]["percent"] == 100)
    doc = watch.next(2)
    client, server = watch.row(pair.client, doc), watch.row(pair.server, doc)
    equal((server["unread"]["percent"], server["bottleneck"]), (100, "this reader"), "a reader that stops is the bottleneck")
    equal((client["unsent"]["percent"], client["bottleneck"]), (100, "the peer's reader"), "and the writer's side shows it")
    equal((client["rate_out"], server["rate_in"]), (0, 0), "nothing moves")
    held = server["unread"]["bytes"] + (client["unsent"]["bytes"] if MODE == "SMCR" else 0)
    equal(held, sent, "all that was written waits in the buffers")
    text = run("smc_top", "--once", "--sort", "unread")[1].splitlines()
    ok(text[2].split()[2] == MODE and "100 %" in text[2] and "this reader" in text[2], "--once --sort unread", text)
    receive(pair.server, sent)
    watch.until(lambda doc: watch.row(pair.server, doc)["unread"]["bytes"] == 0 and not watch.row(pair.server, doc).get("bottleneck"),
                "it goes on: nothing is unread")


def check_fallback():
    """The TCP socket inside a connection that fell back."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = smc_client(listener.getsockname()[1])
        server, _ = listener.accept()
        watch = Watch("-o", "inode,mode,rate_in,rate_out,unread,bottleneck")
        try:
            equal(watch.row(client, watch.next()).get("mode"), "TCP", "a connection that fell back")
        finally:
            watch.end()
        watch = Watch()
        try:
            watch.next()
            got = watch.totals((client,), lambda: together((send, client, 3_000_000, 30_000, 0.01), (receive, server, 3_000_000),
                                                           (send, server, 400_000, 4_000, 0.01), (receive, client, 400_000)))
            ok(near(got[0][0], 400_000) and near(got[0][1], 3_000_000), "TCP: rates from TCP_INFO, within 1 %", got)
            row = watch.row(client)
            ok("unread" not in row and "bottleneck" not in row and row["reason"]["symbol"] == "PEERNOSMC",
               "TCP: no buffers of SMC, but the reason", row)
        finally:
            watch.end()


def check_come_and_go(watch, listener):
    pair = Pair(listener)
    send(pair.client, 50_000, 50_000, 0)
    receive(pair.server, 50_000)
    number = inode(pair.client)
    watch.next(2)
    # The connection began after the previous sample: its bytes are spread over the whole interval.
    moved = [doc["seconds"] * s["rate_out"] for doc in watch.all for s in doc["sockets"] if s["inode"] == number]
    ok(near(sum(moved), 50_000), "a new connection: all its bytes count", moved)
    pair.client.close()
    pair.server.close()
    ok(wait_for(lambda: not any(s["inode"] == number for s in watch.all[-1]["sockets"])), "one that has gone")


def main():
    if MODE == "SMCR":
        only_smcr()
    listener = smc_listener(PORT)
    pairs = [Pair(listener) for _ in range(4)]
    watch = Watch()
    try:
        ok(wait_for(lambda: watch.all), "it measures")
        equal({s["mode"] for s in watch.all[0]["sockets"]}, {MODE}, "connections over " + MODE)
        check_rates(watch, pairs[0], pairs[1])
        check_bottlenecks(watch, pairs[2])
        check_reader(watch, pairs[3])
        check_come_and_go(watch, listener)
        ok(not any(key.endswith("_least") for doc in watch.all for s in doc["sockets"] for key in s),
           "what the kernel counts leaves no doubt that no cursor went round")
    finally:
        watch.end()
    check_fallback()
    doc = json.loads(run(*NOBODY, "smc_top", "-j", "-w", "0.5", "--once")[1])
    ok(doc["connections"][MODE.lower()] >= 8 and all("rate_in" in s for s in doc["sockets"]), "without privileges", doc)
    doc = json.loads(run("smc_top", "-j", "-w", "0.5", "--once", "state", "all")[1])
    ok(doc["sockets"] and "LISTEN" not in {s["state"] for s in doc["sockets"]}, "sockets that listen are no connections", doc)
    done()


main()
