#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Netlink that goes wrong: each request of each command, with each fault of tests/cli/kernel_lib.c.

Then the tool fails with one line and no output, or prints its usual output. TAP, with a table.
Each request but the last one gets a third of the faults, another third than the next one; with STEP=1 in the environment all.

usage: netlink.t [COMMAND]: only commands that begin with it."""
import os
import re
import sys

import recorded  # noqa: E402

COMMANDS = """
smcss -a
smcss -a -j
smcss -s
smcss --metrics
smcss -a -p -o state,mode,reason,process
smc_top --once -w 0.1 -H -o local,peer,mode,unread,unsent,bottleneck
smcd info
smcd -d device
smcd -j linkgroup
smcd linkgroup
smcd -a -d stats
smcd -j seid
smcd ueid
smcd hs
smcd ueid add NEW
smcd ueid del NEW
smcd ueid flush
smcd hs disable
smcr hs enable
smcr info
smcr device
smcr -j device
smcr linkgroup
smcr -dd linkgroup link-show
smcr -a -m stats
smcr -a -j stats
smc_pnet
smc_pnet -s NET1
smc_pnet -j
smc_pnet -l
smc_pnet -l -j
smc_pnet --suggest
smc_pnet -a NEW -I lo
smc_pnet -d NET1
smc_pnet -f
smc_conf diff FILE
smc_conf export
smc_conf export -j
smc_conf show
smc_rnics -a
smc_rnics -a -j
smc_chk doctor
smc_chk doctor -j
smc_chk -s
smc_chk -s -j -i lo
smc_chk -i lo
"""
FAULTS = (
    "no socket", "no bind", "send: eperm", "send: enobufs", "eperm", "eperm with words", "enobufs", "lost", "overrun",
    "eintr", "eintr, later", "interrupted", "short", "short header", "short message", "empty message", "short error",
    "short done", "long", "long message", "repeated", "stale", "out of order", "wrong sequence", "wrong port",
    "done with an error", "no end", "no answer",
)
# With these faults the final answer is right: the tool must not fail.
HARMLESS = {"eintr", "eintr, later", "repeated", "stale"}
# Once only: the request is repeated.
REPAIRED = {"interrupted"}
WORDS = b"the kernel's own words"
# The doctor goes on with partial data.
DOCTOR_SAYS = re.compile(rb"^problem +netlink +-? +answers only in part|netlink\",\"text\":\"answers only in part", re.M)


def run(command, env, fault="", number=0):
    env = dict(env, KERNEL_FAULT=fault, KERNEL_AT=str(number))
    status, out, err = recorded.run(command, env)
    # Free memory changes, and so does the minute.
    out = re.sub(rb"\d+ free blocks", b"N free blocks", out)
    return status, re.sub(rb'"date":"[^"]*"', b'"date":""', out), err


def judge(result, usual, fault):
    """Return: the fault of the output, "" for none."""
    status, out, err = result
    if status is None or status < 0 or status == 99:
        return "hang or crash"
    if result == usual:
        return ""
    if DOCTOR_SAYS.search(out):
        return "" if status == 1 and not err else "wrong status"
    if status in (0, usual[0]) or out:
        return "wrong success"
    if fault in HARMLESS:
        return "needless failure"
    return "" if err.count(b"\n") == 1 else "unsaid"


def spoil(task):
    """Run a command with each fault in each of its requests. Return: its name, requests, runs, the fault and number of each
    bad run."""
    command, env = task
    with recorded.new_directory() as directory:
        env = dict(env, LD_PRELOAD=recorded.BUILD + "/tests/cli/kernel.so")
        usual = run(command, dict(env, KERNEL_COUNT=directory + "/count"))
        with open(directory + "/count", encoding="ascii") as file:
            requests = int(file.read())
        bad = [] if usual[0] is not None and usual == run(command, env) else [("none", 0, "not repeatable", usual)]
        for i, fault in enumerate(FAULTS):
            # A dump that changes each time is given up in the end.
            for number in range(fault not in REPAIRED, requests + 1):
                if number < requests and (i + number) % int(os.environ.get("STEP", "3")):
                    continue
                result = run(command, env, fault, number)
                wrong = judge(result, usual, fault)
                if not wrong and number and fault in REPAIRED and result != usual:
                    wrong = "needless failure"
                if wrong:
                    bad.append((fault, number, wrong, result))
        said = b"".join(run(command, env, "eperm with words", requests)[1:])
    return " ".join(command), requests, bad, said


def tasks(directory, record):
    path = directory + "/smc.conf"
    with open(path, "w", encoding="ascii") as file:
        file.write("pnetid NET7 net lo\n")
    for line in COMMANDS.strip().splitlines():
        if not line.startswith(" ".join(sys.argv[1:])):
            continue
        yield [path if word == "FILE" else word for word in line.split()], {"KERNEL_ROOT": record}


def main():
    recorded.needs("faults of netlink", "kernel")
    table = []
    with recorded.new_directory() as directory:
        for name, requests, bad, said in recorded.each(spoil, list(tasks(directory, recorded.unpack(directory)))):
            name = name.replace(directory + "/", "")
            recorded.ok(requests and not bad, "%s: %d faults in each of %d requests" % (name, len(FAULTS), requests),
                        "\n".join(map(str, bad[:40])))
            recorded.ok(WORDS in said, name + ": says what the kernel said", said)
            table.append((name, requests, [sum(fault == wrong[0] for wrong in bad) for fault in FAULTS]))
    for i, fault in enumerate(FAULTS):
        print("# %2d %s" % (i + 1, fault))
    print("# %-45s requests %s" % ("", " ".join("%2d" % (i + 1) for i in range(len(FAULTS)))))
    for name, requests, numbers in table:
        print("# %-45s %8d %s" % (name, requests, " ".join("%2d" % number for number in numbers)))
    recorded.done()


if __name__ == "__main__":
    main()
