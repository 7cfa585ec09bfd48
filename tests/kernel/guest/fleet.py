# SPDX-License-Identifier: MIT
"""Random configurations of hosts, the predictions of smc_setup plan for two of them, and the result. All is drawn from a
seed, so that both guests of a pair draw the same."""
import gzip
import json
import os
import random
import subprocess
import tempfile
import threading

import genl
from kern import doc, ok, out_of, run, wait_for, write
from smcsock import accept, call, smc_client, smc_listener

EIDS = ((), ("FLEET-C",), ("FLEET-B",), ("FLEET-B", "FLEET-A"), ("FLEET-A", "FLEET-B")) + (("FLEET-A",),) * 6
# PNET IDs to draw from: of a net device, and of its RDMA port.
PNETIDS = (("", ""),) * 4 + (("NETA", "NETA"),) * 3 + (("", "NETA"), ("NETA", ""), ("NETA", "NETB"))
# Port of the first pair. Each pair has a port of its own, so that no earlier connection affects it: see
# check_cookies().
PORT = 7501
# Commands of the families.
ADD_UEID, FLUSH_UEID, ADD_PNETID, FLUSH_PNETIDS = 10, 12, 2, 4
# On 6.1 an SMC-R connect() over Soft-RoCE never ends.
CAN_RXE = not os.uname().release.startswith("6.1.")
NAMESPACES = (None, "plan2")
SYSCTLS = {"smc/smcr_max_links_per_lgr": (1, 2, 2), "smc/limit_smc_hs": (0, 0, 0, 1), "ipv4/tcp_syncookies": (1,) * 9 + (2,)}


def draw_sysctls(rng):
    return {name: rng.choice(values) for name, values in SYSCTLS.items()}


def draw_host(rng, node):
    """A guest of a pair: with addresses in one subnet, in two with a route, or without IPv4."""
    net, mask = rng.choice((("10.99.0", 24),) * 8 + (("10.98.%d" % node, 24),) * 2 + (("10.99.0", 16), ("", 0)))
    own, port = rng.choice(PNETIDS)
    return {"eids": rng.choice(EIDS), "rxe": rng.random() < 0.95, "net": own, "port": port,
            "ip": net and "%s.%d" % (net, node), "mask": mask, "sysctls": draw_sysctls(rng)}


def draw(seed, count):
    """Pairs of guests, and every third one of two network namespaces of one guest."""
    rng = random.Random(seed)
    for number in range(count):
        if number % 3 == 2:
            yield {"is_netns": True, "eids": rng.choice(EIDS), "loopback": rng.choice(("", "", "", "NETA")),
                   "hosts": [{"net": rng.choice(PNETIDS)[0], "sysctls": draw_sysctls(rng),
                              "ip": "10.97.%d.%d" % (rng.choice((0, 0, node)), node)} for node in (1, 2)]}
        else:
            yield {"is_netns": False, "hosts": [draw_host(rng, 1), draw_host(rng, 2)]}


# ---- setup ----

def inside(netns, work, *args):
    """Work in a separate thread, which can enter a network namespace."""
    result = []

    def enter():
        if netns:
            with open("/run/netns/" + netns, "rb") as file:
                call("setns", file.fileno(), 0)
        result.append(work(*args))

    thread = threading.Thread(target=enter, daemon=True)
    thread.start()
    return thread, result


def within(netns, work, *args):
    """As inside(), but wait for the result."""
    thread, result = inside(netns, work, *args)
    thread.join()
    assert result, "%s failed in network namespace %s" % (work.__name__, netns)
    return result[0]


def write_sysctls(sysctls):
    for name, value in sysctls.items():
        if os.path.exists("/proc/sys/net/" + name):
            write("/proc/sys/net/" + name, str(value))


def set_eids(eids):
    with genl.Family("SMC_GEN_NETLINK") as smc:
        smc.do(FLUSH_UEID)
        for eid in eids:
            smc.do(ADD_UEID, (1, eid.ljust(32)))


def set_pnetids(entries):
    """Set the PNET table of this thread's network namespace. An entry: (PNET ID, net device, RDMA or ISM device)."""
    with genl.Family("SMC_PNETID") as pnet:
        pnet.do(FLUSH_PNETIDS)
        for name, net, device in entries:
            if name:
                pnet.do(ADD_PNETID, (1, name), *([(2, net)] if net else [(3, device), (4, 1)]))


def batch(program, *lines):
    """Run all lines by one process of a program that reads commands from standard input."""
    subprocess.run([*program, "-"], input="\n".join(lines), text=True, check=True)


