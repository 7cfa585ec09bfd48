# SPDX-License-Identifier: MIT
"""Cases for chk_doctor.py: devices, PNET IDs, EIDs, addresses, each broken in one way.

Beside what the doctor says, a connection within the guest shows whether SMC works: a problem is one only
if the kernel falls back to TCP.
"""
import json
import os
import socket
import subprocess

from kern import HAS_SEID, by_inode, equal, ok, run

KERNEL = os.environ["SMC_LAB_KERNEL"]
IPPROTO_SMC = 256


def sh(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


def mode(address="127.0.0.1"):
    """Transport of a connection within this guest."""
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
            # A busy machine may be too slow for a handshake.
            for _ in range(2):
                got = mode() if is_smc and got == "TCP" else got
            ok(got in (("SMCR", "SMCD") if is_smc else ("TCP",)), "%s: the kernel takes %s" % (name, got), got)
    return name, want, (damage, lambda: sh(mended))


def pnet(name, want, *entries):
    return case(name, want, "".join("smc_pnet -a %s;" % entry for entry in entries), "smc_pnet -f")


NO_EID = [] if HAS_SEID else [
    case("no EID", ("problem", "eid", ""), "smcd ueid flush", "smcd ueid add SMC-LAB-EID")]
ANOTHER_RXE = "ip link add dummy0 type dummy; ip link set dummy0 up; "
NO_RXE = "rdma link delete rxe1; ip link delete dummy0; smc_pnet -f"


def soft_roce_cases():
    vlan = ("ip link add dummy0 type dummy; ip link add link dummy0 name dummy0.7 type vlan id 7;"
            "smc_pnet -a VLAN -I dummy0.7", "ip link delete dummy0.7; ip link delete dummy0; smc_pnet -f")
    return [
        *NO_EID,
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
        *NO_EID,
        pnet("loopback-ism has a PNET ID", ("problem", "pnetid", "loopback-ism"), "LO -D loopback-ism"),
        pnet("so has a net device", ("problem", "pnetid", "loopback-ism"), "LO -D loopback-ism -I lo"),
        pnet("entry of a net device that is gone", ("warning", "pnetid", "eth9"), "OLD -I eth9"),
    ]


def device_cases():
    return loopback_cases() if KERNEL == "lo" else soft_roce_cases()


HARMLESS = [
    ("a PNET ID of the port only", "smc_pnet -a PORT -D rxelo", "smc_pnet -f"),
    ("a pair by PNET ID", "smc_pnet -a PAIR -I lo -D rxelo", "smc_pnet -f"),
    ("a net device that is not in use", "ip link add dummy0 type dummy", "ip link delete dummy0"),
    ("several EIDs", "smcd ueid add ONE; smcd ueid add TWO; smcd ueid add THREE",
     "smcd ueid flush; smcd ueid add SMC-LAB-EID"),
]


def static(*argv):
    """The document of the static analysis, by net device."""
    status, out, err = run("smc_chk", "-s", "-j", *argv)
    ok(not err, "smc_chk -s " + " ".join(argv), err)
    doc = json.loads(out)
    return status, doc, {net["net_device"]: net for net in doc["net_devices"]}


def check_static():
    status, doc, nets = static()
    equal((status, doc["schema"], doc["ueids"], sorted(nets)),
          (0, "smc-tools/static/1", ["SMC-LAB-EID"], ["lo"]), "-s: the EID, and the device that is up")
    modes = nets["lo"]["configuration"]
    if KERNEL == "lo":
        equal(modes, [{"mode": "SMC-D", "version": 2, "is_loopback": True}], "-s: SMC-D by loopback")
    else:
        gid = modes[0].pop("gid", None)
        equal((modes, gid), ([{"mode": "SMC-R", "version": 2, "device": "rxelo", "port": 1, "is_loopback": False}],
                             "0000:0000:0000:0000:0000:ffff:7f00:0001"), "-s: SMC-R version 2 by soft-RoCE")
    equal((nets["lo"]["reach"], nets["lo"]["own_subnets"][0]),
          ("this host" if KERNEL == "lo" else "any", "127.0.0.0/8"), "-s: how far it reaches")
    sh("ip link add dummy0 type dummy; smc_pnet -a NET -I dummy0; smcd ueid flush")
    equal(static()[0], int(not HAS_SEID), "-s: without an EID there is no way")
    status, doc, nets = static("-i", "dummy0")
    # With an EID, SMC can connect within this host.
    want = (0, 1, "this host") if HAS_SEID else (1, 0, "none")
    dummy = nets["dummy0"]
    equal((status, len(dummy["configuration"]), dummy["reach"]), want, "-s -i: one that is down")
    equal((doc["ueids"], dummy["pnetid"], dummy["pnetid_source"]), ([], "NET", "table"), "-s -i: its PNET ID")
    sh("ip link delete dummy0; smc_pnet -f; smcd ueid add SMC-LAB-EID")


def right_devices(worse):
    """Check that the doctor reports no problem; worse() returns its complaints."""
    equal(mode(), "SMCD" if KERNEL == "lo" else "SMCR", "SMC works here")
    for name, before, after in HARMLESS:
        if KERNEL == "lo" and "rxelo" in before:
            continue
        sh(before)
        equal((mode() in ("SMCR", "SMCD"), worse()), (True, set()), "harmless: " + name)
        sh(after)
    check_static()
