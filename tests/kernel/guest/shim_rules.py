# SPDX-License-Identifier: MIT
"""Which sockets of one program use SMC, by its rules: listeners, connections, both families."""
import json
import os
import subprocess
import sys

from kern import done, equal, listing, ok

# Two listeners, two connections to servers outside, one more that is bound and not blocking; prints
# their inodes and what became of their options.
PROGRAM = """
import json, os, select, socket, sys
socks, facts = {}, {}
def listener(name, port, family=socket.AF_INET):
    s = socks[name] = socket.socket(family)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("", port))
    s.listen()
def client(name, host, port, family=socket.AF_INET):
    s = socks[name] = socket.socket(family)
    s.connect((host, port))
    s.sendall(b"x" * 1000)
    facts[name] = len(s.recv(1000, socket.MSG_WAITALL))
listener("listen 7201", 7201)
listener("listen 7202", 7202)
listener("listen6 7203", 7203, socket.AF_INET6)
s = socks["listen any"] = socket.socket()
s.listen()
facts["port"] = s.getsockname()[1] > 0
client("to 7101", "127.0.0.1", 7101)
client("to 7102", "127.0.0.1", 7102)
client("to6 7101", "::1", 7101, socket.AF_INET6)
client("mapped 7102", "::ffff:127.0.0.1", 7102, socket.AF_INET6)
s = socks["async 7102"] = socket.socket()
s.setblocking(False)
s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
s.bind(("127.0.0.1", 0))
poll = select.epoll()
poll.register(s.fileno(), select.EPOLLOUT | select.EPOLLET)
s.connect_ex(("127.0.0.1", 7102))
facts["epoll"] = [f == s.fileno() and bool(e & select.EPOLLOUT) and not e & select.EPOLLERR for f, e in poll.poll(10)][-1:]
facts["async"] = [s.getpeername()[1], s.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                  s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), s.getblocking(), s.get_inheritable()]
print(json.dumps([{n: os.fstat(s.fileno()).st_ino for n, s in socks.items()}, facts]), flush=True)
sys.stdin.read()
"""

# Echoes, over SMC or TCP as the client likes.
SERVER = """
import socket, threading
def echo(c):
    while data := c.recv(65536):
        c.sendall(data)
def serve(s):
    while True:
        threading.Thread(target=echo, args=(s.accept()[0],), daemon=True).start()
for port in 7101, 7102:
    s = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    threading.Thread(target=serve, args=(s,)).start()
print("ready", flush=True)
"""

EVERYTHING = {"listen 7201": "SMC", "listen 7202": "SMC", "listen6 7203": "SMC", "listen any": "SMC",
              "to 7101": "SMCD", "to 7102": "SMCD", "to6 7101": "SMCD", "mapped 7102": "SMCD",
              "async 7102": "SMCD"}


def changed(what, **but):
    """Expected modes: @what for all sockets, except those in @but."""
    return {name: but.get(name.replace(" ", "_"), what if what == "plain" else EVERYTHING[name])
            for name in EVERYTHING}


def kinds(options, env=None):
    """Mode of each socket by its name: SMC for listeners, plain for sockets that are not SMC."""
    run_env = dict(os.environ, **(env or {}))
    with subprocess.Popen(["smc_run", *options, sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, env=run_env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        rows = {row["inode"]: row for row in listing("-a")}
        err = process.communicate()[1]
    if not line:
        return None, None, err
    inodes, facts = json.loads(line)
    found = {}
    for name, inode in inodes.items():
        row = rows.get(inode)
        found[name] = "plain" if row is None else "SMC" if row["state"] == "LISTEN" else row["mode"]
    return found, facts, err


def check(name, options, want, env=None):
    found, facts, err = kinds(options, env)
    if not ok(found is not None, name + ": the program runs", err):
        return ""
    equal(found, want, name)
    equal(facts, {"port": True, "to 7101": 1000, "to 7102": 1000, "to6 7101": 1000, "mapped 7102": 1000,
                  "epoll": [True], "async": [7102, 1, 1, False, False]}, name + ": and every socket works")
    return err


def main():
    with subprocess.Popen(["smc_run", sys.executable, "-c", SERVER], stdout=subprocess.PIPE) as server:
        server.stdout.readline()
        for family in ("smc", "inet"):
            base = ["-f", family]
            check(family + ", no rules", base, EVERYTHING)
            check(family + ", one port included", [*base, "--include", "7101"],
                  changed("plain", to_7101="SMCD", to6_7101="SMCD"))
            check(family + ", one port and listeners excluded", [*base, "--exclude", "7102,listen:7202"],
                  changed("SMC", to_7102="plain", mapped_7102="plain", async_7102="plain", listen_7202="plain"))
        check("networks", ["--include", "127.0.0.0/8 listen", "--exclude", "listen:7201-7202"],
              changed("SMC", to6_7101="plain", listen_7201="plain", listen_7202="plain"))
        check("IPv6", ["--exclude", "[::1]:*,listen:[::]"], changed("SMC", to6_7101="plain", listen6_7203="plain"))
        check("SMC_STRICT does not forbid what a rule wants", ["--strict", "--include", "listen"],
              changed("SMC", to_7101="plain", to_7102="plain", to6_7101="plain", mapped_7102="plain",
                      async_7102="plain"))
        check("SMC_RAW neither", ["--exclude", "7101"], changed("SMC", to_7101="plain", to6_7101="plain"),
              {"SMC_RAW": "1"})
        err = check("with debug output", ["-d", "--exclude", "7101"],
                    changed("SMC", to_7101="plain", to6_7101="plain"))
        equal(err.count("rules for connecting -> TCP\n"), 2, "it says what the rules did")
        err = check("a list of junk is ignored", [], EVERYTHING, {"SMC_EXCLUDE": "7101,junk"})
        ok(err.count("SMC_EXCLUDE is not a list of rules") == 1, "and said so once", err)
        server.kill()
    done()


main()
