# SPDX-License-Identifier: MIT
"""smc_dump against a kernel: its output about handshakes matches smcss and smcd. usage: smc_dump.py SMCD|SMCR

SMC-D: both ends here, over lo. SMC-R: two guests, guest 1 has the client and looks at eth0. With SMC_LAB_OUT the captures stay."""
import json
import os
import socket
import stat
import subprocess
import sys

from kern import HAS_SEID, Lines, NOBODY, NODE, doc, done, equal, has_jit, listing, ok, out_of, run, skip, sync, uids, wait_for
from smcsock import call, smc_client, smc_listener

MODE = sys.argv[1]
INTERFACE, PEER = ("lo", "127.0.0.1") if MODE == "SMCD" else ("eth0", os.environ["SMC_LAB_PEER_IP"])
PEER6 = "::1" if MODE == "SMCD" else os.environ["SMC_LAB_PEER_IP6"]
FILE = os.environ.get("SMC_LAB_OUT", "/run") + "/%s.pcap" % MODE.lower()
EID = "SMC-LAB-EID"


def listen(ip, port, is_smc):
    return smc_listener(port, ip) if is_smc else socket.create_server((ip, port))


class Dump(Lines):
    """smc_dump on the interface, with its output."""
    def __init__(self, *argv):
        super().__init__("smc_dump", "-i", INTERFACE, *argv, stderr=subprocess.PIPE)
        self.first = self.process.stderr.readline()

    def end(self):
        """Status, stdout, stderr."""
        super().end()
        return self.process.returncode, "".join(self.all), self.process.stderr.read()


def connect(name, port, ip=PEER, is_smc=True):
    """One connection of an SMC socket, with data both ways, then closed. Return: the client's row of smcss."""
    listener = client = row = None
    if MODE == "SMCD" or NODE == 2:
        listener = listen("::" if ":" in ip else "0.0.0.0", port, is_smc)
    if MODE == "SMCR":
        sync(name + "-up")
    if NODE == 1:
        client = smc_client(port, ip)
        client.send(b"x" * 100)
    if listener:
        server = socket.socket(fileno=call("accept", listener.fileno(), None, None))
        server.send(server.recv(100, socket.MSG_WAITALL))
    if client:
        equal(len(client.recv(100, socket.MSG_WAITALL)), 100, name + ": 100 bytes there and back")
        row = [s for s in listing() if s.get("peer", {}).get("port") == port][0]
        client.close()
    if listener:
        equal(server.recv(1), b"", name + ": closed")
        server.close()
        listener.close()
    return row


def check_smc(name, events, row):
    """Compare the events of one connection with its row of smcss."""
    outcome = events[-1]
    kinds = [e["event"] for e in events]
    equal(kinds, ["syn", "syn_ack", "proposal", "accept", "confirm", "outcome"], name + ": all of the handshake")
    equal([e["offers_smc"] for e in events[:2]], [True, True], name + ": both offer SMC")
    equal(outcome["mode"], {"SMCD": "SMC-D", "SMCR": "SMC-R"}[row["mode"]], name + ": the mode of smcss")
    equal((outcome["version"], outcome.get("release")), (2, 1 if events[3]["first_contact"] else None),
          name + ": version 2.1, as the first connection of a link group shows")
    chosen = doc("smcd", "-j", "seid")["seid"] if HAS_SEID and row["mode"] == "SMCD" else EID
    equal((events[2]["ueids"], events[3]["eid"], events[4]["eid"]), ([EID], chosen, chosen), name + ": the EID")
    ok(outcome["handshake_us"] > 0, name + ": the handshake takes time", outcome)
    accept, confirm = events[3:5]
    if row["mode"] == "SMCD":
        equal(int(confirm["dmb_token"], 16) != 0 and accept["chid"], 0xffff, name + ": a DMB of an emulated device")
    else:
        equal(int(confirm["alert_token"], 16), row["token"], name + ": smcss's token")
        equal({e.get("os") for e in (accept, confirm)}, {"Linux" if accept["first_contact"] else None}, name + ": Linux")
        equal(accept["gids" if "gids" in accept else "gid"], "::ffff:" + PEER, name + ": the server's GID")


def by_port(lines, port):
    return [e for e in lines if str(port) in (e["from"].rsplit(":", 1)[1], e["to"].rsplit(":", 1)[1])]


def start():
    """Return: a live decoder, and one that writes."""
    dump, writer = Dump("-j"), Dump("-w", FILE)
    ok("listening on %s" % INTERFACE in dump.first, "it says when it listens", dump.first)
    return dump, writer


