#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_setup plan: bundles and hosts, predictions for each pair, and their output."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import fleet
from recorded import BUILD, ROOT, done, ok
sys.path.insert(0, ROOT + "/tests/kernel/guest")
from terminal import on_terminal  # noqa: E402 pylint: disable=wrong-import-position

TOP = tempfile.TemporaryDirectory()
TMP = TOP.name + "/tmp"
ENV = dict(os.environ, TMPDIR=TMP, LC_ALL="C", PATH=TOP.name + "/bin:" + os.environ["PATH"], SMC_CHK=BUILD + "/smc_chk")
FILES = fleet.template()
# A fake ssh: it records its arguments, and acts by the name of the host.
SSH = """#!/bin/sh
echo "$*" >>%s/calls
while [ "$1" != -- ]; do shift; done
case $2 in
good*) exec "$SMC_CHK" from "%s/$2.tar.gz" doctor -j ;;
denied) echo "Welcome" >&2; printf 'denied: Permission denied (publickey).\\033[2J\\n' >&2; exit 255 ;;
nothing) ;;
garbage) echo garbage ;;
flood) exec cat /dev/zero ;;
noise) exec cat /dev/zero >&2 ;;
late) exit 124 ;;
slow) echo $$ >"%s/slow"; exec sleep 600 ;;
esac
""" % ((TOP.name,) * 3)


def path(name):
    return "%s/%s.tar.gz" % (TOP.name, name)


def files(*names):
    """Names of bundles in the current directory."""
    return [name + ".tar.gz" for name in names]


def make(name, ip, host=None, **how):
    fleet.bundle(path(name), host or name, fleet.host(FILES, ip, **how))


def run(*argv):
    result = subprocess.run([BUILD + "/smc_setup", "plan", *argv], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, timeout=300, check=False)
    if os.listdir(TMP):
        ok(False, "something is left behind", os.listdir(TMP))
    return result.returncode, result.stdout, result.stderr


def pairs(*argv):
    status, out, err = run("-j", *argv)
    doc = json.loads(out) if out else {"connections": []}
    return status, {(p["client"], p["server"]): p for p in doc["connections"]}, err


def modes():
    """Modes of two hosts with one difference."""
    make("a", "10.0.0.1")
    make("b", "10.0.0.2")
    make("other", "10.0.0.3", eids=("OTHER",))
    make("bare", "10.0.0.4", has_rdma=False)
    make("one", "10.0.0.5", boot="11111111", has_rdma=False)
    make("two", "10.0.0.6", boot="11111111", has_rdma=False)
    status, found, err = pairs(*files("a", "b", "other", "bare", "one", "two"))
    ok(status == 2 and not err and len(found) == 30, "30 connections between six hosts", (status, err, found))
    got = found["a", "b"]
    ok([got[key] for key in ("mode", "version", "release", "client_interface", "why_not_more")] == ["SMCR", 2, 1, "eth0", []],
       "RoCE on both sides and an EID in common: SMC-R v2.1", got)
    got = found["other", "a"]
    ok(got["mode"] == "TCP" and "version" not in got and "EID in common" in got["why_not_more"][0].pop("text") and got["why_not_more"] == [
        {"mode": "SMC-R v2", "remedy": "smcd ueid add FLEET", "hosts": ["other"]}],
       "other EIDs: TCP, and the line for one of them", got)
    got = found["a", "bare"]
    ok(got["mode"] == "TCP" and got["why_not_more"][0]["text"].startswith("bare: "), "no RDMA port", got)
    got = found["one", "two"]
    ok((got["mode"], got["version"], got["why_not_more"]) == ("SMCD", 2, []), "namespaces of one kernel: SMC-D", got)
    for name, ip in (("one", "10.0.0.5"), ("two", "10.0.0.6")):
        make(name, ip, boot="11111111", has_rdma=False, more={"probes/netns-is-first": "0\n"})
    got = pairs(*files("one", "two"))[1]["one", "two"]
    ok(got["mode"] == "SMCD" and [gap["text"].split(",")[0] for gap in got["why_not_more"]] == ["TCP if loopback has a PNET ID"],
       "neither of them shows the PNET ID of loopback", got)


def shown():
    status, out, err = run(*files("a", "b", "other"))
    lines = out.splitlines()
    ok(status == 2 and not err and lines[1].split() == ["a", "<->", "b", "SMC-R", "v2.1", "eth0"], "a line for both directions", out)
    ok(out.endswith("\nFor more SMC:\nsmcd ueid add FLEET\n  on other\n"), "what to type, once, and where", out)
    status, out, err = run(*files("a", "b"))
    ok(status == 0 and "For more" not in out, "SMC everywhere: status 0, nothing to type", (status, out, err))
    make("cookies", "10.0.0.9", more={"proc/sys/net/ipv4/tcp_syncookies": "2\n"})
    status, out, err = run(*files("a", "cookies"))
    ok(out.count(" -> ") == 2 and "<->" not in out and status == 2, "a line for each direction where they differ", out)


