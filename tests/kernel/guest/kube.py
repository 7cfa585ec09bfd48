# SPDX-License-Identifier: MIT
"""The files of examples/kubernetes by podman kube play: pods talk over SMC, others reach them over TCP, nothing is left."""
import ctypes
import glob
import json
import os
import shutil
import socket
import statistics
import struct
import sys

from containers import ATTACH, BOX, add_program, configure_podman, each, podman, scopes
from kern import done, equal, ok, read, run, wait_for, write

FILES = sys.argv[1]
LIBC = ctypes.CDLL(None, use_errno=True)
DEVICE = 6  # BPF_CGROUP_DEVICE
KNOBS = "/proc/sys/net/smc/rmem", "/proc/sys/net/smc/wmem"
HOST = [read(knob) for knob in KNOBS]
# As the image of the file does: the password is that of the environment.
POSTGRES = """#!/bin/sh
set -e
echo "$POSTGRES_PASSWORD" >/tmp/password
initdb -D /tmp/data -U postgres -A scram-sha-256 --pwfile=/tmp/password --locale=C --no-sync
echo "host all all all scram-sha-256" >>/tmp/data/pg_hba.conf
exec postgres -D /tmp/data -c listen_addresses='*' -c unix_socket_directories=/tmp -c fsync=off
"""


def build(name, command, user=""):
    write("/run/Containerfile", "FROM scratch\nCOPY . /\nENV PATH=/bin:/usr/bin\n%sCMD %s\n" % (user, json.dumps(command)))
    status, out, err = run("buildah", "bud", "--isolation", "chroot", "-t", name, "-f", "/run/Containerfile", BOX)
    ok(status == 0, "an image of packages: " + name, out + err)


def set_up():
    configure_podman("overlay", "cgroupfs")
    # Alternatives, which the package would have set up.
    for name in "iptables", "ip6tables":
        os.symlink("xtables-nft-multi", "/usr/sbin/" + name)
    for program in "/bin/busybox", "/usr/bin/redis-server", "/usr/bin/redis-cli":
        add_program(program)
    for name in "sh", "sleep", "cat":
        os.symlink("busybox", BOX + "/bin/" + name)
    os.mkdir(BOX + "/tmp", 0o1777)
    os.chmod(BOX + "/tmp", 0o1777)
    build("docker.io/library/redis:7", ["redis-server", "--save", "", "--protected-mode", "no"])


def connections(container):
    """Transport and size of the receive buffer, except for a few bytes of the kernel."""
    status, out, _ = run("smcss", "-j", "-N", podman("inspect", "-f", "{{.State.Pid}}", container))
    # The container may just be starting.
    sockets = json.loads(out)["sockets"] if status == 0 else []
    return [(s["mode"], s["rcvbuf"] + 32) for s in sockets if s["state"] == "ACTIVE" and "rcvbuf" in s]


def bpf(command, layout, *values):
    attr = ctypes.create_string_buffer(struct.pack(layout, *values), 120)
    return LIBC.syscall(321, command, attr, 120), attr


def allow_devices(group):
    """Detach programs: the group of a pod that podman makes without systemd allows no devices."""
    ids, fd = (ctypes.c_uint32 * 64)(), os.open(group, os.O_RDONLY)
    ret, attr = bpf(16, "IIIIQI", fd, DEVICE, 0, 0, ctypes.addressof(ids), 64)
    for number in ids[:struct.unpack_from("I", attr, 24)[0]] if not ret else ():
        bpf(9, "IIII", fd, bpf(13, "III", number, 0, 0)[0], DEVICE, 0)
    os.close(fd)


def play(name, place=FILES, *options):
    podman("kube", "play", "--start=false", *options, place + "/" + name)
    for group in glob.glob("/sys/fs/cgroup/libpod_parent/*/"):
        allow_devices(group)
    podman("pod", "start", "--all")


def gone(name):
    podman("kube", "down", FILES + "/" + name)
    equal(wait_for(lambda: not scopes()) or scopes(), True, name + ", deleted: no scope is left")
    equal(os.listdir("/sys/fs/bpf"), [], "no pin")
    equal([read(knob) for knob in KNOBS], HOST, "and no sysctl")


def gateway():
    """The host's address, where published ports are."""
    return podman("network", "inspect", "podman-default-kube-network", "-f", "{{(index .Subnets 0).Gateway}}")


def ping(address, port=6379):
    with socket.create_connection((address, port), 60) as client:
        client.sendall(b"PING\r\n")
        return client.recv(100)


def redis():
    play("redis.yaml")
    equal(wait_for(lambda: connections("redis-server") == [("SMCD", 524288)], 120) or connections("redis-server"), True,
          "redis.yaml: the client's connection is SMC-D with buffers of 512 KiB")
    rows = [line.split() for line in run("smcss", "--all-netns", "-s")[1].splitlines()]
    equal([row[0] for row in rows if row[1:] == ["0", "1", "0"]], ["redis", "redis-client"], "smcss names both pods, each with one SMC-D socket")
    address = podman("inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", podman("pod", "inspect", "-f", "{{.InfraContainerID}}", "redis"))
    equal(ping(address), b"+PONG\r\n", "a probe of the node over TCP is answered")
    here = gateway()
    equal(ping(here), b"+PONG\r\n", "and one through the published port")
    said = run("smc_run", "redis-cli", "-h", here, "ping")
    equal(said[1], "PONG\n", "with an SMC socket, too")
    podman("pod", "restart", "redis")
    equal(wait_for(lambda: connections("redis-server") == [("SMCD", 524288)], 120) or connections("redis-server"), True,
          "restarted: the client comes back, over SMC-D")
    gone("redis.yaml")


