# SPDX-License-Identifier: MIT
"""smc_events with connections of this test. usage: smc_events.py SMCD|SMCR|TCP [SHORT]"""
import collections
import json
import os
import signal
import socket
import subprocess
import sys
import time

from kern import NOBODY, done, equal, Forked, ok, only_smcr, Reports, run, wait_for
from smcsock import accept, smc_client, smc_listener

MODE = sys.argv[1]
PORT = 7000
SHORT = int(sys.argv[2]) if len(sys.argv) > 2 else 200
# Without BTF of smc.ko the kernel's cursors are unknown.
HAS_TYPES = os.path.exists("/sys/kernel/btf/smc") or not os.path.exists("/sys/module/smc/sections")


class Server(Forked):
    """Reads to the end, answers with twice as much, and closes."""
    def __init__(self, port, name):
        ready, told = os.pipe()
        super().__init__(name, self.serve, port, told)
        os.close(told)
        os.read(ready, 1)
        os.close(ready)

    @staticmethod
    def serve(port, told):
        listener = smc_listener(port)
        os.write(told, b"x")
        while True:
            conn, size = accept(listener), 0
            while True:
                data = conn.recv(65536)
                if not data:
                    break
                size += len(data)
            if size:
                conn.sendall(bytes(size * 2))
            conn.close()


class Events(Reports):
    def __init__(self, *argv):
        super().__init__("smc_events", "-j", *argv)
        wait_for(lambda: self.all or self.process.poll() is not None)

    def of(self, kind, port=PORT):
        return [e for e in list(self.all) if e["event"] == kind and
                port in (e.get("local", {}).get("port"), e.get("peer", {}).get("port"))]

    def side(self, kind, side, port=PORT):
        return [e for e in self.of(kind, port) if e.get("side") == side]


def exchange(port, size, peek=0):
    """One connection: sends SIZE bytes, reads the answer, after peeking at PEEK bytes of it."""
    client = smc_client(port)
    client.sendall(bytes(size))
    client.shutdown(socket.SHUT_WR)
    got = 0
    if peek:
        client.recv(peek, socket.MSG_PEEK)
    while True:
        data = client.recv(65536)
        if not data:
            break
        got += len(data)
    name = client.fileno()
    client.close()
    return name, got


def lives(events, server):
    size = 300000
    _, got = exchange(PORT, size, 1000 if HAS_TYPES or MODE == "TCP" else 0)
    equal(got, 2 * size, "an exchange with a server")
    what = "fallback" if MODE == "TCP" else "connected"
    ok(wait_for(lambda: len(events.of(what)) == 2 and len(events.of("closed")) == 2), "both sides of it are reported", events.all)
    for side, pid, name, sums in (("client", os.getpid(), None, (2 * size, size)), ("server", server.pid, "evserver", (size, 2 * size))):
        born, died = events.side(what, side), events.side("closed", side)
        if not ok(len(born) == 1 and len(died) == 1, side + ": a beginning and an end", events.all):
            continue
        born, died = born[0], died[0]
        equal((born["mode"], died["mode"]), (MODE, MODE), side + ": its mode")
        equal((born.get("process", {}).get("pid"), died.get("process", {}).get("pid")), (pid, pid), side + ": the process")
        ok(not name or born["process"]["command"] == died["process"]["command"] == name, side + ": its name", (born, died))
        equal((died.get("in"), died.get("out")), sums, side + ": the bytes")
        ok(died["seconds"] > 0 and (MODE == "TCP" or born["handshake_seconds"] > 0), side + ": times", (born, died))
        port = born["local" if side == "server" else "peer"]
        equal((port, born["local"]["address"]), ({"address": "127.0.0.1", "port": PORT}, "127.0.0.1"), side + ": addresses")


def fallbacks(events):
    for _ in range(4):
        with socket.create_connection(("127.0.0.1", PORT)) as client:
            client.shutdown(socket.SHUT_WR)
            client.recv(1)
    before = len(events.side("fallback", "client"))
    told = wait_for(lambda: len(events.side("fallback", "server")) >= 4 + before and events.side("fallback", "server"))
    ok(told, "connections of plain TCP are reported", events.all)
    plain = told[-4:]
    equal([(e["reason"]["symbol"], e["process"]["command"]) for e in plain], [("PEERNOSMC", "evserver")] * 4, "their reason and process")


def shorts(events):
    """Very short connections, both sides."""
    port = PORT + 1
    listener = smc_listener(port)
    begin = time.monotonic()
    for _ in range(SHORT):
        client = smc_client(port)
        server = accept(listener)
        client.close()
        server.close()
    seconds = time.monotonic() - begin
    wait_for(lambda: len(events.of("closed", port)) >= 2 * SHORT, 20)
    lost = sum(e["lost"] for e in events.all if e["event"] == "lost")
    told = (len(events.side("closed", "client", port)), len(events.side("closed", "server", port)))
    print("# %d connections in %.1f s, reported %r, lost %d" % (SHORT, seconds, told, lost))
    equal((told, lost), ((SHORT, SHORT), 0), "%d short connections: as many ends of each side" % SHORT)
    listener.close()


