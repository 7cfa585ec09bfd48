# SPDX-License-Identifier: MIT
"""SMC-D in one guest: smcss compared with the connections of this test."""
import json
import signal
import socket
import subprocess

from allnetns import check_all_netns
from kern import (Sockets, by_inode, done, equal, listing, ok, run, smcss, wait_for)

SPECS = ["smc4:pair:127.0.0.1", "smc6:pair:[::1]", "inet4:pair:127.0.0.1", "inet6:pair:[::1]",
         "smc6:pair:[::ffff:127.0.0.1]", "smc4:pair:127.0.0.5", "inet4:pair:127.0.0.6"]
IDLE = ["smc6:listen:[::]:5005", "smc4:listen:0.0.0.0:5005", "inet4:listen:0.0.0.0:5007",
        "inet6:listen:[::]:5008", "inet4:listen:127.0.0.1:5009", "smc6:listen:[2001:db8::]:5010",
        "smc4:listen:32.1.13.184:5011", "smc4:bound:0.0.0.0:6002", "smc4:fresh:0.0.0.0"]
TCP = ["tcp4:listen:127.0.0.1:6000", "smc4:connect:127.0.0.1:6000", "inet4:connect:127.0.0.1:6000",
       "smc4:fastopen:127.0.0.1:6000"]


def text_addr(end):
    ip = end.get("address")
    if ip is None:
        return "n/a:%d" % end["port"]
    return ("[%s]:%d" if ":" in ip else "%s:%d") % (ip, end["port"])


def text_mode(sock):
    mode = sock.get("mode")
    if mode == "TCP":
        mode += " 0x%08x" % sock["reason"]["code"]
        if "peer_reason" in sock:
            mode += "/0x%08x" % sock["peer_reason"]["code"]
    return mode


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
    line = [l for l in smcss("-dD").splitlines() if " %07d " % client["inode"] in l][0].split()
    equal(line[6:8], ["SMCD", "<->"], "-d: nothing is shut down")
    equal(int(line[8], 16), client["token"], "-d: token")
    equal([int(x, 16) for x in line[9:12]], [client[k] for k in ("sndbuf", "rcvbuf", "peerbuf")],
          "-d: buffer sizes")
    equal(line[-5:], [client["smcd"][k] for k in ("gid", "token", "peer_gid", "peer_token", "linkgroup")],
          "-D: the same as in JSON")


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


def check_text(made):
    rows = {s["cookie"]: s for s in listing("-a")}
    lines = smcss("-aH", "-o", "cookie,state,uid,inode,family,local,peer,mode").splitlines()
    equal(len(lines), len(rows), "text and JSON have the same sockets")
    family = {43: "smc", 2: "inet", 10: "inet6"}
    for line in lines:
        cells = line.split()
        row = rows[cells[0]]
        want = [row["cookie"], row["state"], "%05d" % row["uid"], "%07d" % row["inode"],
                family[row["family"]]]
        want += [text_addr(row[k]) if k in row else "-" for k in ("local", "peer")]
        want += (text_mode(row) or "").split()
        while want[-1] == "-":
            want.pop()
        if not ok(cells == want, "text equals JSON: inode %d" % row["inode"],
                  "text: %r\njson: %r" % (cells, want)):
            break
    # The listing that smc-tools 1.8.5 users know: header and where rows end.
    header = smcss("-a").splitlines()[0].split()
    equal(header, "State UID Inode Local Address Peer Address Intf Mode".split(), "header words")
    equal(len([l for l in smcss("-l").splitlines()[1:] if len(l.split()) != 4]), 0,
          "a listening row ends after its address")
    pid = made.process.pid
    client = made.one(SPECS[0], "client")
    line = [l for l in smcss("-p").splitlines() if " %07d " % client["inode"] in l][0]
    ok('users:(("sockets",pid=%d,fd=%d))' % (pid, client["fd"]) in line, "-p names the holder", line)
    equal(by_inode(client["inode"], "-p")["processes"],
          [{"pid": pid, "command": "sockets", "fd": client["fd"]}], "-p in JSON")


