# SPDX-License-Identifier: MIT
"""SMC-R between two guests, and every kind of fallback to TCP with its reason. Guest 1 is the client."""
import os

import subprocess

from kern import NODE, doc, done, equal, listing, ok, smcss, sync

HAS_LOOPBACK = doc("smcd", "-j", "info")["loopback"]
PEER = os.environ["SMC_LAB_PEER_IP"]
PEER6 = os.environ["SMC_LAB_PEER_IP6"]
OWN = os.environ["SMC_LAB_IP"]
SERVER = """
import socket, sys
family = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
l = socket.create_server((sys.argv[1], int(sys.argv[2])), family=family)
print('up', flush=True)
c, _ = l.accept()
c.sendall(c.recv(100))
c.recv(1)
"""


def with_connection(name, port, check, wrap=("smc_run",), client_wrapped=True, addr=PEER):
    """Guest 2 serves under wrap, guest 1 connects; both call check(row) while the connection lives."""
    if NODE == 2:
        bind = "::" if ":" in addr else "0.0.0.0"
        server = subprocess.Popen([*wrap, "python3", "-c", SERVER, bind, str(port)],
                                  stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        sync(name + "-up")
        sync(name + "-connected")
        check([s for s in listing() if s["local"]["port"] == port])
        sync(name + "-checked")
        server.wait()
        return
    sync(name + "-up")
    code = ("import socket,sys\nc=socket.create_connection((sys.argv[1],int(sys.argv[2])),20)\n"
            "c.sendall(b'x'*100)\nn=len(c.recv(100,socket.MSG_WAITALL))\nprint(n,flush=True)\n"
            "sys.stdin.read(1)")
    argv = ["python3", "-c", code, addr, str(port)]
    client = subprocess.Popen((["smc_run"] if client_wrapped else []) + argv, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    equal(client.stdout.readline(), "100\n", name + ": 100 bytes there and back")
    sync(name + "-connected")
    check([s for s in listing() if s.get("peer", {}).get("port") == port])
    sync(name + "-checked")
    client.stdin.close()
    client.wait()


def check_smcr(rows):
    equal([s["mode"] for s in rows], ["SMCR"], "both under smc_run: SMC-R")
    row = rows[0]
    equal(row["smcr"]["role"], "client" if NODE == 1 else "server", "SMC-R role")
    ok(row["smcr"]["ib_device"].startswith("rxe"), "SMC-R device", row["smcr"])
    mapped = "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x"
    equal(row["smcr"]["gid"], mapped % tuple(map(int, OWN.split("."))), "own GID")
    equal(row["smcr"]["peer_gid"], mapped % tuple(map(int, PEER.split("."))), "peer's GID")
    equal((row["local"]["address"], row["peer"]["address"]), (OWN, PEER), "addresses")
    equal((row["tx_prod"]["count"], row["rx_prod"]["count"]), (100, 100), "bytes both ways")
    cells = smcss("-R", "-H").split()
    equal(cells[6:], ["SMCR", "CLNT" if NODE == 1 else "SERV", row["smcr"]["ib_device"], "01",
                      "%02x" % row["smcr"]["link_id"], row["smcr"]["gid"], row["smcr"]["peer_gid"]],
          "-R: the same in text")
    equal(smcss("-R").splitlines()[0].split()[-6:],
          ["Role", "IB-device", "Port", "Linkid", "GID", "Peer-GID"], "-R: header words")
    equal(listing("-D"), [], "-D: no SMC-D here")


def check_reason(local, peer=None):
    def check(rows):
        got = [(s["mode"], s["reason"]["symbol"], s.get("peer_reason", {}).get("symbol")) for s in rows]
        equal(got, [("TCP", local, peer)], "TCP: %s%s" % (local, "/" + peer if peer else ""))
        out = smcss("-e")
        ok("    local: %s: " % local in out and (not peer or "    peer: %s: " % peer in out),
           "--explain has both sides", out)
        cell = "TCP 0x%08x" % rows[0]["reason"]["code"]
        if peer:
            cell += "/0x%08x" % rows[0]["peer_reason"]["code"]
        ok(cell in out, "and the numbers", out)
    return check


def check_none(rows):
    equal(rows, [], "a plain TCP socket is not an SMC socket")


def with_eid(*eids):
    subprocess.run(["smc-lab-eid", "flush"], check=True)
    if eids:
        subprocess.run(["smc-lab-eid", "add", *eids], check=True)


def main():
    with_connection("smcr", 7001, check_smcr)
    with_connection("inet", 7002, lambda rows: equal([s["mode"] for s in rows], ["SMCR"],
                                                    "-f inet: SMC-R"), wrap=("smc_run", "-f", "inet"))
    with_connection("plain-server", 7003, check_reason("PEERNOSMC") if NODE == 1 else check_none,
                    wrap=())
    with_connection("plain-client", 7004, check_none if NODE == 1 else check_reason("PEERNOSMC"),
                    client_wrapped=False)
    # With loopback the client proposes SMC-D, and the server declines.
    client, server = (("PEERDECL", "NOSMCD2DEV"), ("NOSMCD2DEV",)) if HAS_LOOPBACK else (("NOSMCDEV",), ("PEERDECL", "NOSMCDEV"))
    with_connection("ipv6", 7005, check_reason(*(client if NODE == 1 else server)), addr=PEER6)
    with_eid("EID-OF-NODE-%d" % NODE)
    sync("eids")
    declined = "NOSMCD2DEV" if HAS_LOOPBACK else "NOSMCDEV"
    with_connection("no-common-eid", 7006, check_reason("PEERDECL", declined) if NODE == 1 else check_reason(declined))
    with_eid()
    sync("no-eid")
    client, server = (("PEERDECL", "NOUEID"), ("NOUEID",)) if HAS_LOOPBACK else (("NOSMCDEV",), ("PEERDECL", "NOSMCDEV"))
    with_connection("no-eid", 7007, check_reason(*(client if NODE == 1 else server)))
    done()


main()
