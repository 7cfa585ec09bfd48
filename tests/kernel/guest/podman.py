# SPDX-License-Identifier: MIT
"""Containers of podman whose first socket is an SMC socket: smc_bpf oci-hook, with crun and runc."""
import fcntl
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import tutorial
from containers import ATTACH, BOX, HOST, TCP, add_program, configure_podman, each, podman, scopes
from kern import IPPROTO_SMC, done, equal, listing, mode, ok, out_of, read, run, wait_for, write

PROGRAMS = sys.argv[1]
TOOLS = os.path.dirname(os.path.abspath(__file__))
KNOB = "/proc/sys/net/smc/autocorking_size"


def set_up():
    configure_podman("vfs", "cgroupfs")
    write("/etc/smc-tools/smc.conf.d/all.conf", "net.smc.autocorking_size 70000\nnetns *\nnet.smc.autocorking_size 85000\n"
          "pnetid INSIDE net lo\ndeny port 7009\n")
    for program in ["/bin/busybox", "/usr/bin/redis-server", "/usr/bin/redis-cli", TOOLS + "/protocol", shutil.which("smc_conf"),
                    *glob.glob("/usr/lib/*/libnftables.so.1"), *glob.glob(PROGRAMS + "/gohttp")]:
        add_program(program)
    os.symlink("busybox", BOX + "/bin/sh")
    os.mkdir(BOX + "/tmp")
    write("/run/Containerfile", 'FROM scratch\nCOPY . /\nENV PATH=/bin:/usr/bin\nCMD ["redis-server", "--save", ""]\n')
    status, out, err = run("buildah", "bud", "--isolation", "chroot", "-t", "box", "-t", "redis", "-f", "/run/Containerfile", BOX)
    ok(status == 0, "buildah makes an image of packages", out + err)


def protocol(*options):
    """Transport of the first socket in a container; None if it does not start."""
    status, out, err = run("podman", *options, "box", "protocol", "inet")
    return (int(out) if out else None), status, err


def first_sockets():
    """A server each with crun and runc, attached before it listens."""
    redis = podman("--runtime", "crun", "run", "-d", *HOST, ATTACH + "true", "--name", "redis", "box",
                   "redis-server", "--save", "", "--port", "7001")
    equal(mode(7001), "SMCD", "crun, redis: SMC-D from its first socket")
    equal([(i, s["state"], s["converted"] > 0) for i, s in scopes().items()], [(redis, "active", True)],
          "its control group is attached")
    if os.path.exists(BOX + "/bin/gohttp"):
        podman("--runtime", "runc", "run", "-d", *HOST, ATTACH + "smc", "--name", "go", "box",
               "gohttp", "serve", "127.0.0.1:7002")
        equal(mode(7002), "SMCD", "runc, a static Go server: SMC-D from its first socket")
    equal(protocol("run", "--rm", *HOST)[0], TCP, "a container without the annotation: TCP")
    equal(int(podman("exec", "redis", "protocol", "inet")), IPPROTO_SMC, "podman exec: SMC, too")
    ok(read(KNOB) != "85000\n", "the host's own network namespace is left alone")
    podman("restart", "-t", "0", "redis")
    equal(mode(7001), "SMCD", "restarted: SMC-D again")
    equal(len([i for i, s in scopes().items() if i == redis and s["state"] == "active"]), 1, "by one new scope")
    podman("rm", "-f", "-t", "0", "redis", *(["go"] if os.path.exists(BOX + "/bin/gohttp") else []))
    equal(wait_for(lambda: not scopes()), True, "removed: the scopes go with the containers")
    equal(os.listdir("/sys/fs/bpf"), [], "and the last one takes the program along")