def lost(count):
    """While the reader is stopped, more events occur than fit: each is reported, or counted as lost."""
    end = ""

    def reports_loss(told):
        nonlocal end
        end = end[-20:] + told.read()  # a line may come in two pieces
        return '"lost"' in end

    def tally():
        kinds = collections.Counter()
        with open("/tmp/events", encoding="utf-8") as file:
            for line in file:
                event = json.loads(line)
                kinds[event["event"]] += event.get("lost", 1)
        return kinds

    with open("/tmp/events", "w", encoding="utf-8") as out, subprocess.Popen(["smc_events", "-j"], stdout=out) as watch:
        wait_for(lambda: os.path.getsize("/tmp/events"))
        watch.send_signal(signal.SIGSTOP)
        # Five rounds, two ends of each connection, two events of each end.
        run("life", str(count), "256", timeout=600)
        watch.send_signal(signal.SIGCONT)
        with open("/tmp/events", encoding="utf-8") as told:
            wait_for(lambda: reports_loss(told), 300)
        watch.terminate()
    kinds = tally()
    ok(kinds["lost"] > 0 and kinds["connected"] > 0, "more happens than there is room for", kinds)
    # The end of the listener is lost as well, as there is no room for it.
    equal(kinds["connected"] + kinds["closed"] + kinds["lost"], 5 * 2 * 2 * count + 1, "each event is reported or counted")


def links(events):
    """The link of a link group, and the failure of its device's port, the only one."""
    listener = smc_listener(PORT + 2)
    client = smc_client(PORT + 2)
    server = accept(listener)
    up = [e for e in events.all if e["event"] == "link up"]
    ok(wait_for(lambda: events.side("connected", "client", PORT + 2)), "a connection is there", events.all)
    born = events.side("connected", "client", PORT + 2)[0]
    groups = {e["link_group"]: e for e in up}
    mine = groups.get(born["link_group"], {})
    equal((len(groups), mine.get("device"), mine.get("port"), mine.get("link")), (2, "rxelo", 1, 1), "both groups' links are reported: its group is one")
    run("ip", "link", "set", "lo", "down")
    down = wait_for(lambda: [e for e in events.all if e["event"] == "link down" and e["link_group"] == born["link_group"]])
    ok(down, "the link goes down", events.all)
    equal((down[0]["device"], down[0]["connections"], "to_link" in down[0]), ("rxelo", 1, False), "with its connection")
    for sock in (client, server, listener):
        sock.close()


def choices():
    """Options and filters: only wanted events. After an unwanted event there is always a wanted one."""
    mode, port, tcp = MODE.lower(), PORT + 4, ["fallback", "closed"]
    both, smc = [*tcp, "connected", "closed", *tcp], ["connected", "closed"]
    server = Server(port, "evchoice")
    # Options, kinds of events, and sides: one or both.
    cases = (("-" + MODE[-1], smc, "both"), ("mode tcp", tcp * 2, "server"), ("not mode tcp port %d" % port, smc, "both"),
             ("sport = :%d mode %s or sport = :%d uid 0" % (port, mode, port), both, "server"),
             ("dst 127.0.0.1:%d uid root" % port, smc, "client"), ("dport = :%d not uid 0 or sport = :%d" % (port, port), both, "server"))
    watches = [Events(*argv.split()) for argv, _, _ in cases]
    for is_smc in (False, True, False):
        before = [len(watch.of("closed", port)) for watch in watches]
        with smc_client(port) if is_smc else socket.create_connection(("127.0.0.1", port)) as client:
            client.shutdown(socket.SHUT_WR)
            client.recv(1)
        wants = [(is_smc and kinds != tcp * 2 or not is_smc and "fallback" in kinds) * (1 + (side == "both")) for _, kinds, side in cases]
        wait_for(lambda: all(len(watch.of("closed", port)) >= count + want for watch, count, want in zip(watches, before, wants)))
    for watch, (argv, kinds, side) in zip(watches, cases):
        for name in ("client", "server"):
            got = [e["event"] for e in watch.all if e.get("side") == name and port in (e["local"]["port"], e["peer"]["port"])]
            equal(got, kinds if side in (name, "both") else [], "%s: events of the %s" % (argv, name))
        watch.end()
    server.end()


def without():
    """Another user, who may not use eBPF, gets a message."""
    equal(run(*NOBODY, "smc_events"),
          (1, "", "smc_events: missing capabilities: CAP_BPF, CAP_PERFMON\n"), "without the rights for eBPF: they are named")


def text():
    """Output for humans, and --count ends it."""
    watch = subprocess.Popen(["smc_events", "--count", "2", "-e", "sport = :%d" % PORT], stdout=subprocess.PIPE, text=True)

    def is_over():
        with socket.create_connection(("127.0.0.1", PORT)) as client:
            client.shutdown(socket.SHUT_WR)
            client.recv(1)
        return watch.poll() is not None
    ok(wait_for(is_over) and watch.returncode == 0, "--count 2 ends it")
    out = watch.stdout.read()
    lines = [line for line in out.splitlines() if line[0] != " "]
    ok(len(lines) == 2 and " < " in lines[0] and "PEERNOSMC  evserver[" in out and "type, " in out, "text, with what to type", out)


def main():
    if MODE == "SMCR":
        only_smcr()
    server = Server(PORT, "evserver")
    events = Events()
    first = events.all[0] if events.all else {}
    if not ok(first.get("event") == "start", "events by eBPF", first):
        events.end()
        server.end()
        return
    lives(events, server)
    fallbacks(events)
    shorts(events)
    text()
    if MODE != "TCP":
        choices()
    without()
    if MODE == "SMCR":
        links(events)
    events.end()
    server.end()
    if MODE == "SMCD":
        lost(2500)


main()
done()
