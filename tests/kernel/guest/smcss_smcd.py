# SPDX-License-Identifier: MIT
"""SMC-D in one guest: smcss compared with the connections of this test."""
import json
import socket
import subprocess

from allnetns import check_all_netns
from kern import NOBODY, Sockets, by_inode, done, equal, listing, ok, run, smcss, wait_for

SPECS = ["smc4:pair:127.0.0.1", "smc6:pair:[::1]", "inet4:pair:127.0.0.1", "inet6:pair:[::1]",
         "smc6:pair:[::ffff:127.0.0.1]", "smc4:pair:127.0.0.5", "inet4:pair:127.0.0.6"]
IDLE = ["smc6:listen:[::]:5005", "smc4:listen:0.0.0.0:5005", "inet4:listen:0.0.0.0:5007",
        "inet6:listen:[::]:5008", "inet4:listen:127.0.0.1:5009", "smc6:listen:[2001:db8::]:5010",
        "smc4:listen:32.1.13.184:5011", "smc4:bound:0.0.0.0:6002", "smc4:fresh:0.0.0.0"]
TCP = ["tcp4:listen:127.0.0.1:6000", "smc4:connect:127.0.0.1:6000", "inet4:connect:127.0.0.1:6000",
       "smc4:fastopen:127.0.0.1:6000"]


def check_addresses(made):
    for spec in SPECS + IDLE:
        for item in [s for s in made.all if s["spec"] == spec]:
            row = by_inode(item["inode"])
            name = "%s %s" % (spec, item["what"])
            if item["what"] == "fresh":
                ok(row and "local" not in row and "peer" not in row, name + ": no address", row)
                continue
            equal(row and row.get("local"), item["local"], name + ": local address")
            equal(row and row.get("peer"), item.get("peer"), name + ": peer address")


def check_modes(made):
    for spec in SPECS:
        for what in ("client", "accepted"):
            row = by_inode(made.one(spec, what)["inode"])
            equal((row["state"], row.get("mode")), ("ACTIVE", "SMCD"), "%s %s: SMC-D" % (spec, what))
        row = by_inode(made.one(spec, "listener")["inode"])
        ok("mode" not in row and row["state"] == "LISTEN", spec + " listener: no mode", row)
    row = by_inode(made.one("smc4:bound:0.0.0.0:6002", "bound")["inode"])
    ok("mode" not in row and row["state"] == "INIT", "an unconnected socket has no mode", row)


def check_details(made):
    client = by_inode(made.one(SPECS[0], "client")["inode"])
    server = by_inode(made.one(SPECS[0], "accepted")["inode"])
    equal(client["smcd"]["token"], server["smcd"]["peer_token"], "SMC-D tokens of both ends agree")
    equal(client["smcd"]["gid"], server["smcd"]["peer_gid"], "SMC-D GIDs of both ends agree")
    equal((client["tx_prod"]["count"], server["rx_prod"]["count"]), (10, 10), "bytes sent by the client")
    equal((client["rx_prod"]["count"], server["tx_prod"]["count"]), (5, 5), "bytes sent by the server")
    equal(client["rcvbuf"], 65504, "SMC-D buffer size")


def check_fallback(made):
    for spec in TCP[1:3]:
        row = by_inode(made.one(spec, "client")["inode"])
        equal((row["mode"], row["reason"]["symbol"]), ("TCP", "PEERNOSMC"), spec + ": peer without SMC")
    row = by_inode(made.one(TCP[3], "client")["inode"])
    equal((row["state"], row["mode"], row["reason"]["symbol"]), ("INIT", "TCP", "OPTUNSUPP"),
          "fallback before connect(): a connection although INIT")
    ok(any(s["inode"] == row["inode"] for s in listing()), "and so it is in the default list")
    out = smcss("-e", "dport", "=", ":6000")
    ok("    local: PEERNOSMC: " in out and "        check: " in out, "--explain says it in words", out)


def check_holder(made):
    pid, client = made.process.pid, made.one(SPECS[0], "client")
    line = [l for l in smcss("-p").splitlines() if " %07d " % client["inode"] in l][0]
    ok('users:(("sockets",pid=%d,fd=%d))' % (pid, client["fd"]) in line, "-p names the holder", line)
    port = made.one(SPECS[1], "listener")["local"]["port"]
    equal(len(listing("sport", "=", ":%d" % port, "or", "dport", "=", ":%d" % port)), 2, "port filter")


def check_ambiguous():
    """Two IPPROTO_SMC listeners on one port: only the process differs."""
    specs = ["inet4:listen:127.0.0.11:5050", "inet4:listen:127.0.0.12:5050"]
    with Sockets(*specs) as made:
        for item in made.all:
            row = by_inode(item["inode"])
            equal(row["local"], item["local"], "ambiguous address: asked from the process")
        status, out, _ = run(*NOBODY, "smcss", "-lH", "sport", "=", ":5050")
        equal((status, [l.split()[3] for l in out.splitlines()]), (0, ["n/a:5050"] * 2),
              "ambiguous and not permitted: n/a, never 0.0.0.0")


def check_killed():
    """Trap: killing the inner TCP socket leaves the SMC connection alive, without its port."""
    with Sockets("smc4:pair:127.0.0.1") as made:
        client = made.one("smc4:pair:127.0.0.1", "client")
        run("ss", "-K", "sport", "=", ":%d" % client["local"]["port"], "dport", "=",
            ":%d" % client["peer"]["port"])
        row = by_inode(client["inode"])
        ok(row and row["state"] != "LISTEN" and "port" not in row.get("local", {"port": 0}),
           "TCP socket inside killed: the row stays, without a local port", row)
        line = [l for l in smcss("-aH").splitlines() if " %07d " % client["inode"] in l]
        ok(line and ":0 " not in line[0], "and text shows no port 0", line)


