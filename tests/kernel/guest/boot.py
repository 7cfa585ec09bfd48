# SPDX-License-Identifier: MIT
"""The real systemd in a guest, in namespaces of its own: the lab's guest has another init."""
import glob
import os
import shutil
import subprocess
import sys

from kern import run, wait_for

UNITS = "/etc/systemd/system"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def choose_units(*others):
    """Few units, in memory: each reload reads them all; the lab has set the machine up already."""
    os.makedirs("/run/units", exist_ok=True)
    for name in "basic network network-pre paths shutdown slices sockets sysinit timers".split():
        shutil.copy("/lib/systemd/system/%s.target" % name, "/run/units")
    for path in others:
        shutil.copy(path, "/run/units")
    os.makedirs("/run/systemd/system-generators", exist_ok=True)
    for path in glob.glob("/lib/systemd/system-generators/*"):
        os.symlink("/dev/null", "/run" + path.removeprefix("/lib"))


def add_redis_user():
    """What the package redis-server would have done."""
    with open("/etc/passwd", "a", encoding="ascii") as file:
        file.write("redis:x:987:987::/var/lib/redis:/usr/sbin/nologin\n")
    with open("/etc/group", "a", encoding="ascii") as file:
        file.write("redis:x:987:\n")
    for directory in "/var/lib/redis", "/var/log/redis":
        os.makedirs(directory, exist_ok=True)
        os.chown(directory, 987, 987)


def boot_systemd(script, *argv, group="/sys/fs/cgroup/command"):
    """systemd as process 1 of a PID namespace, and a script inside, after which all of it ends. Return: its status.

    group: the control group that is its root; one without other processes can have controllers."""
    init = "umount -l /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup && " \
           "mount --bind /run/units /lib/systemd/system && " \
           "exec /lib/systemd/systemd --system --unit=lab.target --show-status=no --log-target=console"
    with open("/run/systemd.log", "w", encoding="ascii") as log:
        outer = subprocess.Popen(["sh", "-c", 'echo 0 >"$0/cgroup.procs" && exec "$@"', group, "unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--cgroup",
                                  "sh", "-c", init], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env=dict(os.environ, container="lab"))
    if not wait_for(lambda: os.path.exists("/run/systemd/private")):
        sys.exit("systemd does not come up:\n" + read("/run/systemd.log"))
    write("/sys/fs/cgroup/command/cgroup.procs", str(outer.pid))
    pid = subprocess.run(["pgrep", "-P", str(outer.pid)], capture_output=True, text=True,
                         check=True).stdout.strip()
    status = subprocess.run(["nsenter", "-t", pid, "-p", "-m", "-C", "python3", "-B", script, *argv],
                            check=False).returncode
    outer.kill()
    outer.wait()
    os.remove("/run/systemd/private")
    return status


def systemctl(*argv):
    status, out, err = run("systemctl", *argv)
    if status:
        raise RuntimeError("systemctl %s: %s%s%s" % (" ".join(argv), out, err,
                                                     read("/run/systemd.log")[-2000:]))
    return out.strip()