def check_selection(made):
    everything = listing("-a")
    count = {m: sum(s.get("mode") == m for s in everything) for m in ("SMCD", "SMCR", "TCP", None)}
    equal(len(listing("-D")), count["SMCD"], "-D: SMC-D only")
    equal(len(listing("-R")), 0, "-R: no SMC-R here")
    equal(len(listing("-l")), sum(s["state"] == "LISTEN" for s in everything), "-l: listeners only")
    equal(len(listing()), count["SMCD"] + count["TCP"], "default: connections")
    port = made.one(SPECS[1], "listener")["local"]["port"]
    equal(len(listing("sport", "=", ":%d" % port, "or", "dport", "=", ":%d" % port)), 2, "port filter")
    equal({s["local"]["port"] for s in listing("-a", "src", "2001:db8::/32")}, {5010}, "address filter")
    equal(len(listing("state", "listen", "mode", "none", "uid", "root")), len(listing("-l")),
          "state, mode and uid filters")
    summary = run("smcss", "-s")[1].splitlines()
    equal(summary[1].split()[1:], ["0", str(count["SMCD"]), str(count["TCP"])], "--summary: totals")


def check_ambiguous():
    """Two IPPROTO_SMC listeners on one port: only the process differs."""
    specs = ["inet4:listen:127.0.0.11:5050", "inet4:listen:127.0.0.12:5050"]
    with Sockets(*specs) as made:
        for item in made.all:
            row = by_inode(item["inode"])
            equal(row["local"], item["local"], "ambiguous address: asked from the process")
        status, out, _ = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "smcss", "-lH",
                             "sport", "=", ":5050")
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


def watched(count, *argv):
    """Status and lines of a program that repeats itself, ended after this many lines."""
    with subprocess.Popen(["smcss", *argv], stdout=subprocess.PIPE, text=True) as watch:
        lines = [watch.stdout.readline() for _ in range(count)]
        watch.terminate()
        rest = watch.communicate()[0]
    return watch.returncode, lines + rest.splitlines(True)


def check_watch():
    status, lines = watched(3, "-w", "0.2")
    blocks = "".join(lines).split("\n\n")
    ok(status == -signal.SIGTERM and len(blocks) >= 2 and all(b.startswith("State ") for b in blocks),
       "--watch repeats the list", (status, lines))
    status, lines = watched(2, "-jw", "0.2")
    ok(status == -signal.SIGTERM and [l for l in lines[:2] if l and json.loads(l)["sockets"] == []] == lines[:2],
       "--watch --json: a line each", (status, lines))


def check_netns():
    run("ip", "netns", "add", "other")
    equal(listing("-a", "-N", "other"), [], "-N: an empty namespace has no sockets")
    run("ip", "-n", "other", "link", "set", "lo", "up")
    with Sockets("smc4:pair:127.0.0.1", prefix=("ip", "netns", "exec", "other")) as made:
        want = {s["inode"] for s in made.all}
        equal({s["inode"] for s in listing("-a", "-N", "other")}, want, "-N NAME: its sockets")
        equal({s["inode"] for s in listing("-a", "-N", str(made.process.pid))}, want, "-N PID: the same")
        ok(not want & {s["inode"] for s in listing("-a")}, "and they are not in ours")
        status, out, err = run("setpriv", "--reuid=65534", "--clear-groups", "--regid=65534", "smcss",
                               "-N", "other")
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
    default = int(open("/proc/sys/net/core/rmem_default").read())
    limit = int(open("/proc/sys/net/core/rmem_max").read())
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    for who, most, text in ((), 262144, "beyond the limit for root"), (nobody, limit, "up to the limit for others"):
        out = run("smc_run", "-r", "256K", "-t", "128K", *who, "/usr/bin/python3", "-c",
                  "import socket; s=socket.socket(); u=socket.socket(type=socket.SOCK_DGRAM);"
                  "print(s.getsockopt(1,8), s.getsockopt(1,7), u.getsockopt(1,8))", env={"SMC_DEBUG": "0"})[1]
        equal(out.split(), [str(2 * min(most, 262144)), str(2 * 131072), str(default)],
              "-r and -t set the buffers of SMC sockets, and of no other; " + text)


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
        check_text(made)
        check_selection(made)
    check_ambiguous()
    check_unaccepted()
    check_killed()
    check_watch()
    check_netns()
    check_all_netns()
    check_unmodified_programs()
    done()


main()
