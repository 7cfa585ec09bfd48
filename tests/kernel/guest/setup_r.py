# SPDX-License-Identifier: MIT
"""Two bare guests with two cards each become SMC-R with two links by smc_setup --apply, still after a boot, and go back by --undo.
A cable is pulled; what is wrong looks as docs/roce.md says. Guest 1 does it, guest 2 is reached by an ssh of ours."""
import os
import socket
import subprocess
import sys

import agent
from kern import NODE, doc, done, equal, listing, ok, out_of, run, sync, wait_for, write

IP, PEER = os.environ["SMC_LAB_IP"], os.environ["SMC_LAB_PEER_IP"]
ADDED = "/etc/smc-tools/smc.conf.d/50-added.conf"
PORT = 7400
BLOCK = "nft 'add table inet block; add chain inet block input { type filter hook input priority 0; }; add rule inet block input udp dport 4791 drop'"
UNBLOCK = "nft delete table inet block"
# A server that sends back what it gets, also in later connections.
ECHO = """import socket, threading
def serve(conn):
    for data in iter(lambda: conn.recv(100), b""):
        conn.sendall(data)
with socket.create_server(("0.0.0.0", %d)) as listener:
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
""" % PORT


def add_card():
    """A second card in the same subnet, each of them answering for its own address."""
    for knob in "all.arp_ignore=1", "all.arp_announce=2", "all.rp_filter=0", "default.rp_filter=0":
        out_of("sysctl", "-qw", "net.ipv4.conf." + knob)
    out_of("ip", "link", "add", "link", "eth0", "name", "eth1", "type", "macvlan", "mode", "bridge")
    out_of("ip", "address", "add", "10.99.0.1%d/24" % NODE, "dev", "eth1")
    out_of("ip", "link", "set", "eth1", "up")
    out_of("rdma", "link", "add", "rxe1", "type", "rxe", "netdev", "eth1")


def on_b(command):
    return run("ssh", "--", "b", command)[1]


def setup(*options):
    return run("smc_setup", *options)


def links():
    """Net devices of active links, of groups that have connections."""
    return sorted(link["netdev"] for link in doc("smcr", "-j", "linkgroup", "link-show")["links"] if link["state"] == "active")


def both(text):
    return ["host1 b %s" % text, "b host1 %s" % text]


def tests_of(out):
    """Rows of the last table, without blanks of columns."""
    return [" ".join(line.split()) for line in out.split("Seen\n")[-1].splitlines()]


