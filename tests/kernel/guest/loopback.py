# SPDX-License-Identifier: MIT
"""The distribution's kernel with the modules of smc-loopback-dkms: SMC-D, and after their removal what it has itself: SMC-R.

usage: loopback.py PURGED: modules.* of /lib/modules/RELEASE as they are after the removal"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from kern import Sockets, by_inode, done, equal, ok, run

SPEC = "inet4:pair:127.0.0.1"
MODULES = pathlib.Path("/lib/modules") / os.uname().release


def module():
    return run("modinfo", "-n", "smc")[1].strip()


def reload():
    """As a boot does: load what depmod has found."""
    for command in (("modprobe", "-r", "smc_diag"), ("modprobe", "-r", "smc"), ("modprobe", "smc"), ("modprobe", "smc_diag")):
        equal(run(*command)[0], 0, " ".join(command))


def mode():
    with Sockets(SPEC) as made:
        return by_inode(made.one(SPEC, "client")["inode"])["mode"]


def check_loopback():
    ok("/updates/" in module(), "the module in updates/ is found", module())
    reload()
    out = run("smc_chk", "doctor", "-j")[1]
    ok(json.loads(out)["facts"]["smcd_loopback"], "smc_chk sees loopback", out)
    equal(run("smcd", "ueid", "add", "MINE")[0], 0, "the one command that is left")
    equal(mode(), "SMCD", "SMC-D between two programs of this machine")


def check_purged(purged):
    shutil.rmtree(MODULES / "updates")
    for file in pathlib.Path(purged).glob("modules.*"):
        shutil.copy(file, MODULES)
    equal(module().split("/kernel/")[0], str(MODULES), "the distribution's module is found again")
    reload()
    subprocess.run(["rdma", "link", "add", "rxelo", "type", "rxe", "netdev", "lo"], check=True)
    subprocess.run(["smcd", "ueid", "add", "MINE"], check=True)
    equal(mode(), "SMCR", "SMC-R works with it")


def main():
    check_loopback()
    check_purged(sys.argv[1])
    done()


main()
