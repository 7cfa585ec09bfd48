# SPDX-License-Identifier: MIT
"""A VRF, and a program of a control group that forbids sockets: routes, addresses and refusals are TCP's, and the kernel
warns no more (upstream.py vrf). 10.88.0.2 is
another host in the VRF "red" than in the main table; 10.89.0.2 exists in the VRF only."""
import ctypes
import os
import struct
import subprocess
import sys

from kern import done, equal, run

NETWORK = """modprobe -q vrf veth; ip link add red type vrf table 100; ip link set red up
for host in red main; do
ip netns add h$host; ip link add v$host type veth peer name e$host netns h$host
ip -n h$host link set lo up; ip -n h$host addr add 10.88.0.2/24 dev e$host; ip -n h$host link set e$host up
done
ip link set vred master red; ip addr add 10.88.0.1/24 dev vred; ip link set vred up
ip addr add 10.88.0.3/24 dev vmain; ip link set vmain up
ip addr add 10.89.0.1/24 dev vred; ip -n hred addr add 10.89.0.2/24 dev ered
"""

# serve NAME PORT DEVICE ADDRESS: answers with NAME. ask HOST PORT DEVICE ADDRESS: prints the answer, or what failed.
PROGRAM = """import os, socket, sys
def setup(device, address, port):
    s = socket.socket()
    s.settimeout(20)
    if device != "-":
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    if address != "-":
        s.bind((address, port))
    return s
what, name, port, device, address = sys.argv[1:]
try:
    if what == "ask":
        s = setup(device, address, 0)
        s.connect((name, int(port)))
        print(s.recv(10).decode())
    else:
        s = setup(device, address, int(port))
        s.settimeout(None)
        s.listen()
        print("ready", flush=True)
        while True:
            s.accept()[0].sendall(name.encode())
except OSError as err:
    print(os.strerror(err.errno))
"""
WAYS = {"TCP": [], "AF_SMC": ["smc_run", "--no-learn"], "IPPROTO_SMC": ["smc_run", "--no-learn", "-f", "inet"]}
VRF = ["ip", "vrf", "exec", "red"]
IN = {host: ["ip", "netns", "exec", "h" + host] for host in ("red", "main")}
GROUP = "/sys/fs/cgroup/forbidden"


def client(way, host, port=80, device="-", address="-", before=()):
    return run(*before, *way, "python3", "-c", PROGRAM, "ask", host, str(port), device, address)[1].strip()


class Server:
    def __init__(self, way, name, port, device="-", address="0.0.0.0", before=()):
        self.process = subprocess.Popen([*before, *way, "python3", "-c", PROGRAM, "serve", name, str(port), device, address],
                                        stdout=subprocess.PIPE, text=True)
        self.state = self.process.stdout.readline().strip()

    def end(self):
        self.process.kill()
        self.process.wait()


def bpf(command, *fields):
    """bpf(2) with an attribute of these fields, as struct.pack() takes them."""
    attr = ctypes.create_string_buffer(struct.pack(*fields).ljust(144, b"\0"))
    number = {"x86_64": 321, "aarch64": 280, "s390x": 351}[os.uname().machine]
    fd = ctypes.CDLL(None, use_errno=True).syscall(number, command, attr, 144)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "bpf(%d)" % command)
    return fd


def forbid(group):
    """Attach a program that refuses each socket of AF_INET and AF_INET6."""
    order = (lambda dst: dst) if sys.byteorder == "little" else (lambda dst: dst << 4)
    code = ctypes.create_string_buffer(struct.pack("=BBhi", 0xb7, order(0), 0, 0) + struct.pack("=BBhi", 0x95, 0, 0, 0))
    licence = ctypes.create_string_buffer(b"GPL")
    # BPF_PROG_LOAD of BPF_PROG_TYPE_CGROUP_SOCK; BPF_PROG_ATTACH as BPF_CGROUP_INET_SOCK_CREATE
    program = bpf(5, "=IIQQIIQII", 9, 2, ctypes.addressof(code), ctypes.addressof(licence), 0, 0, 0, 0, 0)
    bpf(8, "=IIII", os.open(group, os.O_RDONLY), program, 2, 0)


def forbidden(*way):
    script = "echo $$ >%s/cgroup.procs && exec \"$@\"" % GROUP
    return run("sh", "-c", script, "sh", *way, "python3", "-c", PROGRAM, "ask", "10.88.0.2", "80", "-", "-")[1].strip()


def check_clients():
    cases = {
        "main table": ("10.88.0.2", 80),
        "device": ("10.88.0.2", 80, "red"),
        "device, address of it": ("10.88.0.2", 80, "red", "10.88.0.1"),
        "port of the VRF, its address": ("10.89.0.2", 80, "vred", "10.89.0.1"),
        "address of nobody": ("10.88.0.2", 80, "red", "10.77.0.1"),
        "exec": ("10.88.0.2", 80, "-", "-", VRF),
        "exec, only there": ("10.89.0.2", 80, "-", "-", VRF),
        "exec, address": ("10.88.0.2", 80, "-", "10.88.0.1", VRF),
    }
    want = dict.fromkeys(cases, "red")
    want.update({"main table": "main", "address of nobody": "Cannot assign requested address"})
    for name, way in WAYS.items():
        equal({case: client(way, *args) for case, args in cases.items()}, want, name + ": each client reaches TCP's host")


def check_servers():
    """A server in the VRF is reached from there, and not from elsewhere."""
    for number, (name, way) in enumerate(WAYS.items()):
        port = 8100 + 10 * number
        for device, address, before in (("red", "10.88.0.1", ()), ("vred", "10.88.0.1", ()), ("red", "0.0.0.0", ()),
                                        ("vred", "0.0.0.0", ()), ("-", "0.0.0.0", VRF)):
            port += 1
            server = Server(way, "vrf", port, device, address, before)
            what = "%s: a server %s" % (name, "by ip vrf exec" if before else "on %s, %s" % (device, address))
            equal((server.state, client([], "10.88.0.1", port, before=IN["red"])), ("ready", "vrf"), what + " is reached from its VRF")
            equal(client([], "10.88.0.3", port, before=IN["main"]), "Connection refused", what + " is not reached from outside")
            server.end()
    equal([line for line in run("dmesg")[1].splitlines() if "WARNING" in line], [], "the kernel warned of none of them")


def check_forbidden():
    os.mkdir(GROUP)
    for name, way in WAYS.items():
        equal(forbidden(*way), "main", name + ": a control group without a program permits sockets")
    forbid(GROUP)
    for name, way in (*WAYS.items(), ("--strict", ["smc_run", "--strict"])):
        equal(forbidden(*way), "Operation not permitted", name + ": one that forbids them forbids SMC's")


def main():
    subprocess.run(NETWORK, shell=True, check=True)
    servers = [Server(WAYS["TCP"], host, 80, before=IN[host]) for host in IN]
    check_clients()
    check_servers()
    check_forbidden()
    for server in servers:
        server.end()
    done()


main()