def network_namespace():
    """Settings of smc.conf for all namespaces."""
    # The hook waits thirty seconds: an emulated host has loaded its policy modules before.
    for command in ("ip netns add warm", "smc_conf apply -N warm", "ip netns del warm", "ip netns add blue"):
        out_of(*command.split())
    subprocess.run(["ip", "-n", "blue", "link", "set", "lo", "up"], check=True)
    said = protocol("--runtime", "runc", "run", "--rm", "--network", "ns:/run/netns/blue", ATTACH + "strict")
    ok(said[0] == IPPROTO_SMC, "strict, with runc, where SMC is possible: it starts with it", said)
    equal(run("ip", "netns", "exec", "blue", "cat", KNOB)[1], "85000\n", "its network namespace has what smc.conf.d says")
    # Sockets of its first instructions: nothing waits for anything.
    seen = podman("run", "--rm", "--network", "none", "--cap-add", "NET_ADMIN", ATTACH + "strict", "box", "smc_conf", "export")
    equal([line for line in ("net.smc.autocorking_size 85000", "pnetid INSIDE net lo", "deny port 7009") if line not in seen], [],
          "the first program of a container with a namespace of its own sees the knob, the PNET ID and the policy")
    os.unlink("/etc/smc-tools/smc.conf.d/all.conf")
    write("/etc/smc-tools/smc.conf", "netns *\nnet.smc.autocorking_sise 85000\n")
    # crun does not pass on the output of hooks.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind("/dev/log")
        got, status, err = protocol("run", "--rm", "--network", "none", ATTACH + "strict")
        ok(got is None and status and "executing hook" in err, "strict, and smc.conf is wrong: it does not start", (got, status, err))
        log.settimeout(60)
        said = log.recv(4096).decode()
    os.unlink("/dev/log")
    ok(re.search(r" smc_bpf\[\d+\]: container [0-9a-f]{64}: smc_conf: /etc/smc-tools/smc.conf:2: net.smc.autocorking_sise: ", said),
       "and the system's log knows why", said)
    ok("\nsmc_oci_hook_failures_total 1\n" in run("smc_bpf", "status", "--metrics")[1], "which is counted: for those before there was nothing to say")
    os.unlink("/etc/smc-tools/smc.conf")


def not_possible():
    """A kernel without BTF."""
    subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/kernel/btf"], check=True)
    equal(protocol("run", "--rm", *HOST, ATTACH + "true")[:2], (TCP, 0), "no eBPF: the container starts with TCP")
    got, status, err = protocol("--runtime", "runc", "run", "--rm", *HOST, ATTACH + "strict")
    # runc shows it.
    ok(got is None and status and "no /sys/kernel/btf/vmlinux" in err, "strict: it does not, and says why", (got, status, err))
    subprocess.run(["umount", "/sys/kernel/btf"], check=True)


def late():
    """smc_conf waits for another instance, which does not end."""
    write("/etc/smc-tools/smc.conf", "netns *\nnet.smc.autocorking_size 85000\n")
    os.makedirs("/run/smc-tools", exist_ok=True)
    with open("/run/smc-tools/smc_conf.lock", "a", encoding="ascii") as lock, ThreadPoolExecutor() as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = list(pool.map(lambda wish: protocol("--runtime", "runc", "run", "--rm", "--network", "none", ATTACH + wish), ("true", "strict")))
    equal(said[0][:2], (IPPROTO_SMC, 0), "no time for all: the container starts with what was done")
    got, status, err = said[1]
    ok(got is None and status and "not done after 30 seconds: it does not start" in err, "strict: it does not, and says why", said[1])
    equal(wait_for(lambda: not scopes()), True, "and leaves no scope")
    os.unlink("/etc/smc-tools/smc.conf")


def stays_tcp():
    """Containers in an attached control group that are annotated to keep TCP."""
    os.makedirs("/sys/fs/cgroup/libpod_parent", exist_ok=True)
    status, out, err = run("smc_bpf", "attach", "--cgroup", "/libpod_parent")
    assert not status, (out, err)
    equal(protocol("run", "--rm", *HOST)[0], IPPROTO_SMC, "a group around containers: SMC")
    equal(protocol("run", "--rm", *HOST, ATTACH + "tcp")[0], TCP, "tcp: this one stays")
    run("smc_bpf", "detach", "--all")


def pod():
    """Two containers that share a network namespace."""
    # The group of a pod that podman makes without systemd allows no devices.
    podman("pod", "create", "--share-parent=false", "--name", "p", "--network", "none")
    podman("run", "-d", "--pod", "p", ATTACH + "true", "--name", "redis", "box", "redis-server", "--save", "", "--port", "7001")
    podman("run", "-d", "--pod", "p", ATTACH + "true", "box", "sh", "-c", "until redis-cli -p 7001 subscribe x; do :; done")
    pid = podman("inspect", "-f", "{{.State.Pid}}", "redis")
    def modes():
        return [s["mode"] for s in listing("-N", pid) if s["state"] == "ACTIVE"]
    equal(wait_for(lambda: modes() == ["SMCD", "SMCD"]) or modes(), True, "a pod: its two containers talk over SMC-D")
    equal(len(scopes()), 2, "each has its scope")
    podman("pod", "rm", "-f", "-t", "0", "p")
    equal(scopes(), {}, "removed: both go")


