# SPDX-License-Identifier: MIT
"""The twin on all sides: a table of the cases in which kinds of sockets and ways into a program differ from TCP, and the
faults among these that are known: the twin finds them."""
import glob
import re
import subprocess
import sys

from kern import done, ok

SIDES = ["smc", "ipproto_smc", "mptcp", "smc_run --raw", "smc_run --spin", "smc_run --seccomp", "smc_run --bpf"]
# Faults of the kernel that anybody can read about: of MPTCP, and of SMC without the library.
KNOWN = {
    "mptcp": {"identity", "key", "peek_off", "short", "values", "zerocopy"},
    "smc": {"identity", "ioctls", "short", "more_close", "retry_nonblocking", "sigpipe_closed", "unspec", "whole"},
}


def table(family, sides):
    """Run the twin and print its table. Return: side -> cases that differ."""
    argv = ["twin", "-v", "-t", "10", *family, *(word for side in sides for word in ("--side", side))]
    run = subprocess.run(argv, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print("\n".join("# " + line for line in run.stdout.splitlines()), flush=True)
    ok(run.returncode in (0, 1), " ".join(argv) + " ran to its end", run.returncode)
    rows = [line.split() for line in run.stdout.splitlines() if re.match(r"[a-z0-9_]+ .* differs", line)]
    return {side: {row[0] for row in rows if row[i + 1] == "differs"} for i, side in enumerate(sides)}


def main():
    subprocess.run("ip link add other type dummy; modprobe -q tls", shell=True, check=False)
    sides = SIDES if not sys.argv[1:] else ["mptcp", *glob.glob("/usr/lib/*/rsocket/librspreload.so")]
    for family in [], ["-6"]:
        differ = table(family, sides)
        for side, cases in KNOWN.items():
            if side in differ:
                ok(cases <= differ[side], "%s: the twin finds what is known" % side, cases - differ[side])
        if "smc" in differ:
            ok(differ["smc"] > differ["smc_run --spin"], "the library mends, and adds nothing")
    done()


main()