def has_gid(ip):
    """Does rxe0 have the GID of this address? The kernel adds it some time after the address."""
    wanted = "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x" % tuple(map(int, ip.split(".")))
    top = "/sys/class/infiniband/rxe0/ports/1/gids/"
    for name in os.listdir(top):
        with open(top + name, encoding="ascii") as file:
            if file.read().strip() == wanted:
                return True
    return False


def has_rxe():
    return os.path.exists("/sys/class/infiniband/rxe0")


def no_rxe():
    """Remove rxe0, and with it its link groups, which must not be left for the next configuration."""
    if has_rxe():
        out_of("rdma", "link", "delete", "rxe0")


def make_host(host, peer):
    addresses = ["link delete plan1"] if os.path.exists("/sys/class/net/plan1") else []
    addresses.append("addr flush dev eth0")
    if host["ip"]:
        addresses.append("addr add %s/%d dev eth0" % (host["ip"], host["mask"]))
    if host["ip"] and peer["ip"]:
        addresses.append("route add %s/32 dev eth0" % peer["ip"])
    batch(["ip", "-4", "-batch"], *addresses)
    rxe = host["rxe"] and CAN_RXE
    devices = ["link delete rxe0"] if has_rxe() else []
    devices += ["link add rxe0 type rxe netdev eth0"] if rxe else []
    if devices:
        batch(["rdma", "-b"], *devices)
    assert has_rxe() == rxe
    assert wait_for(lambda: not rxe or not host["ip"] or has_gid(host["ip"]))
    set_eids(host["eids"])
    set_pnetids([(host["net"], "eth0", None), (rxe and host["port"], None, "rxe0")])
    write_sysctls(host["sysctls"])


def make_namespaces(pair):
    """The first one is the guest's own: only there the PNET ID of loopback is visible."""
    no_rxe()
    begin = ["link delete plan1"] if os.path.exists("/sys/class/net/plan1") else []
    begin += [] if os.path.exists("/run/netns/plan2") else ["netns add plan2"]
    begin.append("link add plan1 type veth peer name plan2 netns plan2")
    set_eids(pair["eids"])
    for number, netns in enumerate(NAMESPACES):
        host, peer, device = pair["hosts"][number], pair["hosts"][1 - number], "plan%d" % (number + 1)
        batch(["ip", *(["-n", netns] if netns else []), "-batch"], *begin, "addr add %s/24 dev %s" % (host["ip"], device),
              "link set %s up" % device, "route add %s/32 dev %s" % (peer["ip"], device))
        entries = [(host["net"], device, None), (not netns and pair["loopback"], None, "loopback-ism")]
        within(netns, set_pnetids, entries)
        within(netns, write_sysctls, host["sysctls"])
        begin = []


def end_namespaces():
    run("ip", "netns", "delete", "plan2")
    set_pnetids([])
    set_eids(())


# ---- prediction ----

# For one pair in this many use bundles of smc_chk bundle, also anonymous ones.
WHOLE = 50


def path_of(top, number, node):
    return "%s/%d-%d.tar.gz" % (top, number, node)


def mode_path(top, number, client):
    return "%s/%d-%d.mode" % (top, number, client)


def facts(path, name, netns=None):
    """A minimal bundle for the doctor: a complete one takes several times as long."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as top:
        inner, where = top + "/smc-bundle", ["-N", netns] if netns else []
        os.makedirs(inner + "/record")
        with open(inner + "/index.json", "w", encoding="ascii") as file:
            json.dump({"schema": "smc-tools/bundle/1", "host": name}, file)
        run("smc_chk", *where, env={"SMC_TOOLS_RECORD": inner + "/record"})
        tar = subprocess.run(["tar", "-C", top, "-c", "smc-bundle"], stdout=subprocess.PIPE, check=True).stdout
        with open(path, "wb") as file:
            file.write(gzip.compress(tar, 1))


def whole(path, netns=None, *options):
    with open(path, "wb") as file:
        subprocess.run(["smc_chk", "bundle", *(["-N", netns] if netns else []), "-", *options], stdout=file, check=True)


def predicted(*bundles):
    """Predictions from the first host to the second, and back: mode, links of an SMC-R group, and reasons."""
    status, out, err = run("smc_setup", "plan", "-j", *bundles)
    pairs = json.loads(out)["connections"] if status in (0, 2) and not err else [{"mode": err}] * 2
    return [((pair["mode"], pair.get("version"), pair.get("max_links")), pair.get("why_not_more")) for pair in pairs]


# ---- reality ----

def mode_of(connection):
    """Mode of the connection's socket, as smcss lists it."""
    inode = os.fstat(connection.fileno()).st_ino
    found = [s for s in doc("smcss", "-a", "-j")["sockets"] if s["inode"] == inode]
    return found[0].get("mode", "TCP") if len(found) == 1 else "TCP"


