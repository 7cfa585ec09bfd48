# SPDX-License-Identifier: MIT
"""Two guests, or two network namespaces of one, are made as drawn, leave a bundle each, and report the modes of connections between
them were. The host compares them with the predictions for the bundles: see plan_judge.py.
usage: plan_r.py PAIRS SEED"""
import json
import os
import sys
import time

import fleet
from kern import NODE, done, ok

OUT, SHARED = os.environ["SMC_LAB_OUT"], os.environ["SMC_LAB_SHARED"]
IP6, PEER6 = os.environ["SMC_LAB_IP6"], os.environ["SMC_LAB_PEER_IP6"]
KEY = "/bin/sh"


def meet(name):
    """Wait for the other guest of the pair. As smc-lab-sync, but without starting a process for each poll."""
    mark, peer = SHARED + "/met-" + name, 3 - NODE
    with open("%s.%d" % (mark, NODE), "w", encoding="ascii"):
        pass
    while not os.path.exists("%s.%d" % (mark, peer)):
        assert not os.path.exists("%s/../%d/status" % (SHARED, peer)), "the other guest has ended before %s" % name
        time.sleep(0.02)


def pack(number, node, netns=None):
    path = fleet.path_of(OUT, number, node)
    if number % fleet.WHOLE != fleet.WHOLE - 1:
        fleet.facts(path, "host%d" % node, netns)
        return
    fleet.whole(path + ".tgz", netns, "--anonymous", "--key", KEY)
    fleet.whole(path, netns)


def tell(number, client, mode):
    with open(fleet.mode_path(OUT, number, client), "w", encoding="ascii") as file:
        json.dump(mode, file)


def two_guests(number, pair):
    """Each guest connects in its turn, so that the other one's server is not busy, and reports its own connection."""
    own, other = pair["hosts"][NODE - 1], pair["hosts"][2 - NODE]
    fleet.make_host(own, other)
    pack(number, NODE)
    ip, peer = (own["ip"], other["ip"]) if own["ip"] and other["ip"] else (IP6, PEER6)
    server = fleet.Server(ip, fleet.PORT + number)
    meet("%d-listening" % number)
    for client in (1, 2):
        if NODE == client:
            connection = fleet.dial(peer, fleet.PORT + number)
        meet("%d-%d-connected" % (number, client))
    with connection:
        tell(number, NODE, fleet.mode_with_version(connection))
        meet("%d-told" % number)
    server.end()


def work(number, pair):
    if not pair["is_netns"]:
        two_guests(number, pair)
    elif NODE == number // 3 % 2 + 1:
        modes = fleet.two_namespaces(pair, fleet.PORT + number, lambda node, netns: pack(number, node, netns))
        for client, mode in enumerate(modes, 1):
            tell(number, client, mode)


def main(count, seed):
    # Put pairs of network namespaces next to each other: each guest tests them alone.
    pairs = sorted(enumerate(fleet.draw(seed, count)), key=lambda item: (item[0] // 6, item[1]["is_netns"]))
    begin = time.monotonic()
    for number, pair in pairs:
        work(number, pair)
    ok(True, "%d pairs of seed %d were made" % (count, seed))
    print("# node %d: %.1f s each" % (NODE, (time.monotonic() - begin) / count))
    done()


main(int(sys.argv[1]), int(sys.argv[2]))