def finish(dump, writer, last_port):
    """Return: events, live and from the file."""
    def has_last(lines):
        return [e for e in by_port([json.loads(line) for line in lines], last_port) if e["event"] == "outcome"]
    ok(wait_for(lambda: has_last(dump.all)), "the last handshake is reported at once", dump.all[-3:])
    ok(wait_for(lambda: has_last(run("smc_dump", "-j", "-r", FILE)[1].splitlines())), "and soon in the file")
    equal(uids(writer.process), (["65534"] * 4, 0, "2"), "it runs as nobody, without capabilities, behind a filter")
    status, out, err = writer.end()
    equal((status, out), (0, ""), "-w: ends silently on stdout")
    equal(stat.S_IMODE(os.stat(FILE).st_mode), 0o600, "-w: the file is the owner's alone")
    status, out, err = dump.end()
    equal((status, err), (0, ""), "SIGTERM is no failure")
    live = [json.loads(line) for line in out.splitlines()]
    equal({e["schema"] for e in live}, {"smc-tools/dump/1"}, "the schema on each line")
    status, out, err = run("smc_dump", "-j", "-r", FILE)
    equal((status, err), (0, ""), "-r: reads what -w wrote")
    return live, [json.loads(line) for line in out.splitlines()]


def same_fields(live, file, port):
    """Events without times and numbers of connections."""
    def strip(events):
        return [{key: value for key, value in e.items() if key not in
                 ("seconds", "nanoseconds", "connection", "handshake_us")} for e in by_port(events, port)]
    equal(strip(live), strip(file), "port %d: live as from the file" % port)


def check_smcd():
    dump, writer = start()
    row = connect("SMC-D", 7100)
    row6 = connect("IPv6", 7101, PEER6)
    plain = connect("plain server", 7102, is_smc=False)
    if not HAS_SEID:
        out_of("smcd", "ueid", "del", EID)
        declined = connect("no EID", 7103)
        out_of("smcd", "ueid", "add", EID)
    last = 7102 if HAS_SEID else 7103
    live, file = finish(dump, writer, last)
    check_smc("SMC-D", by_port(live, 7100), row)
    check_smc("IPv6", by_port(live, 7101), row6)
    outcome = by_port(live, 7102)[-1]
    equal((outcome["mode"], outcome["reason"]["symbol"], outcome["reason"]["code"]),
          ("TCP", plain["reason"]["symbol"], "0x%08x" % plain["reason"]["code"]), "plain server: smcss's reason")
    equal({r["host"] for r in outcome["reason"]["remedies"] if r["where"] == "server"}, {PEER}, "what to do on the server")
    if HAS_SEID:
        skip("no EID", "there is always the system EID")
    else:
        outcome = by_port(live, 7103)[-1]
        equal((outcome["mode"], outcome["reason"]["symbol"], outcome["reason"]["found_by"]),
              ("TCP", declined["peer_reason"]["symbol"], "server"), "no EID: the server's reason, as smcss shows it")
    for port in range(7100, last + 1):
        same_fields(live, file, port)
    status, out, err = run(*NOBODY, "smc_dump", "-i", "lo")
    equal((status, out, "needs root" in err and err.count("\n")), (1, "", 1), "not for everybody")
    if not has_jit():
        equal(run("smc_dump"), (1, "", "smc_dump: cannot load the eBPF programs: the kernel lacks CONFIG_BPF_JIT\n"), "no payload: why")
    status, out, err = run("smc_dump", "-i", "nosuch0")
    equal((status, out, "no such interface" in err and err.count("\n")), (1, "", 1), "no such interface")


def check_smcr():
    if NODE == 1:
        dump, writer = start()
    row = connect("SMC-R", 7200)
    again = connect("again", 7201)
    connect("IPv6", 7202, PEER6)
    sync("end")
    if NODE == 2:
        return
    live, file = finish(dump, writer, 7202)
    check_smc("SMC-R", by_port(live, 7200), row)
    check_smc("again", by_port(live, 7201), again)
    equal([e["first_contact"] for port in (7200, 7201) for e in by_port(live, port) if e["event"] == "accept"], [True, False],
          "the second connection is in the link group of the first")
    equal(by_port(live, 7202)[-1]["mode"], "TCP", "IPv6: soft-RoCE has no such GID")
    for port in range(7200, 7203):
        same_fields(live, file, port)


if __name__ == "__main__":
    check_smcd() if MODE == "SMCD" else check_smcr()
    done()