def on_a_terminal():
    argv = [BUILD + "/smc_setup", "plan", *files("a", "b", "other")]
    status, out = on_terminal(argv, dict(ENV, NO_COLOR="1"), 60)
    out = out.split("\r\x1b[K")[-1]  # after the progress
    ok(status == 2 and "they have\n" in out and "\n-> smcd ueid add FLEET\n  on other\n" in out and
       max(map(len, out.splitlines())) <= 60, "on a terminal words are wrapped, and the command is a line", (status, out))
    status, out = on_terminal([BUILD + "/smc_setup", "plan", "denied", path("a")], ENV, 80)
    ok(status == 1 and "\r\x1b[Kreading hosts: 0 of 2, waiting for denied\r\x1b[K" in out and
       re.search("\r\x1b\\[Ksmc_setup: denied: .*\nsmc_setup: too few hosts .*\n$", out),
       "progress is shown, and taken away before a message", (status, out))


def strange():
    """Untrusted EIDs and names of files."""
    make("x;\u009b[2J", "10.0.0.7", eids=("$(id)\x1b",))
    status, out, err = run(*files("x;\u009b[2J", "a"))
    ok(status == 2 and out.isascii() and not any(c < " " and c != "\n" for c in out) and "smcd ueid add FLEET" in out, "escaped",
       (status, out, err))


def unreadable():
    with open(path("broken"), "wb") as file:
        file.write(b"\x1f\x8b nothing")
    fleet.bundle(path("damaged"), "damaged", {**fleet.host(FILES, "10.0.0.8"), "netlink/SMC_GEN_NETLINK/9": b"x"})
    names = files("a", "broken", "nosuch", "damaged", "b")
    status, out, err = run(*names)
    lines = err.splitlines()
    ok(status == 1 and len(lines) == 3 and all(name in line for name, line in zip(names[1:], lines)) and
       out.count("SMC-R v2.1") == 1, "bundles that cannot be read are named, others go on", (status, out, err))
    status, out, err = run(*files("a", "broken"))
    ok(status == 1 and not out and "too few hosts" in err.splitlines()[-1], "one is no pair", (status, out, err))
    status, out, err = run("-j", *files("broken"))
    ok(status == 1 and not out and err.count("\n") == 2, "one is compared with this host", (status, out, err))
    status, out, err = run("-j", *files("a"))
    ok(status in (0, 2) and "source" not in json.loads(out)["hosts"][0], "which was not typed", (status, out, err))
    status, out, err = run("-j", *files("a", "b", "broken"))
    ok(status == 1 and "error" in json.loads(out)["hosts"][2], "JSON has the error, too", (status, out))


def lower(*names):
    return {"lower_" + name: "" for name in names}


def engineers():
    """Pairs of hosts as in machine rooms, and the plan for them: mode, interface, and a reason why not more."""
    rows = (
        ("one card", lambda n: ({"eth0": (["10.0.0.%d/24" % n], {})}, [[("10.0.0.%d" % n, "eth0")]]),
         ("SMC-R v2.1", "eth0", "")),
        ("two cards in one subnet", lambda n: ({"eth0": (["10.0.0.%d/24" % n], {}), "eth1": (["10.0.0.1%d/24" % n], {})},
                                               [[("10.0.0.%d" % n, "eth0")], [("10.0.0.1%d" % n, "eth1")]]),
         ("SMC-R v2.1, 2 links", "eth0", "")),
        ("two cards in two subnets", lambda n: ({"eth0": (["10.0.0.%d/24" % n], {}), "eth1": (["10.0.1.%d/24" % n], {})},
                                                [[("10.0.0.%d" % n, "eth0")], [("10.0.1.%d" % n, "eth1")]]),
         ("SMC-R v2.1", "eth0", "")),
        ("a VLAN", lambda n: ({"eth0": ([], {}), "eth0.7": (["10.0.7.%d/24" % n], {**lower("eth0"), "/proc/net/vlan/eth0.7": "eth0.7  VID: 7\t REORDER_HDR: 1\n"})},
                              [[("10.0.7.%d" % n, "eth0.7")]]),
         ("SMC-R v2.1", "eth0.7", "")),
        ("a VLAN without a GID", lambda n: ({"eth0": ([], {}), "eth0.7": (["10.0.7.%d/24" % n], {**lower("eth0"), "/proc/net/vlan/eth0.7": "eth0.7  VID: 7\t REORDER_HDR: 1\n"})},
                                            [[]]),
         ("TCP", "eth0.7", "GID")),
        ("a bond", lambda n: ({"bond0": (["10.0.0.%d/24" % n], {**lower("eth0", "eth1"), "bonding/slaves": "eth0 eth1\n"}), "eth0": ([], {}), "eth1": ([], {})},
                              [[("10.0.0.%d" % n, "bond0")], [("10.0.0.%d" % n, "bond0")]]),
         ("SMC-R v2.1", "bond0", "")),
        ("a bridge", lambda n: ({"br0": (["10.0.0.%d/24" % n], {**lower("eth0"), "bridge/bridge_id": "8000.020000000001\n"}), "eth0": ([], {})},
                                [[("10.0.0.%d" % n, "br0")]]),
         ("SMC-R v2.1", "br0", "")),
        ("a card beside the interface", lambda n: ({"eth0": (["10.0.0.%d/24" % n], {}), "eth1": (["10.0.1.%d/24" % n], {})},
                                                   [[("10.0.1.%d" % n, "eth1")]]),
         ("SMC-R v2.1", "eth1", "")),
        ("IPv6 only", lambda n: ({"eth0": (["fd00::%d/64" % n], {})}, [[("fd00::%d" % n, "eth0")]]),
         ("TCP", "eth0", "IPv4")),
    )
    for name, host, want in rows:
        for number in (1, 2):
            fleet.bundle(path("host%d" % number), "host%d" % number, fleet.machine(FILES, *host(number)))
        status, out, err = run(*files("host1", "host2"))
        lines = out.splitlines()
        ok(not err and len(lines) > 1 and re.match("host1 +<-> host2 +%s +%s( |$)" % (re.escape(want[0]), re.escape(want[1])), lines[1]) and
           want[2] in lines[1], "plan for hosts with " + name, (status, out, err))


