# SPDX-License-Identifier: MIT
"""Random configurations of hosts, what smc_chk --matrix predicts for two of them, and what they do. All of it is drawn from a
seed, so that both guests of a pair draw the same."""
import io
import json
import os
import random
import subprocess
import tarfile
import tempfile
import threading
import time

from kern import doc, ok, out_of, run, wait_for
from smcsock import accept, call, smc_client, smc_listener

EIDS = ((), ("FLEET-C",), ("FLEET-B",), ("FLEET-B", "FLEET-A"), ("FLEET-A", "FLEET-B")) + (("FLEET-A",),) * 6
# Of a net device and of the RDMA port on it.
PNETIDS = (("", ""),) * 4 + (("NETA", "NETA"),) * 3 + (("", "NETA"), ("NETA", ""), ("NETA", "NETB"))
PORT = 7501
NAMESPACES = (None, "matrix2")
SYSCTLS = {"smc/smcr_max_links_per_lgr": (1, 2, 2), "smc/limit_smc_hs": (0, 0, 0, 1), "ipv4/tcp_syncookies": (1,) * 9 + (2,)}


def draw_sysctls(rng):
    return {name: rng.choice(values) for name, values in SYSCTLS.items()}


def draw_host(rng, node):
    """One guest of a pair: with addresses in one subnet, in two with a route, or without IPv4."""
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


# ---- making it so ----

def inside(netns, work, *args):
    """Work of a thread of its own, which a network namespace is entered by."""
    result = []

    def enter():
        if netns:
            with open("/run/netns/" + netns, "rb") as file:
                call("setns", file.fileno(), 0)
        result.append(work(*args))

    thread = threading.Thread(target=enter)
    thread.start()
    return thread, result


def write_sysctls(sysctls):
    for name, value in sysctls.items():
        if os.path.exists("/proc/sys/net/" + name):
            with open("/proc/sys/net/" + name, "w", encoding="ascii") as file:
                file.write(str(value))


def set_eids(eids):
    out_of("smcd", "ueid", "flush")
    for eid in eids:
        out_of("smcd", "ueid", "add", eid)


def set_pnetids(entries, netns=None):
    where = ["-N", netns] if netns else []
    out_of("smc_pnet", *where, "-f")
    for name, option, device in entries:
        if name:
            out_of("smc_pnet", *where, "-a", name, option, device)


def has_gid(ip):
    """Its GID comes some time after the address and the device."""
    wanted = "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x" % tuple(map(int, ip.split(".")))
    top = "/sys/class/infiniband/rxe0/ports/1/gids/"
    for name in os.listdir(top):
        with open(top + name, encoding="ascii") as file:
            if file.read().strip() == wanted:
                return True
    return False


def no_rxe():
    """With it go its link groups, which the next configuration is not to have."""
    if os.path.exists("/sys/class/infiniband/rxe0"):
        out_of("rdma", "link", "delete", "rxe0")


