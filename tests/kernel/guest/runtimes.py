# SPDX-License-Identifier: MIT
"""Container runtimes under systemd, in a tree of another release: transport of their containers' first sockets."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

import kern
from boot import boot_systemd, choose_units, systemctl
from containers import ATTACH, BOX, HOST, TCP, add_program, configure_podman, podman, scopes
from kern import IPPROTO_SMC, done, equal, mode, ok, out_of, read, run, wait_for, write

TOOLS = os.path.dirname(os.path.abspath(__file__))
REDIS = ("redis-server", "--port")
QUADLET = """[Container]
Image=localhost/box:latest
Network=host
Annotation=smc-tools/attach=true
Exec=redis-server --port 7002
[Service]
TimeoutStartSec=300
StandardError=append:/run/web.log
[Install]
WantedBy=lab.target
"""
# smc_bpf(8) has the part in between.
CONTAINERD = """version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/box:latest"
%s
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
    SystemdCgroup = true
"""
COMPOSE = """services:
  redis:
    image: box
    network_mode: host
    cgroup_parent: smc.slice
    command: redis-server --port 7006
"""
LXC = """lxc.rootfs.path = dir:%s
lxc.uts.name = web
lxc.net.0.type = none
lxc.mount.auto = proc
lxc.apparmor.profile = unconfined
lxc.apparmor.allow_incomplete = 1
lxc.cgroup.dir = smc/web
lxc.init.cmd = /bin/redis-server --port 7007
""" % BOX


# ---- before: the tree, seen from outside ----

def fill_tree(root, installed):
    subprocess.run(["cp", "-a", installed + "/.", root], check=True)
    for name in "containers", "containerd", "docker", "lxc":
        os.makedirs(root + "/var/lib/" + name, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", name, root + "/var/lib/" + name], check=True)
    for name in "proc", "sys", "dev", "tmp":
        os.makedirs("%s/%s" % (root, name), exist_ok=True)
    subprocess.run(["chroot", root, "systemd-sysusers"], check=True, capture_output=True)
    write(root + "/etc/hosts", "127.0.0.1 localhost\n")
    write(root + "/etc/resolv.conf", "")
    shutil.copy("man/smc_bpf.8", root + "/var/lib")
    shutil.copy("tests/cli/oci/containerd.json", root + "/var/lib/recorded.json")
    write(root + "/etc/group", "docker:x:900:\n", "a")
    write(root + "/etc/machine-id", "0123456789abcdef0123456789abcdef\n")


def fresh_run(root):
    """Environment of a boot."""
    subprocess.run(["sh", "-c", '! mountpoint -q "$1" || umount -R "$1"; mount -t tmpfs -o mode=755 run "$1"', "sh", root + "/run"], check=True)
    os.makedirs(root + "/run/smc-lab")
    subprocess.run(["mount", "--rbind", "/run/smc-lab", root + "/run/smc-lab"], check=True)
    units = [root + "/lib/systemd/system/" + name for name in
             ("dbus.service", "dbus.socket", "containerd.service", "docker.service", "docker.socket", "multi-user.target")]
    choose_units(*units, root=root, generators=("podman-system-generator",))
    write(root + "/run/units/lab.target", "[Unit]\nDefaultDependencies=no\nRequires=basic.target\nWants=dbus.socket\n")


# ---- in it ----

def make_box():
    for program in "/bin/busybox", "/usr/bin/redis-server", TOOLS + "/protocol":
        add_program(program)
    for name in "sh", "sleep":
        os.symlink("busybox", BOX + "/bin/" + name)
    for name in "tmp", "proc", "sys", "dev", "usr", "etc":
        os.makedirs(BOX + "/" + name, exist_ok=True)


def make_image():
    write("/run/Containerfile", 'FROM scratch\nCOPY . /\nENV PATH=/bin\nCMD ["sleep", "1000000"]\n')
    podman("build", "-q", "--isolation", "chroot", "-t", "box", "-f", "/run/Containerfile", BOX)
    podman("save", "-q", "-o", "/var/lib/containers/box.tar", "localhost/box:latest")


def active():
    """Ends of the names of scopes whose groups are there."""
    return [name for name, scope in scopes().items() if scope["state"] == "active"]


def systemd_manager():
    """podman whose control groups systemd manages."""
    for runtime in "crun", "runc":
        container = podman("--runtime", runtime, "run", "-d", *HOST, ATTACH + "true", "--name", "redis", "box", *REDIS, "7001")
        equal(mode(7001), "SMCD", "podman, systemd's groups, %s: SMC-D from its first socket" % runtime)
        equal(list(scopes()), [container + ".scope"], "the scope is systemd's")
        podman("rm", "-f", "-t", "0", "redis")
        equal(wait_for(lambda: not scopes()), True, "and goes with the container")


def quadlet():
    """A unit that podman generates from a file."""
    write("/etc/containers/systemd/web.container", QUADLET)
    systemctl("daemon-reload")
    systemctl("start", "web.service")
    equal(mode(7002), "SMCD", "a quadlet: SMC-D from its first socket")
    systemctl("restart", "web.service")
    equal((mode(7002), len(active())), ("SMCD", 1), "restarted: again, by one scope")
    systemctl("stop", "web.service")
    equal(wait_for(lambda: not scopes()), True, "stopped: it goes")


def said_of_containerd():
    """Commands and files, as in the manual."""
    text = read("/var/lib/smc_bpf.8")
    for escaped, plain in ("\\-", "-"), ("\\e", "\\"), ("\\(aq", "'"):
        text = text.replace(escaped, plain)
    return [re.search(r"(?ms)^%s.*?(?=^\.Ed)" % start, text)[0] for start in ("ctr oci spec", r"\[plugins")]


def keep_state(path):
    """The hooks of a specification also write the state to a file."""
    spec = json.loads(read(path))
    spec["hooks"]["createRuntime"].append({"path": "/bin/sh", "args": ["sh", "-c", "cat >/run/state"]})
    write(path, json.dumps(spec))


def names_of(state):
    """Common part of all containers."""
    return sorted(state), sorted(state["annotations"])


def containerd():
    """containerd as Kubernetes uses it: the hook is in the base specification."""
    from cri import Runtime
    command, settings = said_of_containerd()
    subprocess.run(["sh", "-ec", command], check=True)
    keep_state("/etc/containerd/smc-tools.json")
    write("/etc/containerd/config.toml", CONTAINERD % settings)
    systemctl("start", "containerd.service")
    out_of("ctr", "-n", "k8s.io", "images", "import", "/var/lib/containers/box.tar")
    runtime = Runtime("unix:///run/containerd/containerd.sock")
    pods = []
    for name, value, port, want in (("shop", "true", 7003, "SMCD"), ("plain", None, 7004, "TCP")):
        notes = {"smc-tools/attach": value} if value else {}
        pod = runtime.run_pod(name, "kubepods-pod%s.slice" % name, notes)
        runtime.start(pod, "redis", "localhost/box:latest", [*REDIS, str(port)])
        equal(mode(port), want, "containerd, a pod %s the annotation: %s" % ("with" if value else "without", want))
        if value:
            state = read("/run/state")
            equal(names_of(json.loads(state)), names_of(json.loads(read("/var/lib/recorded.json"))),
                  "the state of its container has the names of tests/cli/oci/containerd.json")
            print("# " + state)
        pods.append(pod)
    before = active()
    systemctl("restart", "containerd.service")
    equal((mode(7003), active()), ("SMCD", before), "containerd restarted: nothing changes for the pod")
    runtime = Runtime("unix:///run/containerd/containerd.sock")
    for pod in pods:
        runtime.remove_pod(pod)
    equal(wait_for(lambda: not active()), True, "the pod is removed: so is the scope")


def attach_slice():
    systemctl("start", "smc.slice")
    status, out, err = run("smc_bpf", "attach", "--unit", "smc.slice")
    ok(status == 0, "a slice is attached", out + err)


def docker():
    """docker with control groups of systemd, and docker compose."""
    attach_slice()
    write("/etc/docker/daemon.json", json.dumps({"bridge": "none", "iptables": False, "ip6tables": False, "storage-driver": "vfs",
                                                 "exec-opts": ["native.cgroupdriver=systemd"]}))
    systemctl("start", "docker.service")
    out_of("docker", "load", "-q", "-i", "/var/lib/containers/box.tar")
    out_of("docker", "tag", "localhost/box:latest", "box")
    equal(run("docker", "run", "--rm", *HOST, "box", "protocol", "inet"), (0, "%d\n" % TCP, ""), "docker: TCP")
    equal(run("docker", "run", "--rm", *HOST, "--cgroup-parent", "smc.slice", "box", "protocol", "inet"),
          (0, "%d\n" % IPPROTO_SMC, ""), "in the slice: SMC")
    write("/run/compose.yaml", COMPOSE)
    status, out, err = run("docker-compose", "-f", "/run/compose.yaml", "up", "-d")
    ok(status == 0, "docker compose starts a service in it", out + err)
    equal(mode(7006), "SMCD", "SMC-D from its first socket")
    systemctl("restart", "docker.service")
    run("docker-compose", "-f", "/run/compose.yaml", "up", "-d")
    equal(mode(7006), "SMCD", "docker restarted: again")
    run("docker-compose", "-f", "/run/compose.yaml", "down", "-t", "1")
    systemctl("stop", "docker.service", "docker.socket")
    run("smc_bpf", "detach", "--all")


def nspawn():
    def first(*options):
        return run("systemd-nspawn", "-q", "--register=no", *options, "-D", BOX, "/bin/protocol", "inet")[:2]
    attach_slice()
    equal(first(), (0, "%d\n" % TCP), "systemd-nspawn: TCP")
    equal(first("--slice=smc.slice"), (0, "%d\n" % IPPROTO_SMC), "in the slice: SMC")
    run("smc_bpf", "detach", "--all")


def lxc():
    os.makedirs("/sys/fs/cgroup/smc", exist_ok=True)
    status, out, err = run("smc_bpf", "attach", "--cgroup", "/smc")
    ok(status == 0, "a group is attached", out + err)
    write("/run/lxc/config", LXC)
    status, out, err = run("lxc-start", "-n", "web", "-f", "/run/lxc/config", "-l", "DEBUG", "-o", "/run/lxc/log")
    ok(status == 0, "LXC starts a container in it", out + err + read("/run/lxc/log")[-2000:])
    equal(mode(7007), "SMCD", "SMC-D from its first socket")
    run("lxc-stop", "-k", "-n", "web")
    run("smc_bpf", "detach", "--all")


def after_reboot():
    """After a boot the kernel has no scopes: the quadlet's unit sets them again."""
    ok(wait_for(lambda: run("systemctl", "is-active", "web.service")[1] == "active\n", 240), "booted again: the quadlet's unit is active",
       read("/run/web.log"))
    equal((mode(7002), len(active())), ("SMCD", 1), "its container has its scope again: SMC-D")


