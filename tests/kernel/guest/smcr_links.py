# SPDX-License-Identifier: MIT
"""smcr between two guests over Soft-RoCE: link groups, links, devices. Guest 1 is the client."""
import errno
import json
import os
import select
import socket

from kern import NODE, doc, done, equal, ok, out_of, sync

PEER, OWN = os.environ["SMC_LAB_PEER_IP"], os.environ["SMC_LAB_IP"]
CONNECTIONS = 3
SIZE = 3000


def rows(*argv):
    return [line.split() for line in out_of(*argv).splitlines()[1:]]


def gid(ip):
    return "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x" % tuple(map(int, ip.split(".")))


def check_device():
    device = doc("smcr", "-j", "device")["devices"][0]
    equal((device["netdev"], device["port"], device["state"], device["links"], device["critical"]),
          ("eth0", 1, "active", 1, True), "device: Soft-RoCE on eth0 with one link")
    ok(device["ibdev"].startswith("rxe") and not {"pci_id", "fid", "vendor"} & set(device),
       "device: no PCI function, so nothing about one", device)
    equal(device["type"], "Soft-RoCE", "device: its type")
    equal(device.get("pnetid"), None, "device: no PNET ID yet")
    equal(rows("smcr", "device"), [["eth0", device["ibdev"], "1", "ACTIVE", "Soft-RoCE", "Yes", "1"]], "device: text")
    equal(rows("smcr", "-d", "device"),
          [["eth0", device["ibdev"], "1", "ACTIVE", "Soft-RoCE", "Yes", "-", "-", "-", "1"]], "device -d: text")
    name = device["ibdev"]
    equal([len(rows("smcr", "device", *w)) for w in (("netdev", "eth0"), ("netdev", "lo"), ("ibdev", name),
                                                     ("ibdev", "x"), ("show", "netdev", "eth0", "ibdev", name),
                                                     ("netdev", "eth0", "ibdev", "x"))],
          [1, 0, 1, 0, 1, 0], "device: filters, and both at once")
    info = doc("smcr", "-j", "info")
    equal((info["roce"], info["roce_versions"]), (True, [2]), "info: Soft-RoCE has RoCE v2 only")
    ok("RoCE:             v2\n" in out_of("smcr", "info"), "info: text", out_of("smcr", "info"))
    return name


def check_groups(name):
    group = doc("smcr", "-j", "linkgroup")["linkgroups"][0]
    equal((group["role"], group["connections"], group["version"], group["eid"], group["peer_os"],
           group["direct"], group["vlan"]),
          ("client" if NODE == 1 else "server", CONNECTIONS, 2, "SMC-LAB-EID", "LINUX", True, 0),
          "link group in JSON")
    with socket.socket() as sock:
        cookie = int.from_bytes(sock.getsockopt(socket.SOL_SOCKET, 71, 8), "little")
    equal(group["net_cookie"], str(cookie), "link group: the cookie of this namespace")
    ok(group["sndbuf_bytes"] >= CONNECTIONS * 65536 and group["rmb_bytes"] >= CONNECTIONS * 65536 and
       group["max_connections"] == 255, "link group: buffers", group)
    text = ["CLNT" if NODE == 1 else "SERV", {"single": "SINGLE", "asymmetric-peer": "ASYMP", "symmetric": "SYM",
            "asymmetric-local": "ASYML"}[group["type"]]]
    row = [group["id"], *text, "0", str(CONNECTIONS)]
    equal(rows("smcr", "linkgroup"), [row], "link group: text")
    number = "%x" % (int(group["id"], 16) + 1)
    for words, count in ((("show", "all"), 1), ((number,), 1), (("0x" + number,), 1), (("0",), 1), (("ff00",), 0),
                         (("netdev", "eth0"), 1), (("show", "netdev", "lo"), 0), (("ibdev", name), 1),
                         (("ibdev", "none"), 0), ((number, "netdev", "eth0", "ibdev", name), 1),
                         (("netdev", "eth0", "ibdev", "none"), 0)):
        equal(rows("smcr", "linkgroup", *words), [row] * count, "linkgroup " + " ".join(words))
        equal(len(rows("smcr", "linkgroup", "link-show", *[w for w in words if w != "show"])), count,
              "link-show " + " ".join(words))
    block = dict(map(str.strip, l.split(":", 1)) for l in out_of("smcr", "-d", "linkgroup").splitlines())
    equal((block["LG-ID"], block["LG-Role"], block["EID"], block["#Conns"], block["Sndbuf"], block["RMB"],
           block["NetCookie"], block["Buf-Type"], block["Max-Conns"]),
          (group["id"], text[0], "SMC-LAB-EID", str(CONNECTIONS), "%d B" % group["sndbuf_bytes"],
           "%d B" % group["rmb_bytes"], str(cookie), group["buffer_type"], "255"), "link group: details")
    return group, text


