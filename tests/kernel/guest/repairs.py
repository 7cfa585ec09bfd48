# SPDX-License-Identifier: MIT
"""Repairs of the preload library: without a row of ld_pre_smc/repairs, its cases of the twin differ. A row that the kernel
does not need is off: its cases are as over TCP."""
import os
import subprocess

from kern import done, equal, skip
from rows import known, read_rows

KERNEL = os.environ["SMC_LAB_KERNEL"]
TAGS = {KERNEL, {"6.1": "fallback", "6.12": "smcr"}.get(KERNEL, "smcd")}
RELEASE = tuple(int(part) for part in os.uname().release.split(".")[:2])
ROWS = read_rows(os.path.join(os.path.dirname(os.path.abspath(__file__)), "repairs"))


def run(cases, *command, **env):
    """Case -> its line: outcome and kinds of sockets."""
    text = subprocess.run([*command, "twin", "-j", "2", "-t", "8", *cases], env={**os.environ, **env}, text=True,
                          stdout=subprocess.PIPE, check=False).stdout
    return dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line)


def has_ended(row):
    return row["until"][0] != "-" and RELEASE >= tuple(map(int, row["until"][0].split(".")))


def same(row, cases):
    """Return: cases that are the same without the repair, three times: a busy machine hides some differences."""
    for _ in range(3):
        with_it, without = run(cases, "smc_run"), run(cases, "smc_run", SMC_NO_REPAIRS=row["row"][0])
        cases = [name for name in cases if with_it[name] == without[name]]
        if not cases:
            break
    return cases


def check(row):
    name, cases = row["row"][0], sorted(known([row], TAGS))
    if not cases:
        skip(name, "its cases are for other runs")
    elif has_ended(row):
        tcp, smc = run(cases), run(cases, "smc_run")
        equal({case: smc[case].split("\t")[0] for case in cases}, {case: tcp[case].split("\t")[0] for case in cases},
              "%s: Linux %s does not need it" % (name, row["until"][0]))
    else:
        equal(same(row, cases), [], "%s: without it, its cases differ" % name)


def main():
    subprocess.run("ip link add other type dummy; modprobe -q tls", shell=True, check=False)
    for row in ROWS:
        check(row)
    done()


main()