def buffers():
    """Sizes of buffers in network namespaces of containers: the default, the annotation, smc.conf; never the host's."""
    knobs, size = ["/proc/sys/net/smc/" + name for name in ("rmem", "wmem")], "--annotation=smc-tools/buffers="
    host = [read(knob) for knob in knobs]
    def inside(*options):
        status, out, err = run("podman", "run", "--rm", "--network", "none", *options, "box", "busybox", "cat", *knobs)
        return out.split() if not status else err
    equal(inside(), ["65536", "65536"], "a container without the annotation: the kernel's buffers")
    equal(inside(ATTACH + "strict"), ["524288", "524288"], "with it: those of smc_run")
    equal(inside(ATTACH + "strict", size + "256K"), ["262144", "262144"], "with another size: this one")
    equal(inside(ATTACH + "strict", "--sysctl=net.smc.rmem=131072"), ["131072", "524288"], "a size that somebody has set is left alone")
    write("/etc/smc-tools/smc.conf", "netns *\nnet.smc.rmem 98304\n")
    equal(inside(ATTACH + "strict"), ["98304", "524288"], "smc.conf overrides the default")
    equal(inside(ATTACH + "strict", size + "1M"), ["1048576", "1048576"], "the annotation overrides smc.conf")
    os.unlink("/etc/smc-tools/smc.conf")
    said = inside("--runtime=runc", ATTACH + "strict", size + "0")
    ok("annotation smc-tools/buffers: '0'" in said, "no size: a strict container does not start", said)
    podman("run", "--rm", *HOST, ATTACH + "strict", size + "256K", "box", "busybox", "true")
    command = "redis-server --save '' --port 7001 & until redis-cli -p 7001 subscribe x; do :; done"
    podman("run", "-d", "--network", "none", ATTACH + "true", "--name", "redis", "box", "sh", "-c", command)
    pid = podman("inspect", "-f", "{{.State.Pid}}", "redis")
    def sizes():
        # A few bytes are the kernel's.
        return [(s["mode"], s["rcvbuf"] + 32) for s in listing("-N", pid) if s["state"] == "ACTIVE"]
    equal(wait_for(lambda: sizes() == [("SMCD", 524288)] * 2) or sizes(), True, "a connection has them at both ends")
    podman("rm", "-f", "-t", "0", "redis")
    later = podman("run", "-d", "--network", "none", "box", "busybox", "sleep", "9999")
    equal(run("smc_bpf", "attach", "--container", later), (0, "", ""), "attached while it runs")
    equal(podman("exec", later, "busybox", "cat", *knobs).split(), ["524288", "524288"], "it has them, too")
    podman("rm", "-f", "-t", "0", later)
    equal([read(knob) for knob in knobs], host, "the host has the same as before")


def rootless():
    """Possibilities and limits of a user's podman."""
    home, user = "/run/lab", ("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "env", "-C", "/", "HOME=/run/lab",
                               "XDG_RUNTIME_DIR=/run/user/1000", "podman")
    for directory in home, "/run/user/1000":
        os.makedirs(directory, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "uid=1000,gid=1000,mode=700", "none", directory], check=True)
    for line, path in (("lab:x:1000:1000::/run/lab:/bin/sh\n", "/etc/passwd"), ("lab:x:1000:\n", "/etc/group"),
                       ("lab:100000:65536\n", "/etc/subuid"), ("lab:100000:65536\n", "/etc/subgid")):
        write(path, line, "a")
    write(home + "/.config/containers/storage.conf", '[storage]\ndriver = "vfs"\n')
    subprocess.run(["chown", "-R", "1000:1000", home], check=True)
    status, out, err = run("sh", "-c", "podman save box | " + " ".join(user) + " load")
    ok(status == 0, "a user's podman has the image", out + err)
    def first(*options):
        status, out, err = run(*user, *options, "box", "protocol", "inet")
        return (int(out) if out else None), status, err
    hooks = ("--hooks-dir", "/usr/share/containers/oci/hooks.d", "--runtime", "runc")
    equal(first("run", "--rm", *HOST, ATTACH + "true")[:2], (TCP, 0), "it starts no hook without the annotation: TCP")
    equal(first(*hooks, "run", "--rm", *HOST, ATTACH + "true")[:2], (TCP, 0), "the hook may not attach: TCP")
    got, status, err = first(*hooks, "run", "--rm", *HOST, ATTACH + "strict")
    ok(got is None and status and "container " in err, "strict: it does not start, and says why", (got, status, err))
    run("smc_bpf", "attach", "--cgroup", "/command")
    equal(first("run", "--rm", *HOST)[0], IPPROTO_SMC, "in a group that root has attached: SMC")
    run("smc_bpf", "detach", "--all")


TESTS = {"short": (set_up, first_sockets, network_namespace), "tutorial": (set_up,), "more": (set_up, not_possible, late, stays_tcp, pod, buffers, rootless)}
each(TESTS[sys.argv[2]], sys.argv[3:])
if sys.argv[2] != "more":
    sys.exit(tutorial.boot())
done()