def make_host(host, peer):
    no_rxe()
    run("ip", "link", "delete", "matrix1")
    out_of("ip", "-4", "addr", "flush", "dev", "eth0")
    if host["ip"]:
        out_of("ip", "addr", "add", "%s/%d" % (host["ip"], host["mask"]), "dev", "eth0")
    if host["ip"] and peer["ip"]:
        run("ip", "route", "add", peer["ip"] + "/32", "dev", "eth0")
    set_eids(host["eids"])
    if host["rxe"]:
        out_of("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "eth0")
        assert wait_for(lambda: not host["ip"] or has_gid(host["ip"]))
    set_pnetids([(host["net"], "-I", "eth0"), (host["rxe"] and host["port"], "-D", "rxe0")])
    write_sysctls(host["sysctls"])


def make_namespaces(pair):
    """The first one is the guest's own: only there one sees what PNET ID loopback has."""
    no_rxe()
    run("ip", "link", "delete", "matrix1")
    if not os.path.exists("/run/netns/matrix2"):
        out_of("ip", "netns", "add", "matrix2")
    set_eids(pair["eids"])
    out_of("ip", "link", "add", "matrix1", "type", "veth", "peer", "name", "matrix2", "netns", "matrix2")
    for number, netns in enumerate(NAMESPACES):
        host, peer, device = pair["hosts"][number], pair["hosts"][1 - number], "matrix%d" % (number + 1)
        where = ["-n", netns] if netns else []
        out_of("ip", *where, "addr", "add", host["ip"] + "/24", "dev", device)
        out_of("ip", *where, "link", "set", device, "up")
        run("ip", *where, "route", "add", peer["ip"] + "/32", "dev", device)
        set_pnetids([(host["net"], "-I", device), (not netns and pair["loopback"], "-D", "loopback-ism")], netns)
        inside(netns, write_sysctls, host["sysctls"])[0].join()


def end_namespaces():
    run("ip", "netns", "delete", "matrix2")
    set_pnetids([])
    set_eids(())


# ---- what is predicted ----

def facts(path, name, netns=None):
    """A bundle with what the doctor reads, and nothing else: a whole one takes several times as long."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as top:
        where = ["-N", netns] if netns else []
        run("smc_chk", *where, "--doctor", env={"SMC_TOOLS_RECORD": top})
        index = json.dumps({"schema": "smc-tools/bundle/1", "host": name}).encode()
        info = tarfile.TarInfo("smc-bundle/index.json")
        info.size = len(index)
        with tarfile.open(path, "w:gz", compresslevel=1) as tar:
            tar.addfile(info, io.BytesIO(index))
            tar.add(top, "smc-bundle/record")
    return path


def whole(path, netns=None, *options):
    with open(path, "wb") as file:
        subprocess.run(["smc_chk", *(["-N", netns] if netns else []), "-b", "-", *options], stdout=file, check=True)
    return path


def predicted(*bundles):
    """From the first to the second, and back: a mode, and links of a group of SMC-R; and why."""
    status, out, err = run("smc_chk", "--matrix", "-j", *bundles)
    pairs = json.loads(out)["connections"] if status in (0, 2) and not err else [{"mode": err}] * 2
    return [((pair["mode"], pair.get("version"), pair.get("max_links")), pair.get("why_not_more")) for pair in pairs]


# ---- what happens ----

def mode_of(connection):
    """As the socket is listed, with the version and the links of its group, by the program's own end."""
    inode = os.fstat(connection.fileno()).st_ino
    found = [s for s in doc("smcss", "-a", "-j")["sockets"] if s["inode"] == inode]
    return found[0].get("mode", "TCP") if len(found) == 1 else "TCP"


def mode_with_version(connection):
    mode = mode_of(connection)
    if mode == "SMCR":
        groups = doc("smcr", "-j", "linkgroup")["linkgroups"]
        return mode, groups[-1].get("version"), groups[-1].get("max_links")
    if mode == "SMCD":
        return mode, doc("smcd", "-j", "linkgroup")["linkgroups"][-1].get("version"), None
    return mode, None, None


class Server:
    """A listener and its connection, in a network namespace."""

    def __init__(self, ip, netns=None):
        self.ready, self.over = threading.Event(), threading.Event()
        self.thread, _ = inside(netns, self.serve, ip)
        assert self.ready.wait(60)

    def serve(self, ip):
        with smc_listener(PORT, ip) as listener:
            self.ready.set()
            with accept(listener) as connection:
                connection.sendall(connection.recv(100))
                self.over.wait(120)

    def end(self):
        self.over.set()
        self.thread.join()


def talk(ip):
    with smc_client(PORT, ip) as client:
        client.sendall(b"to and fro")
        assert client.recv(100) == b"to and fro"
        return mode_with_version(client)


def connect(ip, netns=None):
    """What a connection there is over."""
    thread, result = inside(netns, talk, ip)
    thread.join()
    return result[0] if result else ("no connection", None, None)


def meet(name):
    """Both guests of a pair: as smc-lab-sync, without a process for each look."""
    mark = os.environ["SMC_LAB_SHARED"] + "/met-" + name
    with open("%s.%s" % (mark, os.environ["SMC_LAB_NODE"]), "w", encoding="ascii"):
        pass
    end = time.monotonic() + 600
    while not os.path.exists("%s.%d" % (mark, 3 - int(os.environ["SMC_LAB_NODE"]))):
        assert time.monotonic() < end, "the other guest does not come to %s" % name
        time.sleep(0.02)


# ---- one against the other ----

def two_namespaces(pair, pack):
    """What is predicted, and what happens, between two network namespaces of this guest. pack(node, netns) makes a bundle."""
    make_namespaces(pair)
    guess = predicted(*(pack(node, netns) for node, netns in enumerate(NAMESPACES, 1)))
    modes = []
    for client, server in ((0, 1), (1, 0)):
        end = Server(pair["hosts"][server]["ip"], NAMESPACES[server])
        modes.append(connect(pair["hosts"][server]["ip"], NAMESPACES[client]))
        end.end()
    return guess, modes


def judge(number, pair, guess, modes):
    """A failure shows all that there is to know."""
    for direction, ((mode, why), was) in enumerate(zip(guess, modes)):
        # Only SMC-R has links, only with release 1 are they negotiated.
        same = mode == was if mode[0] == "SMCR" else mode[:2] == was[:2]
        ok(same, "%d: predicted and real, %d -> %d: %s" % (number, direction + 1, 2 - direction, was[0]),
           "predicted %r, was %r, %s\n%r" % (mode, was, json.dumps(why), pair))


def check_namespaces(count, seed=1):
    """Some pairs, for a guest that is there anyway."""
    seen = set()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as top:
        def pack(node, netns):
            return facts("%s/%d.tar.gz" % (top, node), "netns%d" % node, netns)

        for number, pair in enumerate(p for p in draw(seed, 3 * count) if p["is_netns"]):
            guess, modes = two_namespaces(pair, pack)
            judge(number, pair, guess, modes)
            seen |= {mode[0] for mode in modes}
    end_namespaces()
    ok(seen == {"SMCD", "TCP"}, "predicted and real: SMC-D and TCP were there", seen)