def check_links(name, group, text):
    link = doc("smcr", "-j", "linkgroup", "link-show")["links"][0]
    equal((link["id"], link["link_id"], link["netdev"], link["state"], link["connections"], link["ibdev"],
           link["port"], link["gid"], link["peer_gid"]),
          (group["id"], 1, "eth0", "active", CONNECTIONS, name, 1, gid(OWN), gid(PEER)), "link in JSON")
    want = [group["id"], *text, "eth0", "LINK_ACTIVE", str(CONNECTIONS)]
    equal(rows("smcr", "linkgroup", "link-show"), [want], "link: text")
    want += [link["link_uid"], link["peer_uid"], name, "1"]
    equal(rows("smcr", "-d", "linkgroup", "link-show"), [want], "link -d: text")
    equal(rows("smcr", "-dd", "linkgroup", "link-show"), [want + [gid(OWN), gid(PEER)]], "link -dd: text")
    row = json.loads(out_of("smcss", "-R", "-j"))["sockets"][0]["smcr"]
    equal((row["gid"], row["peer_gid"], row["ib_device"]), (link["gid"], link["peer_gid"], link["ibdev"]),
          "smcss says the same")


def check_stats():
    stats = doc("smcr", "-ja", "stats")
    side = "client_v2" if NODE == 1 else "server_v2"
    sent, got = ("tx", "rx") if NODE == 1 else ("rx", "tx")
    equal((stats["connections"][side], stats[sent]["bytes"], stats[got]["bytes"]),
          (CONNECTIONS, CONNECTIONS * SIZE, 0), "statistics: connections and bytes")
    equal(doc("smcd", "-ja", "stats")["connections"][side], 0, "nothing on SMC-D")


def check_netns(name):
    """The net device moves away: its ifindex may belong to another device here, so the name must be gone."""
    if not os.path.exists("/proc/sys/net/smc") or NODE == 2:
        return
    equal(doc("smcr", "-j", "-N", "1", "linkgroup", "link-show")["links"][0]["netdev"], "eth0", "-N PID")
    out_of("ip", "netns", "add", "away")
    ifindex = doc("smcr", "-j", "device")["devices"][0]["ifindex"]
    out_of("ip", "-n", "away", "link", "add", "dummy0", "index", str(ifindex), "type", "dummy")
    equal(doc("smcr", "-j", "-N", "away", "device")["devices"][0]["netdev"], "eth0",
          "another namespace has another device of that number: not its name")


def check_dead(held):
    """A link dies with unanswered data: the kernel's word for that is ECONNABORTED, or ENOTCONN for reads."""
    out_of("nft", "add table inet dead { chain out { type filter hook output priority 0; udp dport 4791 drop; }; }")
    held[2].send(b"x")
    try:
        error = held[0].recv(1)
    except OSError as failure:
        error = failure.errno
    select.select([held[1]], [], [], 60)
    equal((error, held[1].getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)), (errno.ETIMEDOUT, errno.ETIMEDOUT),
          "a dead link: TCP's error")


def main():
    if "LD_PRELOAD" not in os.environ:
        os.execvp("smc_run", ["smc_run", "--quiet", "python3", "-B", __file__])
    held = []
    if NODE == 2:
        with socket.create_server(("0.0.0.0", 7100)) as listener:
            sync("up")
            for _ in range(CONNECTIONS):
                held.append(listener.accept()[0])
                held[-1].recv(SIZE, socket.MSG_WAITALL)
    else:
        sync("up")
        for _ in range(CONNECTIONS):
            held.append(socket.create_connection((PEER, 7100), 20))
            held[-1].sendall(b"x" * SIZE)
    sync("connected")
    name = check_device()
    group, text = check_groups(name)
    check_links(name, group, text)
    check_stats()
    check_netns(name)
    sync("checked")
    if NODE == 1:
        check_dead(held)
    sync("dead")
    done()


main()
