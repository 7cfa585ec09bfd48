# SPDX-License-Identifier: MIT
"""The real systemd in a guest, in separate namespaces: the lab's guest has another init."""
import os
import shutil
import subprocess
import sys

from kern import read, run, wait_for, write

UNITS = "/etc/systemd/system"


def choose_units(*others, root="", generators=()):
    """Few units, in memory: each reload reads them all, and the lab has set up the machine already."""
    os.makedirs(root + "/run/units", exist_ok=True)
    for name in "basic network network-pre paths shutdown slices sockets sysinit timers".split():
        shutil.copy(root + "/lib/systemd/system/%s.target" % name, root + "/run/units")
    for path in others:
        # Drop-ins are in a directory.
        if os.path.isdir(path):
            shutil.copytree(path, root + "/run/units/" + os.path.basename(path))
        else:
            shutil.copy(path, root + "/run/units")
    os.makedirs(root + "/run/systemd/system-generators", exist_ok=True)
    for name in os.listdir(root + "/lib/systemd/system-generators"):
        if name not in generators:
            os.symlink("/dev/null", root + "/run/systemd/system-generators/" + name)


def install_tools(source, *tools):
    """Those of the tools that are in directory source, and the library, in a distribution's directories, which sandboxes permit.
    Return: path of the library."""
    library = "/usr/lib/%s-linux-gnu/ld_pre_smc.so" % os.uname().machine
    for path in library, *("/usr/bin/" + tool for tool in tools):
        if os.path.exists(source + "/" + os.path.basename(path)):
            shutil.copy(source + "/" + os.path.basename(path), path)
            os.chmod(path, 0o755)  # only root may change files loaded by system services
    return library


def add_redis_user():
    """Setup that the package redis-server would have done."""
    write("/etc/passwd", "redis:x:987:987::/var/lib/redis:/usr/sbin/nologin\n", "a")
    write("/etc/group", "redis:x:987:\n", "a")
    for directory in "/var/lib/redis", "/var/log/redis":
        os.makedirs(directory, exist_ok=True)
        os.chown(directory, 987, 987)


# Script of process 1 in new namespaces: it enters a tree as its root directory, and a control group that is the root
# group for it and has no other processes.
ENTER_TREE = """set -e
echo "+cpu +cpuset +io +memory +pids" >/sys/fs/cgroup/cgroup.subtree_control
echo 0 >"$(mktemp -d /sys/fs/cgroup/tree.XXXXXX)/cgroup.procs"
cd %s
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
pivot_root . .
umount -l .
exec unshare --cgroup sh -c '%s'
"""
INIT = "umount -l /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup && " \
       "mount --bind /run/units /lib/systemd/system && " \
       "exec /lib/systemd/systemd --system --unit=lab.target --show-status=no --log-target=console"
# systemd moves its child processes: put the test into a control group of its own, inside the tree of groups that
# systemd sees.
ENTER_GROUP = "mkdir -p /sys/fs/cgroup/test && echo 0 >/sys/fs/cgroup/test/cgroup.procs && exec \"$@\""


def boot_systemd(script, *argv, root="", group="/sys/fs/cgroup/command"):
    """systemd as process 1 of a PID namespace, and a script inside, after which all of it ends; of a tree, if there is
    one, which has its /run already. Return: its status.

    group: the control group that is its root; one without other processes can have controllers. A tree makes its own."""
    with open(root + "/run/systemd.log", "w", encoding="ascii") as log:
        outer = subprocess.Popen(["sh", "-c", 'echo 0 >"$0/cgroup.procs" && exec "$@"', group,
                                  "unshare", "--pid", "--fork", "--kill-child", "--mount"] +
                                 (["sh", "-c", ENTER_TREE % (root, INIT)] if root else ["--mount-proc", "--cgroup", "sh", "-c", INIT]),
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=dict(os.environ, container="lab"))
    if not wait_for(lambda: os.path.exists(root + "/run/systemd/private")):
        sys.exit("systemd does not come up:\n" + read(root + "/run/systemd.log"))
    write("/sys/fs/cgroup/command/cgroup.procs", str(outer.pid))
    pid = subprocess.run(["pgrep", "-P", str(outer.pid)], capture_output=True, text=True,
                         check=True).stdout.strip()
    status = subprocess.run(["nsenter", "-t", pid, "-p", "-m", "-C", *(["sh", "-c", ENTER_GROUP, "sh"] if root else []),
                             "python3", "-B", script, *argv], check=False).returncode
    outer.kill()
    outer.wait()
    os.remove(root + "/run/systemd/private")
    return status


def systemctl(*argv):
    status, out, err = run("systemctl", *argv)
    if status:
        raise RuntimeError("systemctl %s: %s%s%s" % (" ".join(argv), out, err,
                                                     read("/run/systemd.log")[-2000:]))
    return out.strip()