def by_ssh():
    os.mkdir(TOP.name + "/bin")
    with open(TOP.name + "/bin/ssh", "w", encoding="ascii") as file:
        file.write(SSH)
    os.chmod(TOP.name + "/bin/ssh", 0o755)
    for i in range(1, 19):
        make("good%d" % i, "10.0.1.%d" % i)
    status, found, err = pairs("good1", "good2", *files("other"))
    ok(status == 2 and not err and found["good1", "good2"]["mode"] == "SMCR" and ("other", "good2") in found,
       "hosts are asked by ssh, and called as they were typed", (status, found, err))
    with open(TOP.name + "/calls", encoding="ascii") as file:
        calls = sorted(file.read().splitlines())
    ok(calls == ["-o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -- good%d timeout 120 smc_chk doctor -j" % i for i in (1, 2)], "how", calls)
    status, found, err = pairs(*("good%d" % i for i in range(1, 19)))
    ok(status == 0 and not err and len(found) == 18 * 17, "more hosts than are read at a time", (status, err, len(found)))
    status, out, err = run("good1")
    ok(status == 2 and out.splitlines()[-1].endswith(": smc_setup --apply good1"), "it ends with the command that changes",
       (status, out, err))
    status, out, err = run("good1", "denied", "nothing", "garbage", "late", "good2")
    ok(status == 1 and out.count("SMC-R v2.1") == 1 and re.fullmatch(
        r"smc_setup: denied: denied: Permission denied \(publickey\)\.\\x1b\[2J\n"
        r"smc_setup: nothing: .*smc_chk.*\nsmc_setup: garbage: .*smc_chk.*\nsmc_setup: late: .*120 seconds\n", err),
       "one error for each host that fails", (status, out, err))
    status, out, err = run("flood", "good1", "noise", "good2")
    ok(status == 1 and re.fullmatch("smc_setup: flood: .*too much\nsmc_setup: noise: .*too much\n", err), "hosts that send without end",
       (status, out, err))
    for name in ("-oProxyCommand=id", ""):
        status, out, err = run("--", "a", name)
        ok(status == 1 and "neither a host" in err, "no host: '%s'" % name, (status, err))


def stopped():
    """A signal ends ssh, and leaves nothing."""
    program = subprocess.Popen([BUILD + "/smc_setup", "plan", "slow", "good1"], env=ENV, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    while not os.path.exists(TOP.name + "/slow") or not os.path.getsize(TOP.name + "/slow"):
        time.sleep(0.05)
    program.send_signal(signal.SIGTERM)
    program.communicate(timeout=60)
    with open(TOP.name + "/slow", encoding="ascii") as file:
        pid = int(file.read())
    for _ in range(1200):
        if not os.path.exists("/proc/%d" % pid) and not os.listdir(TMP):
            break
        time.sleep(0.05)
    ok(program.returncode == -signal.SIGTERM and not os.path.exists("/proc/%d" % pid) and not os.listdir(TMP), "stopped: ssh has gone, too",
       (program.returncode, os.listdir(TMP)))


def options():
    for argv in ((), ("-N", "x", "a", "b"), ("--yes", "a"), ("--apply",), ("--apply", "a"), ("--apply", "--yes", "a.tgz"), ("--apply", "--undo", "a"),
                 ("--apply", "-j", "a"), ("--undo", "--yes", "-x")):
        status, out, err = run(*argv)
        ok(status == 1 and not out and err.count("\n") == 1, "refused: plan %s" % " ".join(argv), (status, out, err))


os.mkdir(TMP)
os.chdir(TOP.name)
modes()
shown()
strange()
unreadable()
engineers()
by_ssh()
stopped()
on_a_terminal()
options()
done()
