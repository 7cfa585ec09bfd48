# SPDX-License-Identifier: MIT
"""Random writes and reads over SMC: all bytes arrive, and each call returns what TCP permits."""
import os
import re
import subprocess

from kern import done, equal, listing, ok, wait_for

# A guest of another architecture is always emulated.
SEQUENCES = "100000" if os.uname().machine == "x86_64" else "5000"


def modes():
    """Both ends of two connections."""
    found = [s["mode"] for s in listing() if s["state"] == "ACTIVE"]
    return found if len(found) == 4 else None


def flows(count, *prefix):
    return subprocess.Popen([*prefix, "flows", count], stdout=subprocess.PIPE, text=True)


def check(program, how):
    out = program.communicate()[0]
    ok(program.returncode == 0 and re.fullmatch(r"\d+ sequences, \d+ bytes, 0 wrong\n", out), how, (program.returncode, out))


check(flows("5000"), "over TCP")
smc = flows(SEQUENCES, "smc_run", "--strict")
used = wait_for(modes) or []
equal([mode[:3] for mode in used], ["SMC"] * 4, "under smc_run: SMC is used")
check(smc, "%s sequences over SMC" % SEQUENCES)
done()