def connect(address=PEER):
    """Status of smc_chk connect to guest 2, and what it says."""
    server = subprocess.Popen(["ssh", "--", "b", "smc_chk serve --once & p=$!; read x; kill $p 2>/dev/null"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    status, out, err = run("smc_chk", "connect", "-t", "5", address)
    server.stdin.close()
    server.wait()
    return status, out + err


def is_told(word, out):
    """Does smc_chk connect give this reason? Kernels with SMC-D over loopback propose it, too, and the server names its lack first."""
    return ("NOSMCD2DEV" if os.path.isdir("/sys/class/dibs/lo") else word) in out


def check_apply():
    status, out, err = setup("plan", "b")
    ok(status == 2 and not err and "smcd ueid add" in out, "two bare hosts: TCP, for lack of an EID", (status, out, err))
    status, out, err = setup("--apply", "--yes", "b")
    equal((status, tests_of(out), err), (0, both("SMC-R v2, 2 links SMC-R, 2 links"), ""), "--apply: SMC-R with two links, in both directions")
    equal([text.split() for text in (out_of("smcd", "ueid"), on_b("smcd ueid"), on_b("cat " + ADDED))],
          [["SMC-SETUP"], ["SMC-SETUP"], ["eid", "SMC-SETUP"]], "an EID in common, also at the next boot")
    status, out, err = setup("--apply", "--yes", "b")
    ok(status == 0 and "smc.conf of" not in out and "Nothing to change" in out, "again: nothing to do", (status, out, err))


def check_boot():
    """The settings are lost, as at a reboot; the boot unit's command brings them back."""
    for command in "smcd ueid flush", "smc_conf apply":
        equal((run("sh", "-c", command)[0], on_b(command)), (0, ""), command)
    status, out = connect()
    ok(status == 0 and "using SMC-R" in out, "SMC-R after a boot", out)


def talk(conns):
    for conn in conns:
        conn.sendall(b"ping")
        if conn.recv(4, socket.MSG_WAITALL) != b"ping":
            return False
    return True


def pulled():
    """In a process of its own, under smc_run: connections over both links, then one card is down."""
    conns = [socket.create_connection((PEER, PORT), 20) for _ in range(6)]
    for conn in conns:
        conn.settimeout(120)
    ok(talk(conns), "six connections")
    ok(wait_for(lambda: set(links()) == {"eth0", "eth1"}), "two links", links())
    out_of("ip", "link", "set", "eth1", "down")
    ok(wait_for(lambda: set(links()) == {"eth0"}), "one card is pulled: one link is left", links())
    ok(talk(conns), "all connections live")
    equal({s["mode"] for s in listing("dport", "=", ":%d" % PORT)}, {"SMCR"}, "over SMC-R")
    equal({s["smcr"]["ib_device"] for s in listing("-R", "dport", "=", ":%d" % PORT)}, {"rxe0"}, "of the other card, as smcss says")
    out_of("ip", "link", "set", "eth1", "up")
    ok(wait_for(lambda: set(links()) == {"eth0", "eth1"}), "the cable is back: two links", links())
    ok(talk(conns), "and all connections live")
    for conn in conns:
        conn.close()
    done()


def check_cable():
    server = subprocess.Popen(["ssh", "--", "b", "smc_run --quiet python3 -c '%s' & p=$!; read x; kill $p 2>/dev/null" % ECHO], stdin=subprocess.PIPE)
    wait_for(lambda: "7400" in on_b("ss -ltnH"))
    status, out, err = run("smc_run", "--quiet", "python3", "-B", os.path.abspath(__file__), "pulled")
    ok(status == 0 and out.rstrip().endswith("1..8"), "a cable is pulled", (status, out, err))
    server.stdin.close()
    server.wait()


def check_wrong():
    """Rows: what is wrong on guest 2, how it ends, status of the connection, word of the plan, of the connection."""
    rows = (("smcd ueid add OTHER; smcd ueid del SMC-SETUP", "smcd ueid add SMC-SETUP; smcd ueid del OTHER", 2, "no user EID in common", "NOSMCDEV"),
            ("smc_pnet -a WRONG -I eth0", "smc_pnet -d WRONG", 2, "PNET ID WRONG", "NOSMCRDEV"),
            (BLOCK, UNBLOCK, 2, "2 links", "ERR_REGBUF"))
    for begin, end, want, plan, verdict in rows:
        on_b(begin)
        status, out = connect()
        ok(status == want and is_told(verdict, out), "%s: %s" % (begin, verdict), (status, out))
        shown = setup("plan", "b")[1]
        ok(plan in shown, "%s: the plan says why, if it can see it" % begin, shown)
        on_b(end)
    status, out = connect(os.environ["SMC_LAB_PEER_IP6"])
    ok(status == 2 and is_told("NOSMCDEV", out), "IPv6: TCP", (status, out))


def check_mtu():
    """Soft-RoCE and SMC do not notice a smaller MTU: what they send gets lost. The last part, as these links do not end."""
    on_b("ip link set eth1 mtu 576; ip link set eth0 mtu 576")
    status, out, err = setup("--apply", "--yes", "b")
    ok(status == 1 and "Seen\n" in out and "no connection: smc_chk: " in out, "MTU 576: --apply says that data do not arrive", (status, out, err))
    shown = on_b("smc_chk")
    ok("MTU 576" in shown and "mtu 1500" in shown, "smc_chk on that host names the MTU", shown)
    on_b("ip link set eth0 mtu 1500; ip link set eth1 mtu 1500")
    status, out = connect()
    ok(status == 0 and "using SMC-R" in out, "MTU 1500: SMC-R again", (status, out))


def check_subnet():
    """The second cards are in subnets of their own."""
    for node, there in (1, lambda command: out_of("sh", "-c", command)), (2, on_b):
        there("ip address del 10.99.0.1%d/24 dev eth1; ip address add 10.98.%d.1/24 dev eth1" % (node, node))
    status, out, err = setup("--apply", "--yes", "b")
    equal((status, tests_of(out), err), (0, both("SMC-R v2, 1 link SMC-R, 1 link"), ""), "second cards in other subnets: one link")
    for node, there in (1, lambda command: out_of("sh", "-c", command)), (2, on_b):
        there("ip address del 10.98.%d.1/24 dev eth1; ip address add 10.99.0.1%d/24 dev eth1" % (node, node))


def check_vlan():
    """A VLAN has SMC-R over its IPv4 address, and none over IPv6."""
    vlan = "ip link add link eth0 name eth0.5 type vlan id 5; ip link set eth0.5 up; ip address add 10.97.0.%d/24 dev eth0.5"
    on_b(vlan % 2)
    out_of("sh", "-c", vlan % 1)
    status, out = connect("10.97.0.2")
    ok(status == 0 and "using SMC-R" in out, "VLAN: SMC-R", (status, out))
    on_b("ip address flush dev eth0.5; ip address add fd97::2/64 dev eth0.5 nodad")
    out_of("ip", "address", "add", "fd97::1/64", "dev", "eth0.5", "nodad")
    status, out = connect("fd97::2")
    ok(status == 2 and is_told("NOSMCDEV", out), "VLAN without IPv4: TCP", (status, out))
    ok("no GID of its VLAN" in on_b("smc_chk"), "smc_chk there says why")
    on_b("ip link delete eth0.5")
    out_of("ip", "link", "delete", "eth0.5")


def check_dead():
    """Guest 2 dies while it is changed: nobody knows whether it was."""
    for command in "smcd ueid flush; smc_conf remove", "rm -f " + ADDED:
        run("sh", "-c", command)
        on_b(command)
    on_b("echo smc_conf >" + agent.DEADLY)
    status, out, err = setup("--apply", "--yes", "b")
    ok(status == 1 and "b: cannot be changed back" in err and "host1: changed back" in err, "the second host dies: it is named", (status, out, err))
    equal((out_of("smcd", "ueid"), os.path.exists(ADDED)), ("", False), "and the first one is as before")
    on_b("rm " + agent.DEADLY)
    on_b("smc_conf remove")


def check_refused():
    """Guest 2 cannot take the change: its files contradict it."""
    on_b("mkdir -p /etc/smc-tools; echo 'nonsense' >/etc/smc-tools/smc.conf")
    status, out, err = setup("--apply", "--yes", "b")
    ok(status == 1 and "b: " in err and "nonsense" in err and "host1: changed back" in err, "the second host refuses: the reason is said", (status, out, err))
    equal((out_of("smcd", "ueid"), os.path.exists(ADDED), on_b("cat %s; smcd ueid" % ADDED)), ("", False, ""), "both are as before")
    on_b("rm /etc/smc-tools/smc.conf")


def check_undo():
    equal(setup("--apply", "--yes", "b")[0], 0, "--apply")
    equal(setup("--undo", "--yes", "b"), (0, "", ""), "--undo")
    equal((out_of("smcd", "ueid"), os.path.exists(ADDED), on_b("cat %s; smcd ueid" % ADDED)), ("", False, ""), "both are as before")


def main():
    if sys.argv[1:] == ["pulled"]:
        pulled()
        return
    add_card()
    write("/proc/sys/kernel/hostname", "host%d" % NODE)
    if NODE == 2:
        agent.serve()
        sync("up")
        sync("end")
        done()
        return
    agent.install()
    sync("up")
    check_apply()
    check_boot()
    check_cable()
    check_wrong()
    check_subnet()
    check_vlan()
    check_dead()
    check_refused()
    check_undo()
    check_mtu()
    sync("end")
    done()


if __name__ == "__main__":
    main()
