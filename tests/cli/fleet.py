# SPDX-License-Identifier: MIT
"""Bundles of made-up hosts, out of the recorded one."""
import io
import ipaddress
import json
import struct
import tarfile

from recorded import BUNDLE

RECORD = "smc-bundle/record/"
HEAD = b"smc-tools netlink 1 little 0 - \n"
# Files that predictions do not need and that take long to unpack: unused entries of the GID table.
KEPT = ("netlink/", "probes/", "proc/", "sys/class/net/")


def template():
    """Names and contents."""
    files = {}
    with tarfile.open(BUNDLE) as tar:
        for info in tar:
            if info.isfile() and info.name.startswith(tuple(RECORD + kept for kept in KEPT)):
                files[info.name[len(RECORD):]] = tar.extractfile(info).read()
    return files


def ueids(names):
    tape = HEAD
    for name in names:
        attr = struct.pack("<HH", 37, 1) + name.encode().ljust(32) + bytes(4)
        tape += struct.pack("<IHHII", 20 + len(attr), 35, 2, 1, 1) + struct.pack("<BBH", 9, 1, 0) + attr
    return tape


def rdma(ip):
    """rxe0 on eth0 with a RoCE v2 GID."""
    top = "sys/class/infiniband/"
    port = top + "rxe0/ports/1/"
    gid = "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x" % tuple(map(int, ip.split(".")))
    return {"sys/class/infiniband@list": "rxe0\n", top + "rxe0/node_type": "1: CA\n", top + "rxe0/parent": "eth0\n",
            top + "rxe0/ports@list": "1\n", port + "state": "4: ACTIVE\n", port + "link_layer": "Ethernet\n",
            port + "gids@list": "0\n", port + "gids/0": gid + "\n", port + "gid_attrs/types/0": "RoCE v2\n",
            port + "gid_attrs/ndevs/0": "eth0\n"}


def host(files, ip, eids=("FLEET",), has_rdma=True, boot=None, **more):
    """The record of a host with eth0."""
    made = dict(files)
    made["probes/addresses-eth0"] = "1\n%s/24" % ip
    made["netlink/SMC_GEN_NETLINK/9"] = ueids(eids)
    made["netlink/SMC_PNETID/1"] = HEAD
    if has_rdma:
        made.update(rdma(ip))
    else:
        made["sys/class/infiniband@list"] = ""
    if boot:
        made["proc/sys/kernel/random/boot_id"] = boot
    made.update(more.get("more", {}))
    return made


def net_device(made, files, name, number, addresses, more):
    """Add a net device like eth0; @more: files of its own below sys/class/net/NAME/."""
    top = "sys/class/net/"
    for path, data in files.items():
        if path.startswith(top + "eth0/") and ("device" not in path or not more):
            made[path.replace("/eth0/", "/%s/" % name)] = data
    made.pop(top + "%s@list" % name, None)
    made[top + name + "/ifindex"] = "%d\n" % number
    made["probes/addresses-" + name.replace(".", "_")] = "%d\n%s" % (len(addresses), "\n".join(addresses))
    for path, data in more.items():
        made[top + name + "/" + path] = data
    if more:
        made[top + name + "@list"] = "".join(path.split("/")[0] + "\n" for path in more)


def card(made, number, gids):
    """Add mlx5_N, the card of ethN; @gids: (address, net device) of its GIDs of RoCE v2."""
    name = "mlx5_%d" % number
    port = "sys/class/infiniband/%s/ports/1/" % name
    made["sys/class/infiniband@list"] += name + "\n"
    made.update({"sys/class/infiniband/%s/node_type" % name: "1: CA\n", "sys/class/infiniband/%s/ports@list" % name: "1\n",
                 port + "state": "4: ACTIVE\n", port + "link_layer": "Ethernet\n",
                 port + "gids@list": "".join("%d\n" % i for i in range(len(gids)))})
    for i, (address, device) in enumerate(gids):
        gid = ipaddress.ip_address(address if ":" in address else "::ffff:" + address).exploded
        made.update({port + "gids/%d" % i: gid + "\n", port + "gid_attrs/types/%d" % i: "RoCE v2\n",
                     port + "gid_attrs/ndevs/%d" % i: device + "\n"})


def machine(files, nets, cards, eids=("FLEET",)):
    """The record of a host. nets: name -> (addresses with prefix, files of its own); cards: GIDs of each."""
    made = {path: data for path, data in host(files, "10.0.0.1", eids, has_rdma=False).items()
            if not path.startswith(("sys/class/net/", "probes/rdma-", "probes/roce-", "probes/verbs-")) and path != "probes/addresses-eth0"}
    made["sys/class/net@list"] = "".join(name + "\n" for name in nets)
    for number, (name, (addresses, more)) in enumerate(nets.items(), 2):
        net_device(made, files, name, number, addresses, {path: data for path, data in more.items() if "/proc/" not in path})
        made.update({path[1:]: data for path, data in more.items() if "/proc/" in path})
    for number, gids in enumerate(cards):
        card(made, number, gids)
    return made


def bundle(path, name, files, **index):
    """A bundle of a record."""
    about = {"schema": "smc-tools/bundle/1", "host": name, "byte_order": "little", **index}
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for inner, data in [("index.json", json.dumps(about)), *(("record/" + n, d) for n, d in files.items())]:
            data = data if isinstance(data, bytes) else data.encode()
            info = tarfile.TarInfo("smc-bundle/" + inner)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path
