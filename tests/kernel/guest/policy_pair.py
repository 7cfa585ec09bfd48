# SPDX-License-Identifier: MIT
"""Policy between two hosts: guest 1 connects, guest 2 has the servers; first one of them has the policy, then the other."""
import os
import socket
import threading

import smcsock
from kern import NODE, done, equal, listing, ok, out_of, run, sync
from policy import PEER_NO_SMC, apply, show

IP4 = {NODE: os.environ["SMC_LAB_IP"], 3 - NODE: os.environ["SMC_LAB_PEER_IP"]}
IP6 = {NODE: os.environ["SMC_LAB_IP6"], 3 - NODE: os.environ["SMC_LAB_PEER_IP6"]}
DENIED, ALLOWED, PLAIN, CLOSED = 7001, 7002, 7003, 7999
# IPv6 does not go over Soft-RoCE.
HAS_SMCR = os.path.isdir("/sys/class/infiniband") and bool(os.listdir("/sys/class/infiniband"))

# Rules as in firewalld and ufw: they drop unsolicited packets, and count.
FIREWALLS = """
table inet firewalld {
	chain filter_INPUT {
		type filter hook input priority filter + 10; policy drop;
		ct state established,related counter accept
		meta l4proto { icmp, ipv6-icmp, udp } accept
		iifname lo accept
		tcp dport 7001-7003 counter accept
		reject with tcp reset
	}
	chain mangle_PREROUTING { type filter hook prerouting priority mangle + 10; policy accept; }
}
table ip filter {
	chain ufw-before-input { ct state related,established counter accept; }
	chain INPUT { type filter hook input priority filter; policy accept; jump ufw-before-input; }
}
"""


def firewalls(*options):
    return [out_of("nft", *options, "list", "table", *table.split()) for table in ("inet firewalld", "ip filter")]


def serve(listener, accept):
    """Echoes once, and waits for the client's end."""
    while True:
        conn = accept(listener)
        with conn:
            conn.sendall(conn.recv(5, socket.MSG_WAITALL)[::-1])
            conn.recv(1)


def start_servers():
    for address in IP4[2], IP6[2]:
        for port in DENIED, ALLOWED:
            threading.Thread(target=serve, args=(smcsock.smc_listener(port, address), smcsock.accept), daemon=True).start()
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        threading.Thread(target=serve, args=(socket.create_server((address, PLAIN), family=family), lambda s: s.accept()[0]), daemon=True).start()


def echoes(sock):
    sock.sendall(b"there")
    return sock.recv(5, socket.MSG_WAITALL) == b"ereht"


def tcp_of(packet):
    """Return: the TCP header of an IP packet; None for other protocols."""
    is_v4 = packet[0] >> 4 == 4
    if packet[9 if is_v4 else 6] != socket.IPPROTO_TCP:
        return None
    return packet[(packet[0] & 15) * 4 if is_v4 else 40:]


def packets_of(connect):
    """Return: a new connection, and the number of packets until it is established. Packets of the previous connection may
    still arrive."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3)) as tap:
        tap.bind(("eth0", 3))
        tap.setblocking(False)
        conn, ports, mine = connect(), [], None
        try:
            while True:
                tcp = tcp_of(tap.recv(65536))
                if tcp and tcp[13] & 0x12 == 2:     # SYN alone
                    mine = {tcp[0:2], tcp[2:4]}
                if tcp:
                    ports.append({tcp[0:2], tcp[2:4]})
        except BlockingIOError:
            return conn, ports.count(mine)


def outcome(address, port):
    """(mode, the reason of the fallback, packets, whether bytes arrive) of an SMC socket."""
    conn, count = packets_of(lambda: smcsock.smc_client(port, address))
    with conn:
        inode = os.fstat(conn.fileno()).st_ino
        works = echoes(conn)
        row = [row for row in listing() if row["inode"] == inode][0]
        return row["mode"], row.get("reason", {}).get("code"), count, works


def check(who):
    """Guest 1: denied connections are as fast as TCP, all others as without a policy."""
    for address in IP4[2], IP6[2]:
        conn, count = packets_of(lambda: socket.create_connection((address, PLAIN)))
        ok(echoes(conn), "%s: plain TCP to %s works" % (who, address))
        conn.close()
        equal(count, 3, "%s: and takes three packets" % who)
        equal(outcome(address, DENIED), ("TCP", PEER_NO_SMC, count, True), "%s: %s is denied, at once, without one packet more" % (who, address))
        mode, reason, more, works = outcome(address, ALLOWED)
        ok(works and reason != PEER_NO_SMC and more > count, "%s: %s is allowed: the hosts talk about SMC" % (who, address), (mode, reason, more))
        if HAS_SMCR and address == IP4[2]:
            equal(mode, "SMCR", "%s: and agree" % who)


def counted():
    shown = show()
    return sum(rule["hits"] for rule in shown["rules"])


def phase(node, lines):
    """One host has the policy, the other none."""
    before = firewalls("-s") if NODE == 2 else None
    apply(lines + "\n" if node == NODE else "")
    sync("%d-on" % node)
    if NODE == 1:
        check("at the " + ("client" if node == 1 else "server"))
        ok(run("python3", "-c", "import socket; socket.create_connection(('%s', %d))" % (IP4[2], CLOSED))[2].endswith("refused\n"),
           "what the firewall forbids stays forbidden")
    sync("%d-done" % node)
    if node == NODE:
        equal(counted(), 2, "it counted the two that it denied, and no other user of TCP")
    if NODE == 2:
        equal(firewalls("-s"), before, "the tables of others are as they were")


def main():
    if NODE == 2:
        run("sh", "-c", "printf '%s' \"$0\" | nft -f -", FIREWALLS)
        start_servers()
    sync("up")
    phase(1, "deny to %s:%d [%s]:%d" % (IP4[2], DENIED, IP6[2], DENIED))
    phase(2, "deny from %s:%d [%s]:%d" % (IP4[1], DENIED, IP6[1], DENIED))
    if NODE == 2:
        ok(all("packets 0" not in line for table in firewalls() for line in table.splitlines() if "counter" in line),
           "the rules of others saw the packets", firewalls())
    sync("end")
    done()


main()
