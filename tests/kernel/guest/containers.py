# SPDX-License-Identifier: MIT
"""Common parts of the container tests: content of the image, podman, scopes."""
import json
import os
import re
import shutil
import subprocess

from boot import write
from kern import run

BOX = "/run/box"
ATTACH = "--annotation=smc-tools/attach="
HOST = ("--network", "host")
TCP = 6


def add_program(path):
    """Copy into BOX, with its libraries; also a library."""
    libraries = re.findall(r"(/\S+) \(0x", run("ldd", path)[1])
    for file in [path] + libraries:
        to = BOX + (file if ".so" in file else "/bin/" + os.path.basename(path))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(file, to)


def configure_podman(storage, cgroups, images=""):
    """Storage in memory by that driver, control groups by that manager; images are also in that directory."""
    os.makedirs("/var/lib/containers", exist_ok=True)
    if not os.path.ismount("/var/lib/containers"):
        subprocess.run(["mount", "-t", "tmpfs", "storage", "/var/lib/containers"], check=True)
    write("/etc/containers/containers.conf", '[engine]\ncgroup_manager = "%s"\nevents_logger = "file"\n'
          '[containers]\nlog_driver = "k8s-file"\n' % cgroups)
    write("/etc/containers/storage.conf", '[storage]\ndriver = "%s"\ngraphroot = "/var/lib/containers/storage"\n'
          'runroot = "/run/containers/storage"\n[storage.options]\nadditionalimagestores = [%s]\n'
          % (storage, '"%s"' % images if images else ""))


def podman(*argv):
    """podman, which must succeed: its output."""
    status, out, err = run("podman", *argv, timeout=1200)
    if status:
        raise RuntimeError("podman %s: status %d, %s%s" % (" ".join(argv), status, out, err))
    return out.strip()


def scopes():
    """By the last word of their names: of a container its id."""
    status, out, err = run("smc_bpf", "status", "-j")
    assert not status and not err, (status, out, err)
    return {s["name"].rpartition("-")[2]: s for s in json.loads(out)["scopes"]}
