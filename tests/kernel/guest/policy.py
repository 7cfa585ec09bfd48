# SPDX-License-Identifier: MIT
"""Policy: denied peers get TCP at once, all others SMC, other traffic is unaffected."""
import json
import os
import socket
import subprocess

import smcsock
from kern import doc, done, equal, listing, ok, out_of, run, Sockets

PEER_NO_SMC = 0x03010000
HAS_SMC = bool(doc("smcd", "-j", "device")["devices"])

# Lines -> connections as (from, to, port), and which of them are denied.
ALLOW = """allow 127.1.0.0/16
allow fd00::/8
deny port 7022
deny port 7100-7200
deny to 127.1.9.7:7032
deny from 127.1.8.0/24"""
CASES = [
    (ALLOW, [
        ("127.1.0.1", "127.1.0.2", 7001, False),
        ("127.0.0.1", "127.1.0.2", 7001, True),     # not allowed to the server
        ("127.1.0.1", "127.0.0.1", 7001, True),     # not allowed to the client
        ("fd00::1", "fd00::2", 7001, False),
        ("fc00::1", "fd00::2", 7001, True),
        ("fd00::1", "fc00::1", 7001, True),
        ("127.1.0.1", "127.1.0.2", 7022, True),
        ("fd00::1", "fd00::2", 7022, True),
        ("127.1.0.1", "127.1.0.2", 7099, False),
        ("127.1.0.1", "127.1.0.2", 7100, True),
        ("127.1.0.1", "127.1.0.2", 7200, True),
        ("127.1.0.1", "127.1.0.2", 7201, False),
        ("127.1.0.1", "127.1.9.7", 7032, True),
        ("127.1.0.1", "127.1.9.7", 7033, False),
        ("127.1.9.7", "127.1.0.1", 7032, False),
        ("127.1.8.5", "127.1.0.1", 7001, True),
        ("127.1.0.1", "127.1.8.5", 7001, False),
        ("::ffff:127.1.0.1", "::ffff:127.1.0.2", 7001, False),
        ("::ffff:127.1.0.1", "::ffff:127.1.0.2", 7022, True),
        ("::ffff:127.1.8.5", "::ffff:127.1.0.2", 7001, True)]),
    # "allow" applies only to its own direction and ports.
    ("allow from 127.1.0.0/16:7001-7002", [
        ("127.1.0.1", "127.0.0.1", 7001, False),
        ("127.0.0.1", "127.1.0.1", 7001, True),
        ("127.0.0.1", "127.1.0.1", 7002, True),
        ("fd00::1", "fd00::2", 7001, True),
        ("127.0.0.1", "127.1.0.1", 7003, False)]),
    # Only IPv6, even for the whole address space.
    ("deny ::/0", [
        ("127.0.0.1", "127.1.0.1", 7001, False),
        ("::ffff:127.0.0.1", "::ffff:127.1.0.1", 7001, False),
        ("fd00::1", "fd00::2", 7001, True)]),
    ("", [("127.0.0.1", "127.1.0.1", 7022, False)]),
]

OTHER = ["nsenter", "--net=/run/netns/other"]


def apply(lines, prefix=()):
    """Lines of smc.conf; without any the policy goes."""
    result = subprocess.run([*prefix, "smc_conf", "apply", "-"], input=lines or "exclusive policy\n", text=True, capture_output=True,
                            check=False)
    return ok(result.returncode == 0, "applied: " + " | ".join(lines.splitlines()[:6]), result.stderr)


def show(prefix=()):
    """The policy of this network namespace, or that of @prefix."""
    found = [policy for policy in json.loads(out_of(*prefix, "smc_conf", "show", "-j"))["policies"] if "netns" not in policy]
    return found[0] if found else {"rules": []}


def lines_of(prefix=()):
    return sorted(line for line in out_of(*prefix, "smc_conf", "export").split("\nnetns ")[0].splitlines() if line.startswith(("allow ", "deny ")))


class Pair:
    """A connection between two SMC sockets of this guest."""

    def __init__(self, here, there, port):
        self.listener = smcsock.smc_listener(port, there)
        self.client = smcsock.smc_socket(here)
        name = smcsock.name_of(here, 0)
        smcsock.call("bind", self.client.fileno(), name, len(name))
        name = smcsock.name_of(there, port)
        smcsock.call("connect", self.client.fileno(), name, len(name))
        self.server = smcsock.accept(self.listener)

    def outcome(self):
        """True if both ends fell back as denied, False if they use SMC; anything else as it is."""
        inodes = [os.fstat(s.fileno()).st_ino for s in (self.client, self.server)]
        rows = [(row["mode"], row.get("reason", {}).get("code")) for row in listing() if row["inode"] in inodes]
        if rows == [("TCP", PEER_NO_SMC)] * 2:
            return True
        if HAS_SMC:
            return False if [mode for mode, _ in rows] == ["SMCD"] * 2 else rows
        return False if len(rows) == 2 and PEER_NO_SMC not in [reason for _, reason in rows] else rows

    def works(self):
        self.client.sendall(b"there")
        self.server.sendall(self.server.recv(5, socket.MSG_WAITALL)[::-1])
        return self.client.recv(5, socket.MSG_WAITALL) == b"ereht"

    def close(self):
        for sock in self.client, self.server, self.listener:
            sock.close()


def check_connections(lines, connections):
    apply(lines)
    for here, there, port, is_denied in connections:
        pair = Pair(here, there, port)
        equal((pair.outcome(), pair.works()), (is_denied, True), "%s to %s, port %d is %s" % (
            here, there, port, "denied" if is_denied else "not denied"))
        pair.close()
    if lines:
        equal(lines_of(), sorted(lines.splitlines()), "what is in force is what was applied")


