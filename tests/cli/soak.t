#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make soak: its arguments, with a lab that only repeats them; and its verdict, on samples made for it."""
import os
import subprocess
import sys
import tempfile

from recorded import ROOT, done, ok

sys.path.insert(0, ROOT + "/tests/kernel/guest")
sys.dont_write_bytecode = True
import soakjudge  # pylint: disable=wrong-import-position

COUNT = 360


def lab(directory):
    """A build directory and a lab in which nothing happens."""
    for name in ("smc_run", "ld_pre_smc.so", "bench/life", "tests/kernel/soak", "tests/preload/stress", "tests/preload/sandbox",
                 "tests/preload/errnos"):
        os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
        open(os.path.join(directory, name), "wb").close()
    with open(directory + "/lab", "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho \"$*\"\nexit 3\n")
    os.chmod(directory + "/lab", 0o755)


def soak(directory, *argv):
    env = dict(os.environ, BUILD=directory, SMC_LAB_COMMAND=directory + "/lab")
    result = subprocess.run([ROOT + "/tests/soak", *argv], env=env, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def check_arguments(directory):
    status, out, _ = soak(directory, "45", "lo")
    ok(status == 3, "the exit status is the lab's", status)
    ok(out.startswith("run ") and " -k lo --cpus 1 -t 3900 " in out and "/soak.py 45" in out and "--rxe" not in out,
       "kernel lo: time for 45 minutes and the start", out)
    out = soak(directory, "1", "6.12")[1]
    ok(" -k 6.12 --rxe " in out, "kernel 6.12 has an RDMA device", out)
    for minutes in ("", "0", "-1", "1.5", "x", "10000"):
        got = soak(directory, minutes, "lo")
        ok(got == (1, "", "make soak: MINUTES=%s is not a number of minutes\n" % minutes), "MINUTES=%s" % minutes, got)
    got = soak(directory, "1", "6.1")
    ok(got == (1, "", "make soak: KERNEL=6.1 is neither lo nor 6.12\n"), "no such kernel", got)


def samples(kb=lambda i: 500, fds=lambda i: 4, threads=lambda i: 1, count=COUNT, heap=lambda i: None):
    return [soakjudge.Sample(i / count, kb(i), fds(i), threads(i), heap(i)) for i in range(count)]


def says(name, want, *args):
    got = soakjudge.faults(*args)
    ok(len(got) == bool(want) and all(want in fault for fault in got), name, got)


def check_verdict():
    every = [36] * 10
    got = soakjudge.ends(samples(lambda i: i), "kb")
    ok(all(abs(kb + 1 - COUNT * when) <= 1 for kb, when in zip(got, (0.1 + 0.125, 0.5625, 0.775 + 0.125))),
       "a window starts after the warm-up, one ends with the samples", got)
    says("what stays as it is", "", samples(), every, 1)
    says("two sizes in turn", "", samples(lambda i: 500 + i % 7 * 40), every)
    says("growth in the first tenth", "", samples(lambda i: 500 + min(i, COUNT // 10) * 10), every)
    says("one moment of much", "", samples(lambda i: 5000 if i == COUNT - 5 else 500), every)
    says("two pages more", "", samples(lambda i: 500 + (i > COUNT / 2) * 8), every)
    says("three pages more", "kB grow from 500 to 512", samples(lambda i: 500 + (i > COUNT / 2) * 12), every)
    says("a slow leak", "kB grow", samples(lambda i: 500 + i // 20), every)
    says("a leak below the noise of two sizes", "kB grow", samples(lambda i: 500 + i % 7 * 40 + i // 20), every)
    says("malloc() keeps some pages", "", samples(lambda i: 500 + (i > COUNT / 2) * 60, heap=lambda i: 9000), every)
    says("malloc() keeps many pages", "kB grow", samples(lambda i: 500 + i // 3, heap=lambda i: 9000), every)
    says("more and less of the heap in turn", "", samples(heap=lambda i: 9000 + i % 7 * 5000), every)
    says("three bytes at each look", "bytes in use grow from", samples(heap=lambda i: 9000 + i % 7 * 5000 + 3 * i), every)
    says("a look that saw no heap", "", samples(heap=lambda i: None if i % 5 else 9000), every)
    says("descriptors leak", "descriptors grow from ", samples(fds=lambda i: 4 + i // 50), every)
    says("threads leak", "threads grow from ", samples(threads=lambda i: 1 + i // 50), every)
    says("gone after half the time", "was not there all the time", samples()[:COUNT // 2], every)
    blind = [s for s in samples() if not 0.15 < s.when < 0.21]
    says("nobody looked for a while: that is not the process's fault", "", blind, every)
    blind = [s for s in samples(lambda i: 500 + i // 20) if not 0.15 < s.when < 0.21]
    says("nor does it hide a leak", "kB grow", blind, every)
    says("away for most of a window", "was not there all the time",
         [s for s in samples() if not 0.79 < s.when < 0.96], every)
    says("never there", "was not there all the time", [], None)
    says("no refresh in the third tenth", "stood still: 36 36 0 36", samples(), [36, 36, 0] + [36] * 7)
    says("refreshes are not counted", "", samples(), None)
    says("refreshes that show nothing", "never showed", samples(), every, 0)


with tempfile.TemporaryDirectory() as tmp:
    lab(tmp)
    check_arguments(tmp)
check_verdict()
done()
