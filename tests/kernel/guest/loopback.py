# SPDX-License-Identifier: MIT
"""A system with smc-loopback-dkms at a stage of tests/loopback, on its own kernel: redis of that system under smc_run.

usage: loopback.py STAGE TREE: the system's files; STAGE: clean, installed, upgraded, or purged"""
import json
import os
import subprocess
import sys

from kern import done, equal, ok, out_of, run

REDIS = ("redis-server", "--port", "7000", "--save", "", "--dir", "/tmp")


def become(tree):
    """Make the tree the root directory of this machine, also for what the kernel starts. This process stays in the lab's, which
    is /lab there. Return: descriptor of the tree."""
    for command in (("modprobe", "-r", "smc_diag", "smc"), ("mkdir", "-p", "/run/tree"),
                    ("mount", "-t", "tmpfs", "tmpfs", "/run/tree"), ("mkdir", "/run/tree/up", "/run/tree/work", "/run/tree/root"),
                    ("mount", "-t", "overlay", "-o", "lowerdir=%s,upperdir=/run/tree/up,workdir=/run/tree/work" % tree, "tree",
                     "/run/tree/root"),
                    *(("mount", "--rbind", name, "/run/tree/root" + name) for name in ("/dev", "/proc", "/sys")),
                    ("pivot_root", "/run/tree/root", "/run/tree/root/lab")):
        out_of(*command)
    root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    os.chroot("/lab")
    os.chdir("/")
    return root


def leave():
    """The lab's own first process waits for this one."""
    os.fchdir(TREE)
    os.chroot(".")
    os.chdir("/lab")
    run("pivot_root", ".", "run/tree/root")


def start(*command, **how):
    """In the tree, whose programs are its own"""
    def enter():
        os.fchdir(TREE)
        os.chroot(".")
    return subprocess.Popen(command, preexec_fn=enter, text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, **how)


def out(*command):
    process = start(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return process.communicate()[0]


def findings():
    return json.loads(out("smc_chk", "doctor", "-j"))["findings"]


def modes():
    """Transports of the connections of a redis client and its server"""
    server = start("smc_run", *REDIS, stdout=subprocess.DEVNULL)
    client = start("sh", "-c", "until smc_run redis-cli -p 7000 ping; do :; done >/dev/null 2>&1; exec smc_run redis-cli -p 7000 subscribe news",
                   stdout=subprocess.PIPE)
    client.stdout.readline()
    found = json.loads(out("smcss", "-j"))["sockets"]
    for process in client, server:
        process.kill()
        process.wait()
    return sorted(sock.get("mode", "") for sock in found)


def clean():
    equal(modes(), ["TCP", "TCP"], "redis is over TCP")
    named = [finding["remedy"] for finding in findings() if "dkms" in finding.get("remedy", "")]
    equal(len(set(named)), 1, "smc_chk has one command")
    with open(os.environ["SMC_LAB_OUT"] + "/command", "w", encoding="ascii") as file:
        file.write(named[0])


def works():
    equal(modes(), ["SMCD", "SMCD"], "redis is over SMC-D, with no other command")
    ok("/updates/" in out("modinfo", "-n", "smc"), "by the module in updates/")
    equal([finding for finding in findings() if finding["level"] == "problem"], [], "smc_chk is content")


def purged():
    equal(out("modprobe", "smc"), "", "the kernel's module is loaded")
    equal(out("smcd", "ueid", "show"), "", "without an EID")
    run("ip", "link", "set", "lo", "up")
    equal(run("rdma", "link", "add", "rxelo", "type", "rxe", "netdev", "lo")[0], 0, "Soft-RoCE")
    equal(out("smcd", "ueid", "add", "MINE"), "", "an EID of one's own")
    equal(modes(), ["SMCR", "SMCR"], "redis is over SMC-R")


TREE = become(sys.argv[2])
{"clean": clean, "installed": works, "upgraded": works, "purged": purged}[sys.argv[1]]()
leave()
done()