def check_counters():
    """A connection counted by each rule, and one that is not SMC's."""
    apply("allow to 127.1.0.0/16\nallow from 127.1.0.0/16\ndeny 127.1.8.5\ndeny port 7022\n")
    for here, there, port in (("127.1.0.1", "127.1.0.2", 7001), ("127.1.0.1", "127.1.8.5", 7001),
                              ("127.1.0.1", "127.1.0.2", 7022), ("127.0.0.1", "127.1.0.2", 7001)):
        Pair(here, there, port).close()
    with socket.create_server(("127.1.0.2", 7022)) as server:
        socket.create_connection(server.getsockname()).close()
    shown = show()
    rules = {(rule["action"], rule["direction"]): (rule["hits"], rule.get("others_denied")) for rule in shown["rules"]}
    equal((shown["denied_ports_hits"], rules),
          (1, {("deny", "both"): (1, None), ("allow", "to"): (2, 0), ("allow", "from"): (1, 1)}),
          "every rule counts what it decided about")


def check_programs():
    """Programs that know nothing of SMC, by the library and by eBPF."""
    apply("deny 127.1.0.0/16\n")
    for way in ["--preload"] + ["--bpf"] * (not run("smc_bpf", "check")[0]):
        specs = "tcp4:pair:127.1.0.1", "tcp4:pair:127.0.0.1"
        with Sockets(*specs, prefix=("smc_run", way)) as sockets:
            rows = {row["inode"]: (row.get("mode"), row.get("reason", {}).get("code") == PEER_NO_SMC) for row in listing("-a")}
            found = [[rows[s["inode"]] for s in sockets.all if s["spec"] == spec and s["what"] != "listener"] for spec in specs]
        equal(found, [[("TCP", True)] * 2, [("SMCD" if HAS_SMC else "TCP", False)] * 2], "so under smc_run " + way)


def packets_of(connect):
    """Number of packets until a connection is established, on lo."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as tap:
        tap.bind(("lo", 0x0800))
        tap.setblocking(False)
        kept = connect()
        count = 0
        try:
            while True:
                count += tap.recv(65536)[9] == socket.IPPROTO_TCP
        except BlockingIOError:
            del kept
            return count


def tcp_pair():
    server = socket.create_server(("127.1.0.2", 7099))
    client = socket.create_connection(server.getsockname())
    return server, client, server.accept()[0]


def check_round_trips():
    apply("deny port 7001\n")
    equal(packets_of(lambda: Pair("127.1.0.1", "127.1.0.2", 7001)), packets_of(tcp_pair),
          "denied connections take as many packets as over TCP")
    ok(packets_of(lambda: Pair("127.1.0.1", "127.1.0.2", 7002)) > packets_of(tcp_pair) > 2, "which SMC is not")


def check_many():
    nets = ["10.%d.%d.0/24" % (i >> 7, i * 2 & 255) for i in range(9999)] + ["127.1.0.0/16"]
    apply("".join("allow %s\n" % net for net in nets))
    equal(sorted(show()["rules"][0]["networks"]), sorted(nets), "ten thousand networks are in force")
    for here, is_denied in (("127.1.0.1", False), ("127.2.0.1", True)):
        pair = Pair(here, "127.1.0.2", 7001)
        equal(pair.outcome(), is_denied, "and report %s" % here)
        pair.close()


FOREIGN = """
table inet firewalld {
	set smc-tools { type ipv4_addr; flags interval; elements = { 10.0.0.0/8 } }
	chain filter_INPUT { type filter hook input priority filter + 10; policy accept; tcp dport 7001 counter accept; }
}
table ip filter { chain ufw-before-input { ip saddr 10.0.0.1 drop; }; }
table ip smc-tools { chain mine { counter; }; }
table netdev smc-tools { }
"""


def foreign_tables():
    text = out_of("nft", "-s", "list", "ruleset")
    start = text.find("table inet smc-tools {")
    return text if start < 0 else text[:start] + text[text.index("\n}\n", start) + 3:]


def check_leaves_alone():
    """Applying and removing a policy leaves other tables and network namespaces alone."""
    before = foreign_tables()
    apply("deny port 7001\n")
    equal(foreign_tables(), before, "other tables are as they were")
    run("ip", "netns", "add", "other")
    equal(show(OTHER)["rules"], [],
          "another network namespace has no policy")
    apply("")
    equal((show(), foreign_tables()), ({"rules": []}, before), "an empty policy leaves nothing behind")
    ok("table inet smc-tools" not in out_of("nft", "list", "tables"), "no table either")


def check_namespaces():
    """Each network namespace has its own policy."""
    apply("deny port 7001\n")
    apply("deny port 7002\n", OTHER)
    equal((lines_of(), lines_of(OTHER)), (["deny port 7001"], ["deny port 7002"]),
          "two network namespaces have a policy each")
    apply("", OTHER)
    equal(lines_of(), ["deny port 7001"], "and one can go without the other")


def main():
    subprocess.run("ip link set lo up; for a in fd00::1 fd00::2 fc00::1; do ip addr add $a/128 dev lo nodad; done", shell=True,
                   check=True)
    subprocess.run(["nft", "-f", "-"], input=FOREIGN, text=True, check=True)
    for lines, connections in CASES:
        check_connections(lines, connections)
    check_counters()
    check_programs()
    check_round_trips()
    check_many()
    check_leaves_alone()
    check_namespaces()
    done()


if __name__ == "__main__":
    main()
