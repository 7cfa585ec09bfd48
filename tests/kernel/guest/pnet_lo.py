# SPDX-License-Identifier: MIT
"""Link groups of loopback in the tree of smc_pnet, with and without an entry for it. As a DIBS device it is listed."""
import os
import re

from kern import Sockets, done, equal, ok, run

LISTED = os.path.isdir("/sys/class/dibs/lo")
NAME = "lo" if LISTED else "loopback-ism"
GROUP = r"- SMC-D link group [0-9a-f]{8} \(1 connection\)$"


def tree():
    status, out, err = run("smc_pnet", "-l", "--tree")
    equal((status, err), (0, ""), "smc_pnet -l --tree")
    return out.splitlines()


def groups(lines, blanks):
    """Lines of both groups: the last child of its parent, and one before it."""
    return [i for mark in "|`" for i, l in enumerate(lines) if re.match(" {%d}[%s]%s" % (blanks, mark, GROUP), l)]


with Sockets("smc4:pair:127.0.0.1"):
    lines = tree()
    ok(groups(lines, 3 if LISTED else 0) == [len(lines) - 2, len(lines) - 1] and
       (not LISTED or "`- ism lo" in lines), "without an entry: at the end", lines)
    equal(run("smc_pnet", "-a", "loop", "-I", "lo", "-D", NAME), (0, "", ""), "an entry for " + NAME)
    lines = tree()
    ok(lines[:3] == ["LOOP", "`- net lo (unknown, table)", "   `- ism %s (table)" % NAME] and
       groups(lines, 6) == [3, 4], "with an entry: below the device, the device below lo", lines)
done()
