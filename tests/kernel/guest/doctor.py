# SPDX-License-Identifier: MIT
"""smc_chk --doctor on a right host, and on hosts that are each broken in one way.

A case is a name, the finding that it must cause (check, object), a function that breaks the host and
one that mends it. Nothing else may be worse than a note then, and everything is as before afterwards.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

from kern import done, equal, ok, run

KERNEL = os.environ["SMC_LAB_KERNEL"]
TOOLS = Path(sys.argv[0]).resolve().parent


def doctor(*argv):
    """Exit status and the document."""
    status, out, err = run("smc_chk", "--doctor", "-j", *argv)
    if err or not out:
        raise RuntimeError("smc_chk: status %d, %s" % (status, err))
    return status, json.loads(out)


def worse(doc):
    """What is worse than a note: {(level, check, object)}."""
    return {(f["level"], f["check"], f.get("object", "")) for f in doc["findings"]
            if f["level"] in ("warning", "problem")}


def sh(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


def knob(path, value):
    """Break and mend functions that write into a file below /proc/sys."""
    file = Path("/proc/sys", path)
    old = file.read_text()
    return lambda: file.write_text(value), lambda: file.write_text(old)


def shell(broken, mended):
    return lambda: sh(broken), lambda: sh(mended)


def one_way(name, want, breaks):
    """One case: want is (level, check, object)."""
    damage, repair = breaks
    damage()
    try:
        status, doc = doctor()
    finally:
        repair()
    level = want[0]
    ok(worse(doc) == {want} and status == (1 if level == "problem" else 0) and
       (doc["problems"], doc["warnings"]) == ((1, 0) if level == "problem" else (0, 1)) and doc.get("first"),
       "%s: %s, and nothing else" % (name, " ".join(want).strip()), (status, json.dumps(doc, indent=1)))


def right_host():
    status, doc = doctor()
    ok(status == 0 and not worse(doc) and (doc["problems"], doc["warnings"]) == (0, 0) and "first" not in doc,
       "a right host has no warning and no problem", (status, json.dumps(doc, indent=1)))
    status, out, err = run("smc_chk")
    ok(status == 0 and not err and out.endswith("SMC can work here.\n") and "->" not in out,
       "in text as well, without an option", (status, out, err))


# Sizes, switches, the library: what any host has.
def host_cases():
    return []


# RDMA devices, ports, PNET IDs, EIDs, net devices.
def device_cases():
    return []


def main():
    right_host()
    for name, want, breaks in host_cases() + device_cases():
        one_way(name, want, breaks)
    equal(worse(doctor()[1]), set(), "and at the end the host is right again")
    done()


main()
