# SPDX-License-Identifier: MIT
"""The twin on all sides: a table of the cases in which kinds of sockets and ways into a program differ from TCP, and the
faults among these that are known: the twin finds them."""
import glob
import os
import re
import subprocess
import sys

from differences import known, read_rows
from kern import done, equal, ok, skip

LIBRARY = "smc_run --spin"
SIDES = ["smc", "ipproto_smc", "mptcp", LIBRARY, "smc_run --raw", "smc_run --seccomp", "smc_run --bpf"]
SIDES6 = ["smc", "mptcp", LIBRARY]
# Faults of the kernel that anybody can read about: of MPTCP, and of SMC without the library.
KNOWN = {
    "mptcp": {"accept_timeout", "accept_closed", "close_range", "dead_user_timeout", "hops", "identity", "info_state", "ioctl_atmark",
              "ioctl_inq", "key", "late_error", "nothing_connected", "peek_off", "short", "sigpipe_closed", "urgent", "values",
              "wait_listening", "write_parts", "zerocopy"},
    "smc": {"accept_timeout", "blocking_write", "defer_accept", "error_queue", "identity", "ioctls", "listen_after_connect", "more",
            "peer_name", "reset_close", "retry_nonblocking", "reuseport", "short", "shut_listener", "shut_read", "sigpipe_closed",
            "signals", "unspec", "wait_reset", "whole"},
}


def twin(*argv):
    run = subprocess.run(["twin", "-t", "10", *argv], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.returncode, run.stdout


def runs(family, side):
    """Return: true if the side runs here; otherwise say why not."""
    status, out = twin(*family, "-v", "--side", side, "identity")
    why = re.findall("connect=-[A-Z]+", out) if status in (0, 1) else out.splitlines()[-2:]
    if why:
        skip(" ".join([*family, side]), "no connection over the loopback device: " + " ".join(why))
    return not why


def table(options, sides, cases=()):
    """Run the twin and print its table. Return: side -> cases that differ."""
    argv = ["-v", *options, *(word for side in sides for word in ("--side", side)), *cases]
    status, out = twin(*argv)
    print("\n".join("# " + line for line in out.splitlines()), flush=True)
    ok(status in (0, 1), "twin %s ran to its end" % " ".join(argv), status)
    rows = [line.split() for line in out.splitlines() if re.match(r"[a-z0-9_]+ .* differs", line)]
    return {side: {row[0] for row in rows if row[i + 1] == "differs"} for i, side in enumerate(sides)}


def check_library(family, differ):
    """The library differs in the cases of its rows. A busy machine delays what is to come: these once more, one at a time."""
    rows = read_rows(os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences"))
    expected = known(rows, {os.environ["SMC_LAB_KERNEL"], "smcd", "ipv6" if family else "ipv4"})
    cases = {name for name, words in expected.items() if words != {"~"}}
    again = sorted(name for name in differ ^ cases if name not in expected or name in cases)
    if again:
        differ = differ - set(again) | table([*family, "-j", "1"], [LIBRARY], again)[LIBRARY]
    equal(sorted(name for name in again if (name in differ) != (name in cases)), [], LIBRARY + ": differs in the cases of its rows")


def main():
    subprocess.run("ip link add other type dummy; modprobe -q tls; modprobe -q rdma_ucm", shell=True, check=False)
    rsocket = glob.glob("/usr/lib/*/rsocket/librspreload.so") or ["rsocket"]
    for family, sides in ([], SIDES), (["-6"], SIDES6):
        sides = [side for side in (rsocket if sys.argv[1:] else sides) if runs(family, side)]
        differ = table(family, sides) if sides else {}
        for side, cases in KNOWN.items():
            if side in differ:
                ok(cases <= differ[side], "%s: the twin finds what is known" % side, cases - differ[side])
        if LIBRARY in differ:
            check_library(family, differ[LIBRARY])
    done()


main()