# A server's thread reads, its client's polls; then another client connects.
ENDED = """
import select, socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
accepted = listener.accept()[0]
def read():
    print("read", accepted.recv(1), flush=True)
def wait():
    poll = select.poll()
    poll.register(client, select.POLLIN)
    print("poll", len(poll.poll()), client.recv(1), flush=True)
threads = [threading.Thread(target=work) for work in (read, wait)]
for thread in threads:
    thread.start()
print(listener.getsockname()[1], flush=True)
for thread in threads:
    thread.join()
other = socket.create_connection(listener.getsockname())
listener.accept()[0].sendall(b"more")
print(other.recv(4), flush=True)
sys.stdin.read()
"""


def check_kill():
    """--kill wakes who waits, and leaves the listener alone."""
    for wrap in ("smc_run",), ("smc_run", "--raw"):
        name = " ".join(wrap) + ": --kill"
        program = subprocess.Popen([*wrap, "python3", "-c", ENDED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = program.stdout.readline().strip()
        chosen = ["sport", "=", ":" + port, "or", "dport", "=", ":" + port]
        status, out, err = run("smcss", "-K", "--dry-run", *chosen)
        equal((status, out.splitlines()[-1], len(listing("state", "active", "and", "(", *chosen, ")"))),
              (0, "2 connections would be ended", 2), name + " --dry-run changes nothing")
        status, out, err = run(*NOBODY, "smcss", "-K", *chosen)
        equal((status, out.splitlines()[-1], err), (1, "0 connections ended",
              "smcss: cannot end 2 of 2 connections: Permission denied\n"), name + " of another user's fails")
        equal(len(listing("state", "active", "and", "(", *chosen, ")")), 2, name + ": they still live")
        status, out, err = run("smcss", "-K", *chosen)
        equal((status, out.splitlines()[-1], err), (0, "2 connections ended", ""), name)
        equal(sorted(program.stdout.readline() for _ in range(2)), ["poll 1 b''\n", "read b''\n"],
              name + " ends a read and a poll, at both ends")
        equal(program.stdout.readline(), "b'more'\n", name + ": the listener accepts on")
        program.communicate()
        equal(program.returncode, 0, name + ": the program goes on")


def check_netns():
    run("ip", "netns", "add", "other")
    equal(listing("-a", "-N", "other"), [], "-N: an empty namespace has no sockets")
    run("ip", "-n", "other", "link", "set", "lo", "up")
    with Sockets("smc4:pair:127.0.0.1", prefix=("ip", "netns", "exec", "other")) as made:
        want = {s["inode"] for s in made.all}
        equal({s["inode"] for s in listing("-a", "-N", "other")}, want, "-N NAME: its sockets")
        equal({s["inode"] for s in listing("-a", "-N", str(made.process.pid))}, want, "-N PID: the same")
        ok(not want & {s["inode"] for s in listing("-a")}, "and they are not in ours")
        status, out, err = run(*NOBODY, "smcss", "-N", "other")
        ok(status == 1 and not out and "Operation not permitted" in err and err.count("\n") == 1,
           "-N without rights: one clear line", (status, out, err))


def serve(argv, port):
    server = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_up():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0
    ok(wait_for(is_up), "server on port %d is up" % port)
    return server


def check_unmodified_programs():
    for family, want in (("smc", 43), ("inet", 2), ("auto", None)):
        code = ("import socket,subprocess; l=socket.create_server(('127.0.0.1',0));"
                "c=socket.create_connection(l.getsockname()); a,_=l.accept(); c.sendall(b'x'*1000);"
                "assert len(a.recv(1000,socket.MSG_WAITALL))==1000;"
                "print(subprocess.run(['smcss','-j'],capture_output=True,text=True).stdout)")
        status, out, err = run("smc_run", "-f", family, "python3", "-c", code)

        rows = json.loads(out)["sockets"] if status == 0 else []
        equal((status, [s["mode"] for s in rows]), (0, ["SMCD", "SMCD"]), "smc_run -f %s: SMC-D" % family)
        if want and rows:
            ok(any(s["family"] == want for s in rows), "-f %s: family %d" % (family, want), rows)
        ok(not err, "no warning", err)
    server = serve(["smc_run", "redis-server", "--port", "7000", "--save", "", "--protected-mode", "no"], 7000)
    status, out, _ = run("smc_run", "redis-cli", "-p", "7000", "client", "list")
    ok("laddr=127.0.0.1:7000" in out, "redis-cli and redis-server talk", out)
    equal(run("redis-cli", "-p", "7000", "ping")[1], "PONG\n", "a plain client of the same server")
    server.terminate()
    server.wait()


def check_unaccepted():
    with Sockets("smc4:unaccepted:127.0.0.1:6001"):
        rows = [s for s in listing("sport", "=", ":6001")]
        equal([(s["inode"], s["mode"]) for s in rows], [(0, "SMCD")], "a connection nobody accepted yet")


def main():
    equal(listing("-a"), [], "no socket yet: an empty list")
    equal(smcss("-a").count("\n"), 1, "no socket yet: the header alone")
    subprocess.run(["ip", "addr", "add", "2001:db8::/64", "dev", "lo"], check=True)
    subprocess.run(["ip", "addr", "add", "32.1.13.184/32", "dev", "lo"], check=True)
    with Sockets(*SPECS, *IDLE, *TCP) as made:
        check_addresses(made)
        check_modes(made)
        check_details(made)
        check_fallback(made)
        check_holder(made)
    check_ambiguous()
    check_unaccepted()
    check_killed()
    check_kill()
    check_netns()
    check_all_netns()
    check_unmodified_programs()
    done()


main()