TESTS = (systemd_manager, quadlet, containerd, docker, nspawn, lxc)


def main():
    root, installed, chosen = sys.argv[1], sys.argv[2], sys.argv[3:]
    fill_tree(root, installed)
    for how, tests in (("first", chosen), ("again", ["after_reboot"])):
        if how == "again" and chosen and "quadlet" not in chosen:
            break
        fresh_run(root)
        status = boot_systemd(__file__, "inside", how, *tests, root=root)
        if not os.path.exists(root + "/var/lib/count"):
            print(read(root + "/run/systemd.log")[-5000:])
            sys.exit(status or 1)
        kern.go_on(*map(int, read(root + "/var/lib/count").split()))
        run("smc_bpf", "detach", "--all")
    done()


def inside(how, chosen):
    if how == "again":
        kern.go_on(*map(int, read("/var/lib/count").split()))
        after_reboot()
    else:
        ok(wait_for(lambda: os.path.exists("/run/dbus/system_bus_socket")), "systemd has booted")
        configure_podman("overlay", "systemd")
        make_box()
        make_image()
    for test in TESTS if how == "first" else ():
        if chosen and test.__name__ not in chosen:
            continue
        start = time.monotonic()
        test()
        print("# %s: %.1f s" % (test.__name__, time.monotonic() - start), flush=True)
    write("/var/lib/count", "%d %d" % kern.counted())


if sys.argv[1] == "inside":
    inside(sys.argv[2], sys.argv[3:])
else:
    main()
