# SPDX-License-Identifier: MIT
"""smc_chk serve, connect and -l over SMC-D, and every way in which a test can fail."""
import json
import os
import re
import signal
import socket
import subprocess
import time

import chkfake
from kern import HAS_SEID, SERVES, done, equal, ok, read, refuses, run, skip, status_of, wait_for

IP = "127.0.0.1"


class Server:
    """Start smc_chk serve; return its port."""

    def __init__(self, *options):
        # Ignored signals stay ignored.
        self.process = subprocess.Popen(["smc_chk", "serve", *options], stdout=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.line = self.process.stdout.readline()
        found = re.search(r"\d+$", self.line.rstrip("}\n"))
        self.port = int(found.group()) if found else 0

    def end(self, signo=signal.SIGTERM):
        self.process.send_signal(signo)
        return status_of(self.process)

    def memory(self, key="VmRSS"):
        return int(re.search(key + r":\s+(\d+)", read("/proc/%d/status" % self.process.pid)).group(1))


def check(*argv):
    """Status and JSON document of smc_chk connect."""
    status, out, err = run("smc_chk", "connect", "-j", *argv)
    return status, json.loads(out) if out else {"error": err}


def fails(name, pattern, *argv, status=1):
    refuses(("smc_chk", "connect", *argv), pattern, name, status)


def check_smcd():
    server = Server()
    equal((server.line, server.port), (SERVES, 37373), "serve: port 37373, in the peer's words")
    second = Server("-j")
    equal(json.loads(second.line), {"schema": "smc-tools/check-server/1", "port": 37374}, "serve -j: the next free port")
    status, doc = check(IP)
    equal((status, doc["result"], doc["mode"], doc["version"], doc["eid"], doc["chid"]),
          (0, "smc", "SMCD", 2, "SMC-LAB-EID", "0xffff"), "connect: SMC-D")
    equal((doc["schema"], doc["host"], doc["peer"], doc["server"]),
          ("smc-tools/check/1", IP, {"address": IP, "port": 37373}, {"is_smc_chk": True, "mode": "SMCD"}),
          "connect: peer, and what the server says of itself")
    groups = json.loads(run("smcd", "-j", "linkgroup")[1])["linkgroups"]
    ok(doc["link_group"] in [g["id"] for g in groups], "connect: a link group that smcd shows", (doc, groups))
    ok(doc["gid"] == doc["peer_gid"] and doc["gid"] in ["0x" + g["gid"].replace("0x", "") for g in groups], "connect: GIDs",
       (doc, groups))
    ok(doc["bytes"] > 300000 and 0 < doc["round_trip_min_ns"] <= doc["round_trip_ns"] and doc["handshake_ns"] > 0,
       "connect: data and times", doc)
    status, out, err = run("smc_chk", "connect", "localhost", "-4", "-p", "37374")
    ok(status == 0 and not err and out.startswith("Success, using SMC-D: 127.0.0.1 port 37374\n") and " verified" in out,
       "connect: text, host name and port", (status, out, err))
    equal(check("::1")[1]["local"]["address"], "::1", "connect: IPv6")
    equal(check("localhost", "-6")[1]["peer"]["address"], "::1", "connect -6: IPv6 by name")
    equal(server.end(signal.SIGINT), 0, "serve: SIGINT ends it")
    equal(second.end(signal.SIGTERM), 0, "serve: SIGTERM ends it")
    fails("nothing listens", r"^smc_chk: 127.0.0.1 port 37373 refused the connection", IP)


def check_server_options():
    server = Server("--once", "-4", "-p", "40000")
    equal((server.port, check(IP, "-p", "40000")[0]), (40000, 0), "serve --once -4 -p: serves")
    equal(status_of(server.process), 0, "serve --once: ends after the client")
    server = Server("-6", "-p", "40000")
    fails("serve -6: not over IPv4", "refused", IP, "-p", "40000")
    equal(check("::1", "-p", "40000")[0], 0, "serve -6: IPv6")
    server.end()
    server = Server("--bind", "127.0.0.2", "--once")
    fails("serve --bind: not at other addresses", "refused", IP)
    equal(check("127.0.0.2", "--tcp-too", "-t", "1")[0], 0, "serve --bind: there; --tcp-too is one client for --once")
    equal(status_of(server.process), 0, "serve --once: ends when the last connection has gone")


def connect(port, smc=True):
    sock = chkfake.smc_socket() if smc else socket.socket()
    sock.settimeout(60)
    sock.connect((IP, port))
    return sock


def check_many():
    server = Server()
    slow = connect(server.port)
    slow.setblocking(False)
    sent = 0
    for _ in range(200):
        try:
            sent += slow.send(bytes(65536))
        except BlockingIOError:
            time.sleep(0.005)
    ok(sent < 4 << 20, "serve: a client that does not read is not read", sent)
    before = server.memory()
    clients = []
    for i in range(200):
        clients.append(connect(server.port, i % 4 > 0))
        # In parallel: a client that is silent for ten seconds is dropped.
        clients[-1].sendall(b"%d " % i * 100)
    equal({chkfake.receive(c, 16) for c in clients}, {chkfake.GREETING}, "serve: greets 200 clients at once")
    equal([i for i, c in enumerate(clients) if chkfake.receive(c, len(b"%d " % i * 100)) != b"%d " % i * 100], [],
          "serve: echoes what strangers send, to 200 at once")
    equal(check(IP)[0], 0, "serve: and serves smc_chk connect meanwhile")
    ok(server.memory("VmHWM") - before < 200 * 200, "serve: memory is bounded", (before, server.memory("VmHWM")))
    for client in clients:
        client.close()
    slow.close()
    ok(wait_for(lambda: server.memory("Threads") <= 1), "serve: all clients gone", server.memory("Threads"))
    equal(check(IP)[0], 0, "serve: still serves")
    equal(server.end(), 0, "serve: ends")


def check_foreign():
    for name, treat in (("silent", chkfake.silent), ("banner", chkfake.banner)):
        for family, want in ((chkfake.AF_SMC, (0, "SMCD", None)), (socket.AF_INET, (2, "TCP", "PEERNOSMC"))):
            fake = chkfake.Fake(treat, family)
            status, doc = check(IP, "-p", str(fake.port))
            equal((status, doc.get("mode"), doc.get("reason", {}).get("symbol")), want,
                  "foreign server, %s: %s" % (name, want[1]))
            equal((doc["server"], "bytes" in doc, fake.seen), ({"is_smc_chk": False}, False, b""),
                  "foreign server, %s: nothing is sent" % name)
    status, out, _ = run("smc_chk", "connect", IP, "-p", str(fake.port))
    ok(status == 2 and out.startswith("TCP, not SMC: ") and "PEERNOSMC: the peer did not offer SMC" in out and
       "\nTry: " in out and "smc_chk explain 0x03010000\n" in out, "foreign server: words and remedy", out)
    status, doc = check(IP, "-p", str(fake.port), "--tcp-too", "-t", "1")
    ok(status == 2 and set(doc["tcp"]) == {"connects_per_second", "connect_ns"} and set(doc["ratios"]) ==
       {"connects_per_second", "connect"}, "foreign server: --tcp-too measures connecting only", doc)
    ok(fake.clients <= 50, "foreign server: a modest number of connections", fake.clients)
    with subprocess.Popen(["smc_run", "redis-server", "--port", "6379", "--save", ""], stdout=subprocess.DEVNULL) as redis:
        wait_for(lambda: run("smc_chk", "connect", IP, "-p", "6379")[0] == 0)
        status, doc = check(IP, "-p", "6379")
        equal((status, doc.get("mode"), doc.get("server")), (0, "SMCD", {"is_smc_chk": False}), "redis under smc_run")
        redis.terminate()


def check_counted():
    """Comes first, while the statistics are empty. Both ends of a connection count."""
    server = Server()
    equal(check(IP, "--tcp-too")[0], 0, "--tcp-too: works")
    stats = json.loads(run("smcd", "-aj", "stats")[1])
    fallbacks = [stats[side]["fallbacks"] for side in ("client", "server")]
    ok(not fallbacks[0] and fallbacks[1] <= 21, "--tcp-too: the kernel counts no more fallbacks than its few connections over TCP", fallbacks)
    equal(server.end(), 0, "serve: ends")


def check_rates():
    server = Server()
    status, doc = check(IP, "--tcp-too", "-t", "3")
    keys = {"connects_per_second", "connect_ns", "bytes_per_second", "round_trip_ns"}
    ok(status == 0 and set(doc["smc"]) == keys == set(doc["tcp"]) and all(v > 0 for v in doc["smc"].values()),
       "--tcp-too: all rates", doc)
    client = subprocess.Popen(["smc_chk", "connect", IP, "--tcp-too", "-t", "60"], stderr=subprocess.PIPE, text=True)
    ok(wait_for(lambda: server.memory("Threads") > 2), "killed in the middle: under way")
    server.end(signal.SIGKILL)
    err = client.communicate(timeout=300)[1]
    ok(client.returncode == 1 and re.search("lost in the middle|cannot connect again", err),
       "server killed in the middle: reported", (client.returncode, err))


def check_wrong_data():
    """cli/smc_chk_live has more, over TCP."""
    for treat, pattern in ((chkfake.flip, "byte 40001 of 65537 "), (chkfake.stall, "the connection stalls")):
        fake = chkfake.Fake(chkfake.greet(treat))
        fails(treat.__name__, pattern, IP, "-p", str(fake.port), "-t", "1")


def check_network():
    run("modprobe", "tun")
    tunnel = chkfake.Tunnel()
    fails("filtered", r"no answer from 10.9.0.5 port 37373 within 0.5 s: .*firewall drops", "10.9.0.5", "-t", "0.5")
    fails("option echoed, silence, own limit", "10.9.0.2 port 37373 within 1 s: TCP gets through, but the SMC handshake did not finish",
          "10.9.0.2", "-t", "1")
    fails("option echoed, silence, the kernel's limit", "10.9.0.2 .*TCP option, .* not answer", "10.9.0.2")
    fails("option echoed, garbage", "10.9.0.3 .*answers .*something else", "10.9.0.3")
    fails("option echoed, reset", "10.9.0.4 .*breaks off.* busy", "10.9.0.4")
    ok(tunnel.seen.get(3, b"").startswith(b"\xe2\xd4\xc3"), "that was a handshake", tunnel.seen)
    status, doc = check("10.9.0.6")
    equal((status, doc.get("mode"), doc.get("reason", {}).get("symbol"), tunnel.seen.get(6)), (2, "TCP", "PEERNOSMC", None),
          "option lost: TCP, nothing sent")
    for route, host, pattern in (("unreachable", "10.8.1.1", "10.8.1.1 is unreachable"),
                                 ("prohibit", "10.8.2.1", "prohibits connections to 10.8.2.1 port 37373"),
                                 ("blackhole", "10.8.3.1", "10.8.3.1")):
        run("ip", "route", "add", route, host)
        fails("route: " + route, pattern, host)
    fails("no route", "no route to 10.7.0.1: .*network", "10.7.0.1")
    run("ip", "link", "add", "d0", "type", "dummy")
    run("ip", "link", "set", "d0", "up")
    wait_for(lambda: " tentative" not in run("ip", "-6", "addr", "show", "d0")[1])
    local = re.search(r"fe80::[0-9a-f:]+", run("ip", "-6", "addr", "show", "d0")[1]).group()
    server = Server()
    equal((check(local + "%d0")[0], check(local + "%d0")[1].get("peer", {}).get("address")), (0, local + "%d0"),
          "scope id: fe80::...%d0")
    ok(check(local)[0] == 1, "link-local without scope id", check(local))
    server.end()
    fails("ARP without an answer", "10.5.0.9 is unreachable", *arp_silence())


def arp_silence():
    """An unreachable neighbour: an SMC socket does not pass on TCP's error."""
    for words in (("link", "add", "v0", "type", "veth", "peer", "name", "v1"), ("link", "set", "v1", "up"),
                  ("link", "set", "v0", "up"), ("addr", "add", "10.5.0.1/24", "dev", "v0")):
        run("ip", *words)
    return ["10.5.0.9"]


def check_live():
    run("ip", "addr", "add", "10.4.0.1/24", "dev", "d0", "label", "d0:1")
    status, out, err = run("smc_chk", "-l", "-i", "lo")
    ok(status == 0 and not err and out.startswith("lo: Success, using SMC-D: 127.0.0.1 port "), "-l -i lo", (status, out, err))
    status, out, err = run("smc_chk", "-l", "-j")
    doc = json.loads(out)
    equal((status, doc["schema"], sorted((i["interface"], i["result"], i["mode"]) for i in doc["interfaces"])),
          (0, "smc-tools/check-live/1", [("d0", "smc", "SMCD"), ("smctun", "smc", "SMCD"), ("v0", "smc", "SMCD")]),
          "-l -j: each active net device but loopback")
    status, out, _ = run("smc_chk", "-l", "-6", "-i", "d0", "-j")
    ok(status == 0 and json.loads(out)["interfaces"][0]["peer"]["address"].endswith("%d0"), "-l -6: link-local", out)


def check_sandbox():
    """AF_SMC is forbidden, IPPROTO_SMC (kernel 6.11) is not."""
    if os.uname().machine != "x86_64":
        skip("sandbox", "the filter is one for x86-64")
        return
    server = Server("--once")
    result = subprocess.run(["smc_chk", "connect", "-j", IP], stdout=subprocess.PIPE, check=False,
                            preexec_fn=chkfake.forbid_smc)
    doc = json.loads(result.stdout or "{}")
    equal((result.returncode, doc.get("mode")), (0, "SMCD"), "sandbox: IPPROTO_SMC does")
    server.end()


def check_no_eid():
    if HAS_SEID:
        skip("no EID", "IBM Z always has one")
        return
    run("smc-lab-eid", "flush")
    server = Server()
    status, doc = check(IP)
    equal((status, doc["result"], doc["mode"]), (2, "tcp", "TCP"), "no EID: TCP")
    here, there = doc["reason"]["symbol"], doc["server"].get("reason", {}).get("symbol")
    equal((here, there, doc["bytes"] > 300000), ("PEERDECL", "NOUEID", True), "no EID: both sides' reason; data is right")
    status, out, _ = run("smc_chk", "connect", IP)
    ok(status == 2 and out.startswith("TCP, not SMC: 127.0.0.1 port 37373\n") and
       "  here         0x05000000 PEERDECL: " in out and "  server       0x03030008 NOUEID: the peer sent" in out
       and "\nTry on 127.0.0.1: define the same EID on both sides" in out, "no EID: words and remedy", out)
    status, out, _ = run("smc_chk", "-l", "-i", "lo")
    ok(status == 2 and out.startswith("lo: TCP, not SMC"), "-l: exit status 2", out)
    server.end()


def check_syncookies():
    # A separate port: a SYN that replaces a connection in TIME-WAIT gets no cookie.
    server = Server("-p", "40001")
    run("sysctl", "-q", "-w", "net.ipv4.tcp_syncookies=2")
    status, out, _ = run("smc_chk", "connect", IP, "-p", str(server.port))
    ok(status == 2 and "PEERNOSMC" in out and "Try: look for what removed SMC's TCP option (254) from" in out,
       "SYN cookies: the option was lost between two hosts with SMC", out)
    server.end()


os.environ["LC_ALL"] = "C"
if HAS_SEID:
    # The kernel would agree on the system EID before a user EID.
    run("smcd", "seid", "disable")
check_counted()
check_smcd()
check_server_options()
check_many()
check_foreign()
check_rates()
check_wrong_data()
check_network()
check_live()
check_sandbox()
check_no_eid()
check_syncookies()
done()
