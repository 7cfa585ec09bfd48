# SPDX-License-Identifier: MIT
"""smc_events between two guests whose link group has two links: one goes down. Guest 1 is the client, and loses it.

The second Soft-RoCE device of each is on a macvlan of eth0, with an address in the same network: that is how SMC finds it."""
import os

from kern import NODE, doc, done, equal, ok, out_of, Reports, sync, wait_for, write
from smcsock import accept, smc_client, smc_listener

PEER, OWN = os.environ["SMC_LAB_PEER_IP"], os.environ["SMC_LAB_IP"]
PORT, CONNECTIONS = 7100, 4
SECOND = OWN.rsplit(".", 1)[0]


def second_device():
    address = "%s.%d" % (SECOND, 100 + NODE)
    out_of("ip", "link", "add", "eth1", "link", "eth0", "type", "macvlan", "mode", "bridge")
    out_of("ip", "addr", "add", address + "/24", "dev", "eth1", "noprefixroute")
    for name in ("arp_ignore", "arp_announce"):
        write("/proc/sys/net/ipv4/conf/all/" + name, {"arp_ignore": "1", "arp_announce": "2"}[name])
    out_of("ip", "link", "set", "eth1", "up")
    out_of("ip", "route", "add", SECOND + ".0/24", "dev", "eth1", "src", address, "metric", "1000")
    first = doc("smcr", "-j", "device")["devices"][0]["ibdev"]
    out_of("rdma", "link", "add", "rxe_two", "type", "rxe", "netdev", "eth1")
    out_of("smc_pnet", "-a", "NET1", "-I", "eth0")
    for device in (first, "rxe_two"):
        out_of("smc_pnet", "-a", "NET1", "-D", device, "-P", "1")
    return first


class Events(Reports):
    def __init__(self):
        super().__init__("smc_events", "-j")
        ok(wait_for(lambda: self.all), "the events begin")

    def of(self, kind):
        return [event for event in self.all if event["event"] == kind]


def connections():
    if NODE == 2:
        with smc_listener(PORT, OWN) as listener:
            sync("up")
            return [accept(listener) for _ in range(CONNECTIONS)]
    sync("up")
    return [smc_client(PORT, PEER) for _ in range(CONNECTIONS)]


def exchange(held, text):
    """One request and one answer on each connection."""
    for conn in held:
        if NODE == 1:
            conn.sendall(text)
            equal(conn.recv(100), text + b"!", "an answer, " + text.decode())
        else:
            conn.sendall(conn.recv(100) + b"!")


def connections_of(link_id):
    return sum(link["connections"] for link in doc("smcr", "-j", "linkgroup", "link-show")["links"] if link["link_id"] == link_id)


def check_up(events, first):
    ok(wait_for(lambda: len(events.of("link up")) == 2), "two links come up", events.all)
    up = events.of("link up")
    equal([(e["device"], e["port"], e["link"]) for e in up], [(first, 1, 1), ("rxe_two", 1, 2)], "link 1 and link 2")
    equal(len({e["link_group"] for e in up}), 1, "of one link group")
    equal(doc("smcr", "-j", "linkgroup")["linkgroups"][0]["type"], "symmetric", "which has two on both sides")


def check_down(events):
    """The other guest is only asked to delete it."""
    had = connections_of(2)
    ok(0 < had < CONNECTIONS, "some connections are on the second link", had)
    sync("counted")
    if NODE == 2:
        return
    out_of("ip", "link", "set", "eth1", "down")
    ok(wait_for(lambda: events.of("link down")), "the link goes down", events.all)
    down = events.of("link down")[0]
    equal((down["device"], down["port"], down["link"], down["connections"], down.get("to_link")), ("rxe_two", 1, 2, had, 1),
          "it was link 2, and all that it had moved to link 1")
    ok(wait_for(lambda: connections_of(1) == CONNECTIONS), "there they are", connections_of(1))


def main():
    first = second_device()
    sync("ready")
    events = Events()
    held = connections()
    exchange(held, b"over two links")
    check_up(events, first)
    check_down(events)
    sync("moved")
    exchange(held, b"over one")
    equal(events.of("closed"), [], "none of them ended")
    sync("checked")
    events.process.terminate()
    done()


main()
