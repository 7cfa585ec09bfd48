# SPDX-License-Identifier: MIT
"""RDMA devices of network namespaces, in exclusive mode: a tool in one of them shows its own, and no name twice."""
from kern import doc, done, equal, out_of, refused, run

NAME = "rxesame"


def make(space, number):
    """A namespace with a net device that is up."""
    out_of("ip", "netns", "add", space)
    out_of("ip", "link", "add", "near%d" % number, "type", "veth", "peer", "name", "far", "netns", space)
    out_of("ip", "link", "set", "near%d" % number, "up")
    out_of("ip", "-n", space, "addr", "add", "10.9.%d.2/24" % number, "dev", "far")
    out_of("ip", "-n", space, "link", "set", "far", "up")


def add_device(space, name):
    return run("ip", "netns", "exec", space, "rdma", "link", "add", name, "type", "rxe", "netdev", "far")


def rnics(*argv):
    return [(row["ib_device"], row["net_device"]) for row in doc(*argv, "smc_rnics", "-j")["rnics"]]


def main():
    out_of("rdma", "system", "set", "netns", "exclusive")
    make("red", 1)
    make("blue", 2)
    equal(add_device("red", NAME)[0], 0, "a device in one namespace")
    refused(add_device("blue", NAME), "exists", "the kernel refuses its name in another one", 1)
    equal(add_device("blue", "rxeother")[0], 0, "another name is accepted")
    for space, name in (("red", NAME), ("blue", "rxeother")):
        equal(rnics("ip", "netns", "exec", space), [(name, "far")], space + ": smc_rnics shows its own device only")
    equal(rnics(), [], "the first namespace: none")
    equal(sorted(row["ib_device"] for row in doc("smcr", "-j", "device")["devices"] if row["ib_device"].startswith("rxe")), [NAME, "rxeother"],
          "smcr device: those of all namespaces, each name once")
    done()


main()
