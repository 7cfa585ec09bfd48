# SPDX-License-Identifier: MIT
"""Cases for doctor.py: devices, PNET IDs, EIDs, addresses, each broken in one way.

Beside what the doctor says, a connection within the guest shows whether SMC works: a problem is one only
if the kernel falls back to TCP.
"""
import os
import socket
import subprocess

from kern import by_inode, equal, ok

KERNEL = os.environ["SMC_LAB_KERNEL"]
IPPROTO_SMC = 256


def sh(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


def mode(address="127.0.0.1"):
    """What a connection within this guest runs over."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC) as server, \
            socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC) as client:
        server.bind((address, 0))
        server.listen()
        try:
            client.connect(server.getsockname())
        except OSError as error:
            return os.strerror(error.errno)
        server.accept()[0].close()
        found = by_inode(os.fstat(client.fileno()).st_ino, "-a")
        return found["mode"] if found else None


def case(name, want, broken, mended, connects=True, is_smc=None):
    """A case of one_way(): shell commands break and mend the host."""
    if is_smc is None:
        is_smc = want[0] != "problem"

    def damage():
        sh(broken)
        if connects:
            got = mode()
            ok(got in (("SMCR", "SMCD") if is_smc else ("TCP",)), "%s: the kernel takes %s" % (name, got), got)
    return name, want, (damage, lambda: sh(mended))


def pnet(name, want, *entries):
    return case(name, want, "".join("smc_pnet -a %s;" % entry for entry in entries), "smc_pnet -f")


NO_EID = case("no EID", ("problem", "eid", ""), "smcd ueid flush", "smcd ueid add SMC-LAB-EID")
ANOTHER_RXE = "ip link add dummy0 type dummy; ip link set dummy0 up; "
NO_RXE = "rdma link delete rxe1; ip link delete dummy0; smc_pnet -f"


def soft_roce_cases():
    vlan = ("ip link add dummy0 type dummy; ip link add link dummy0 name dummy0.7 type vlan id 7;"
            "smc_pnet -a VLAN -I dummy0.7", "ip link delete dummy0.7; ip link delete dummy0; smc_pnet -f")
    return [
        NO_EID,
        pnet("PNET ID of the net device only", ("problem", "pnetid", "lo"), "NET -I lo"),
        pnet("different PNET IDs", ("problem", "pnetid", "lo"), "NET -I lo", "OTHER -D rxelo"),
        pnet("entry of a net device that is gone", ("warning", "pnetid", "eth9"), "OLD -I eth9"),
        pnet("entry of an RDMA device that is gone", ("warning", "pnetid", "mlx5_9"), "OLD -D mlx5_9"),
        pnet("the wrong RDMA device", ("problem", "pnetid", "mlx5_9"), "NET -I lo -D mlx5_9"),
        pnet("the wrong port", ("problem", "pnetid", "rxelo"), "NET -I lo -D rxelo -P 2"),
        pnet("an entry for loopback-ism", ("warning", "pnetid", "loopback-ism"), "LO -D loopback-ism"),
        case("entry on a VLAN", ("warning", "pnetid", "dummy0.7"), *vlan),
        case("small MTU", ("warning", "mtu", "lo"), "ip link set lo mtu 600", "ip link set lo mtu 65536"),
        case("net device down", ("problem", "rdma", "rxelo"), "ip link set lo down", "ip link set lo up",
             connects=False),
        case("no IPv4 address", ("problem", "rdma", "rxelo"), "ip address del 127.0.0.1/8 dev lo",
             "ip address add 127.0.0.1/8 dev lo", connects=False),
        case("no RDMA device", ("problem", "device", ""), "rdma link delete rxelo",
             "rdma link add rxelo type rxe netdev lo"),
        case("paired with a port without an address", ("problem", "rdma", "rxe1"), ANOTHER_RXE +
             "rdma link add rxe1 type rxe netdev dummy0; smc_pnet -a X -I lo -D rxe1", NO_RXE),
        # dummy0 itself might do.
        case("paired with a port of another subnet", ("warning", "address", "lo"), ANOTHER_RXE +
             "ip address add 10.9.0.1/24 dev dummy0; rdma link add rxe1 type rxe netdev dummy0;"
             "smc_pnet -a X -I lo -D rxe1", NO_RXE, is_smc=False),
    ]


def loopback_cases():
    return [
        NO_EID,
        pnet("loopback-ism has a PNET ID", ("problem", "pnetid", "loopback-ism"), "LO -D loopback-ism"),
        pnet("so has a net device", ("problem", "pnetid", "loopback-ism"), "LO -D loopback-ism -I lo"),
        pnet("entry of a net device that is gone", ("warning", "pnetid", "eth9"), "OLD -I eth9"),
    ]


def device_cases():
    return loopback_cases() if KERNEL == "lo" else soft_roce_cases()


def right_devices():
    """The doctor must not complain of these."""
    equal(mode(), "SMCD" if KERNEL == "lo" else "SMCR", "SMC works here")