def postgresql():
    root = glob.glob("/usr/lib/postgresql/*")[0]
    os.makedirs(BOX + root + "/bin")
    for name in "initdb", "postgres", "pgbench", "psql":
        path = root + "/bin/" + name
        add_program(path)
        # They find their libraries beside their real place.
        os.rename(BOX + "/bin/" + name, BOX + path)
        os.symlink(path, BOX + "/bin/" + name)
    for path in root + "/lib", "/usr/share/postgresql/" + os.path.basename(root):
        shutil.copytree(path, BOX + path, symlinks=True, ignore=shutil.ignore_patterns("bitcode", "pgxs", "llvmjit*"))
    write(BOX + "/bin/entry", POSTGRES)
    write(BOX + "/etc/passwd", "postgres:x:999:999::/tmp:/bin/sh\n")
    os.chmod(BOX + "/bin/entry", 0o755)
    build("docker.io/library/postgres:17", ["entry"], "USER 999:999\n")
    play("postgresql.yaml")
    def seen():
        found = connections("postgresql-server")
        return len(found) >= 4 and set(found) == {("SMCD", 131072)}
    ok(wait_for(seen, 240), "postgresql.yaml: four connections of pgbench over SMC-D, with the buffers of the annotation",
       "" if seen() else run("podman", "logs", "postgresql-server"))
    gone("postgresql.yaml")


def answers(port):
    try:
        return ping(gateway(), port) == b"+PONG\r\n"
    except OSError:
        return False


def update():
    """A server is replaced after its client has gone to the other, as a Service does it by probes: no request fails."""
    client, servers = "redis-client-client", {"redis": 6379, "other": 6380}
    text = read(FILES + "/redis.yaml").partition("---")[0]
    for name, port in servers.items():
        write("/run/%s.yaml" % name, text.replace("name: redis\n", "name: %s\n" % name).replace("hostPort: 6379", "hostPort: %d" % port))
    play("redis.yaml")
    play("other.yaml", "/run")
    def said():
        return podman("exec", client, "cat", "/tmp/log").split("\n")
    def moves(name):
        podman("exec", client, "sh", "-c", "echo %s >/tmp/new && busybox mv /tmp/new /tmp/name" % name)
        return answers(servers[name]) and wait_for(lambda: said()[-1].startswith(name + " "))
    wait_for(lambda: answers(6379) and answers(6380))
    podman("exec", "-d", client, "sh", "-c", ">/tmp/log; until [ -e /tmp/name ]; do sleep 1; done; "
           'while read name </tmp/name; do echo "$name $(redis-cli -h $name ping 2>&1)" >>/tmp/log; done')
    for name, other in ("redis", "other"), ("other", "redis"):
        ok(moves(other), "the client goes to %s" % other)
        play(name + ".yaml", "/run", "--replace")
        ok(wait_for(lambda name=name: answers(servers[name])), "%s is replaced" % name)
    lines = said()
    print("# %d requests" % len(lines))
    equal(set(lines), {"redis PONG", "other PONG"}, "no request has failed")
    podman("kube", "down", "/run/other.yaml")
    gone("redis.yaml")


def bulk():
    """iperf3 from container to container, over a bridge."""
    add_program(shutil.which("iperf3"))
    build("bulk", ["iperf3", "-s"])
    address = {}
    for way, options in ("SMC", (ATTACH + "true",)), ("TCP", ()):
        podman("run", "-d", *options, "--name", way, "bulk")
        podman("run", "-d", *options, "--name", way + "-client", "bulk", "sleep", "99999")
        address[way] = podman("inspect", "-f", "{{.NetworkSettings.IPAddress}}", way)
    def send(way, *amount):
        return json.loads(podman("exec", way + "-client", "iperf3", "-c", address[way], *amount, "-J"))["end"]["sum_received"]
    def counted(way):
        return json.loads(run("smcd", "-ja", "-N", podman("inspect", "-f", "{{.State.Pid}}", way), "stats")[1])["rx"]
    sent, rx = send("SMC", "-n", "64M")["bytes"], counted("SMC")
    ok(rx["bytes"] > sent > 0, "iperf3 in containers: all bytes go over SMC-D", (sent, rx))
    equal({name: number for name, number in rx["buffers"].items() if number}, {"512K": 2}, "with buffers of 512 KiB")
    send("TCP", "-n", "64M")
    equal(counted("TCP")["bytes"], 0, "none without the annotation")
    if "ratio" in sys.argv:
        ratio(lambda way: send(way, "-t", "3")["bits_per_second"])
    podman("rm", "-f", "-t", "0", "SMC", "SMC-client", "TCP", "TCP-client")


def ratio(rate):
    """For bench/run: pairs of runs."""
    ratios = []
    for turn in range(6):
        rates = {way: rate(way) for way in (("SMC", "TCP") if turn % 2 else ("TCP", "SMC"))}
        ratios.append(rates["SMC"] / rates["TCP"])
    print("# iperf3 in containers, SMC-D / TCP: %.2f (%.2f–%.2f)" % (statistics.median(ratios), min(ratios), max(ratios)))


each([set_up, redis, postgresql, update, bulk], sys.argv[2:])
done()
