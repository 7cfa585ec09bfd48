# SPDX-License-Identifier: MIT
"""smc_chk --matrix against what two guests, or two network namespaces of one, then do.
usage: matrix_r.py PAIRS SEED"""
import collections
import json
import os
import sys

import fleet
from fleet import meet
from kern import NODE, done, equal, ok

SHARED, IP6 = os.environ["SMC_LAB_SHARED"], os.environ["SMC_LAB_IP6"]
PEER6 = os.environ["SMC_LAB_PEER_IP6"]
# Every so many pairs the bundles are what smc_chk -b makes, and there are anonymous ones, too.
WHOLE = 25
KEY = "/bin/sh"


def path_of(number, node):
    return "%s/%d-%d.tar.gz" % (SHARED, number, node)


def pack(number, node, netns=None):
    path = path_of(number, node)
    if number % WHOLE:
        return fleet.facts(path, "host%d" % node, netns)
    fleet.whole(path + ".tgz", netns, "--anonymous", "--key", KEY)
    return fleet.whole(path, netns)


def one_way(client, number, ip, peer):
    """A connection from a guest to the other one. Guest 1 gets what it was."""
    note = "%s/%d-%d.mode" % (SHARED, number, client)
    if NODE != client:
        server = fleet.Server(ip)
        meet("%d-%d-listening" % (number, client))
        meet("%d-%d-connected" % (number, client))
        server.end()
    else:
        meet("%d-%d-listening" % (number, client))
        with open(note, "w", encoding="ascii") as file:
            json.dump(fleet.connect(peer), file)
        meet("%d-%d-connected" % (number, client))
    with open(note, encoding="ascii") as file:
        return tuple(json.load(file))


def two_guests(number, pair):
    own, other = pair["hosts"][NODE - 1], pair["hosts"][2 - NODE]
    fleet.make_host(own, other)
    pack(number, NODE)
    meet("%d-packed" % number)
    guess = fleet.predicted(path_of(number, 1), path_of(number, 2)) if NODE == 1 else None
    is_ipv4 = own["ip"] and other["ip"]
    ip, peer = (own["ip"], other["ip"]) if is_ipv4 else (IP6, PEER6)
    return guess, [one_way(client, number, ip, peer) for client in (1, 2)]


def judge(number, pair, guess, modes):
    paths = [path_of(number, node) for node in (1, 2)]
    fleet.judge(number, pair, guess, modes)
    if not number % WHOLE:
        anonymous = fleet.predicted(*(path + ".tgz" for path in paths))
        equal([mode for mode, _ in anonymous], [mode for mode, _ in guess], "%d: the same of anonymous bundles" % number)
    for path in paths:
        os.unlink(path)


def main(count, seed):
    counts = collections.Counter()
    for number, pair in enumerate(fleet.draw(seed, count)):
        if NODE == 2 and pair["is_netns"]:
            continue
        if pair["is_netns"]:
            guess, modes = fleet.two_namespaces(pair, lambda node, netns, number=number: pack(number, node, netns))
        else:
            guess, modes = two_guests(number, pair)
        if NODE == 1:
            judge(number, pair, guess, modes)
            counts.update(mode[0] for mode in modes)
    if NODE == 1:
        print("# %d pairs, seed %d: %s" % (count, seed, dict(counts)))
        ok(len(counts) > 2, "TCP, SMC-R and SMC-D were there", counts)
    done()


main(int(sys.argv[1]), int(sys.argv[2]))
