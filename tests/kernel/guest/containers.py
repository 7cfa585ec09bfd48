# SPDX-License-Identifier: MIT
"""Common parts of the container tests: content of the image, podman, scopes."""
import json
import os
import re
import shutil
import subprocess
import time

from kern import run, write

BOX = "/run/box"
ATTACH = "--annotation=smc-tools/attach="
HOST = ("--network", "host")
TCP = 6


def add_program(path):
    """Copy a program or a library, with the libraries that it needs, into BOX."""
    libraries = re.findall(r"(/\S+) \(0x", run("ldd", path)[1])
    for file in [path] + libraries:
        to = BOX + (file if ".so" in file else "/bin/" + os.path.basename(path))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(file, to)


def configure_podman(storage, cgroups, images=""):
    """Configure the storage driver, in memory, and the manager of control groups. @images: directory with more images."""
    os.makedirs("/var/lib/containers", exist_ok=True)
    if not os.path.ismount("/var/lib/containers"):
        subprocess.run(["mount", "-t", "tmpfs", "storage", "/var/lib/containers"], check=True)
    write("/etc/containers/containers.conf", '[engine]\ncgroup_manager = "%s"\nevents_logger = "file"\n'
          '[containers]\nlog_driver = "k8s-file"\n' % cgroups)
    write("/etc/containers/storage.conf", '[storage]\ndriver = "%s"\ngraphroot = "/var/lib/containers/storage"\n'
          'runroot = "/run/containers/storage"\n[storage.options]\nadditionalimagestores = [%s]\n'
          % (storage, '"%s"' % images if images else ""))


def podman(*argv):
    """Run podman, which must succeed. Return: its output."""
    status, out, err = run("podman", *argv, timeout=1200)
    if status:
        raise RuntimeError("podman %s: status %d, %s%s" % (" ".join(argv), status, out, err))
    return out.strip()


def scopes():
    """Scopes of smc_bpf by the last part of their names, which for a container is its id."""
    status, out, err = run("smc_bpf", "status", "-j")
    assert not status and not err, (status, out, err)
    return {s["name"].rpartition("-")[2]: s for s in json.loads(out)["scopes"]}


def each(tests, names):
    """Run tests, or those of these names, and say how long each took. The first makes what the others need."""
    for test in tests:
        if names and test is not tests[0] and test.__name__ not in names:
            continue
        start = time.monotonic()
        test()
        print("# %s: %.1f s" % (test.__name__, time.monotonic() - start), flush=True)
