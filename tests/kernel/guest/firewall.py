# SPDX-License-Identifier: MIT
"""Firewall rules by owner: SMC's packets have none. Effects of such rules, and warnings about them."""
import json
import subprocess

from kern import NOBODY, done, equal, ok, out_of, run, wait_for

PORT = 7100
RULES = {
    "accept": "table inet owners {\n chain out {\n  type filter hook output priority 0;\n"
              "  oif lo tcp dport %d meta skuid 65534 accept\n  oif lo tcp dport %d drop\n }\n}\n" % (PORT, PORT),
    "drop": "table inet owners {\n chain out {\n  type filter hook output priority 0;\n"
            "  oif lo tcp dport %d meta skuid 65534 drop\n }\n}\n" % PORT,
    "by port": "table inet owners {\n chain out {\n  type filter hook output priority 0;\n"
               "  oif lo tcp dport 7101 drop comment \"not meta skuid 65534 drop\"\n }\n}\n",
}
CLIENT = "import socket,sys\ns = socket.socket()\ns.settimeout(8)\ns.connect(('127.0.0.1', %d))\nsys.stdout.write(s.recv(2).decode())\n" % PORT
SERVER = "import socket\ns = socket.create_server(('127.0.0.1', %d))\nwhile True:\n    s.accept()[0].sendall(b'ok')\n" % PORT


def reaches(*way):
    """Does the client of user 65534 get an answer?"""
    return run(*NOBODY, *way, "python3", "-c", CLIENT)[1] == "ok"


def firewall_of(document):
    return [(finding["level"], finding["text"]) for finding in document["findings"] if finding["check"] == "firewall"]


def findings():
    return firewall_of(json.loads(run("smc_chk", "-j")[1]))


def check(name, tcp, smc):
    subprocess.run(["nft", "-f", "-"], input=RULES[name], text=True, check=True)
    equal((reaches(), reaches("smc_run", "--no-learn")), (tcp, smc), name + ": TCP, SMC")
    found = findings()
    if name == "by port":
        equal([level for level, _ in found], ["ok"], name + ": the doctor finds no rule by owner")
    else:
        ok(len(found) == 1 and found[0][0] == "warning" and "inet owners out: " in found[0][1] and "skuid 65534" in found[0][1],
           name + ": the doctor shows the rule", found)
    out_of("nft", "delete", "table", "inet", "owners")


def main():
    with subprocess.Popen(["smc_run", "python3", "-c", SERVER]) as server:
        try:
            ok(wait_for(lambda: reaches("smc_run")), "without rules: SMC")
            equal([level for level, _ in findings()], ["ok"], "without rules: the doctor finds none")
            check("accept", True, False)
            check("drop", False, True)
            check("by port", True, True)
        finally:
            server.kill()
    done()


if __name__ == "__main__":
    main()
