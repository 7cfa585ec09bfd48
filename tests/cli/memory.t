#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Out of memory: each of the first 400 allocations of each tool fails, once alone and once with all later ones.

Then the tool fails with one line, or prints its usual output. TAP, with a table.
Only every seventh allocation is tried; with tools that read hundreds of files or wait, every 50th. STEP=1 in the environment
tries all.

usage: memory.t [COMMAND]: only commands that begin with it."""
import os
import re
import sys
import tarfile

import recorded  # noqa: E402

MOST = 400
STEP = os.environ.get("STEP")
SLOW = ("smc_top", "smc_pnet", "smc_rnics", "smc_chk")
HEAD = ("allocations", "runs", "right", "crash", "hang", "wrong success", "unsaid", "left behind")
# Commands for this machine.
HERE = """
smc_chk explain 0x03010000
smc_chk explain list -j
smc_chk program true
smc_chk --help
smc_chk from BUNDLE smcss -a
smc_chk from BUNDLE -j
smc_chk from FILE
smc_run true
smc_run --include 1-9 --include 10.0.0.0/8 --exclude listen -r 64K -d -- echo x
smc_run --strict no-such-program
smc_unit status
smc_unit status -j
smc_unit enable x
smc_run --help
smc_run -r x true
smc_dump -r CAPTURE
smc_dump -r CAPTURE -w /dev/null
smc_dump -j -x -r CAPTURE
smc_dump --help
smc_conf check SETTINGS
smc_bpf status
smc_bpf status -j
smc_bpf check
smc_bpf --help
"""
# Commands for a kernel with the netlink of the recorded host, through all of libmnl and libnl.
KERNEL = """
smcss -a
smcss -a -j
smcss --metrics
smc_top --once -w 0.1 -H -o local,peer,mode,unread,unsent,bottleneck,holder
smcr -dd linkgroup link-show
smcr -a -j stats
smcd ueid add NEW
smcd hs enable
smc_pnet
smc_pnet -a NEW -I lo
smc_pnet --suggest --apply
smc_conf diff -
smc_rnics -a
smc_chk -i lo
smc_setup plan BUNDLE BUNDLE
"""
# For these slow commands only some allocations fail, and the command must fail each time.
BUNDLE = "smc_chk bundle -"


def starve(task):
    """Return: command, report."""
    command, env = task
    with recorded.new_directory() as directory:
        os.mkdir(directory + "/tmp")
        report = directory + "/report"
        libraries = ["starve"] + ["kernel"] * ("KERNEL_ROOT" in env)
        env.setdefault("STARVE_STEP", STEP or ("50" if command[0] in SLOW else "7"))
        env = dict(env, LD_PRELOAD=":".join("%s/tests/cli/%s.so" % (recorded.BUILD, name) for name in libraries),
                   STARVE_MOST=str(MOST), STARVE_REPORT=report, TMPDIR=directory + "/tmp")
        status, _, err = recorded.run(command, env, timeout=1200)
        if status or not os.path.exists(report):
            return " ".join(command), "no report: status %s: %s" % (status, err.decode())
        with open(report, encoding="utf-8", errors="replace") as file:
            return " ".join(command), file.read()


def check(command, report):
    """Return: the numbers of its row."""
    *lines, last = report.splitlines() or [""]
    numbers = [int(number) for number in last.split()] if re.fullmatch(r"[\d ]+", last) else []
    recorded.ok(len(numbers) == len(HEAD) and numbers[1] == numbers[2] > 0, command,
                "\n".join(lines[:8] + [last]))
    return numbers


def print_table(rows):
    print("# %-60s %s" % ("", " ".join("%13s" % word for word in HEAD)))
    for name, numbers in rows:
        print("# %-60.60s %s" % (name, " ".join("%13d" % number for number in numbers)))
    sums = [sum(numbers[i] for _, numbers in rows if numbers) for i in range(len(HEAD))]
    print("# %-60s %s" % ("all", " ".join("%13d" % number for number in sums)))
    return sums


def make_bundle(directory):
    """The smallest part of the recorded host that gives an answer: it is unpacked a thousand times."""
    path = directory + "/small.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in ("index.json", "record/netlink/sock_diag/43", "record/probes/uname-release"):
            tar.add(directory + "/smc-bundle/" + name, "smc-bundle/" + name)
    return path


def tasks(directory, record):
    names = {"COLUMNS": recorded.COLUMNS, "FILE": directory + "/smc.conf", "BUNDLE": make_bundle(directory),
             "SETTINGS": recorded.ROOT + "/tests/fuzz/corpus/conf/all",
             "CAPTURE": recorded.ROOT + "/tests/cli/captures/smcd.pcap"}
    with open(names["FILE"], "w", encoding="ascii") as file:
        file.write(recorded.SETTINGS)
    for text, env in ((recorded.COMMANDS, {"SMC_TOOLS_ROOT": record}), (KERNEL, {"KERNEL_ROOT": record}), (HERE, {})):
        for line in text.strip().splitlines():
            if not line.startswith(" ".join(sys.argv[1:])):
                continue
            words = [names.get(word, word) for word in line.split()]
            if os.path.exists(recorded.BUILD + "/" + words[0]):
                yield words, env
    if BUNDLE.startswith(" ".join(sys.argv[1:])):
        yield BUNDLE.split(), {"STARVE_STEP": "40", "STARVE_STRICT": "1"}


def main():
    recorded.needs("out of memory", "starve", "kernel")
    with recorded.new_directory() as directory:
        record = recorded.unpack(directory)
        rows = [(name.replace(directory + "/", ""), check(name.replace(directory + "/", ""), report))
                for name, report in recorded.each(starve, list(tasks(directory, record)))]
    sums = print_table(rows)
    recorded.ok((sums[1] > 1200 or sys.argv[1:]) and sum(sums[3:]) == 0, "no crash, no hang, no wrong success, nothing unsaid or left behind",
                sums)
    recorded.done()


if __name__ == "__main__":
    main()