def mode_with_version(connection):
    """Return: mode of a client's connection, version of its link group, and for SMC-R the maximum number of links. SMC-R has
    only one group in which this host is the client."""
    mode = mode_of(connection)
    if mode == "TCP":
        return mode, None, None
    groups = doc("smcr" if mode == "SMCR" else "smcd", "-j", "linkgroup")["linkgroups"]
    group = [group for group in groups if group.get("role", "client") == "client"][-1]
    return mode, group.get("version"), group.get("max_links") if mode == "SMCR" else None


class Server:
    """A listener and its connection, in a network namespace."""

    def __init__(self, ip, port, netns=None):
        self.ready, self.over = threading.Event(), threading.Event()
        self.thread, _ = inside(netns, self.serve, ip, port)
        assert self.ready.wait(60)

    def serve(self, ip, port):
        with smc_listener(port, ip) as listener:
            self.ready.set()
            with accept(listener) as connection:
                connection.sendall(connection.recv(100))
                self.over.wait(120)

    def end(self):
        self.over.set()
        self.thread.join()


def dial(ip, port):
    client = smc_client(port, ip)
    client.sendall(b"to and fro")
    assert client.recv(100) == b"to and fro"
    return client


def connect(ip, port):
    """Transport of a connection there."""
    with dial(ip, port) as client:
        return mode_with_version(client)


# ---- comparison ----

def two_namespaces(pair, port, pack):
    """Connections between two network namespaces of this guest. pack(node, netns) makes a bundle of each first."""
    make_namespaces(pair)
    for node, netns in enumerate(NAMESPACES, 1):
        pack(node, netns)
    modes = []
    for client, server in ((0, 1), (1, 0)):
        end = Server(pair["hosts"][server]["ip"], port, NAMESPACES[server])
        modes.append(within(NAMESPACES[client], connect, pair["hosts"][server]["ip"], port))
        end.end()
    return modes


def judge(number, pair, guess, modes):
    """A failure prints all details."""
    for direction, ((mode, why), was) in enumerate(zip(guess, modes)):
        # The number of links only exists with SMC-R, and is only negotiated with release 1.
        same = mode == was if mode[0] == "SMCR" else mode[:2] == was[:2]
        ok(same, "%d: predicted and real, %d -> %d: %s" % (number, direction + 1, 2 - direction, was[0]),
           "predicted %r, was %r, %s\n%r" % (mode, was, json.dumps(why), pair))


def check_namespaces(count, seed=1):
    """Some pairs, as the guest is running anyway."""
    seen = set()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as top:
        paths = ["%s/%d.tar.gz" % (top, node) for node in (1, 2)]
        for number, pair in enumerate(p for p in draw(seed, 3 * count) if p["is_netns"]):
            modes = two_namespaces(pair, PORT + number, lambda node, netns: facts(paths[node - 1], "netns%d" % node, netns))
            judge(number, pair, predicted(*paths), modes)
            seen |= {mode[0] for mode in modes}
    levels = [[f["level"] for f in json.loads(run("smc_chk", *where, "-j")[1])["findings"] if f.get("object") == "loopback"]
              for where in ((), ("-N", "plan2"))]
    ok(levels == [["ok"], ["note"]], "only the first namespace shows the PNET ID of loopback: the doctor reports that", levels)
    end_namespaces()
    ok(seen == {"SMCD", "TCP"}, "predicted and real: SMC-D and TCP were there", seen)


def check_cookies():
    """tcp_syncookies=2 answers each SYN with a cookie, unless the same addresses and ports have a connection in TIME_WAIT."""
    modes = []
    set_eids(("FLEET-A",))
    write_sysctls({"ipv4/tcp_syncookies": 2})
    with smc_listener(PORT) as listener:
        for own in (7400, 7400, 7401):
            with smc_client(PORT, own=own) as client:
                with accept(listener):
                    modes.append(mode_of(client))
                assert client.recv(1) == b""
    write_sysctls({"ipv4/tcp_syncookies": 1})
    set_eids(())
    ok(modes == ["TCP", "SMCD", "TCP"], "tcp_syncookies=2: TCP, but the same client port again while the server has it in TIME_WAIT: SMC", modes)
