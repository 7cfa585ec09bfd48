# SPDX-License-Identifier: MIT
"""A profile of tuned raises the buffers of SMC sockets, until tuned ends."""
import os
import shutil
import subprocess
import sys

from kern import done, equal, ok, read, run, wait_for

KNOBS = "/proc/sys/net/smc/rmem", "/proc/sys/net/smc/wmem"


def sizes():
    return [read(knob).strip() for knob in KNOBS]


def main():
    before = sizes()
    os.makedirs("/etc/tuned/smc")
    shutil.copy(sys.argv[1], "/etc/tuned/smc")
    ok("\n- smc " in run("tuned-adm", "list", "profiles")[1], "tuned-adm lists the profile")
    with open("/run/tuned.log", "wb") as log, subprocess.Popen(["tuned", "--no-dbus", "--profile", "smc"], stdout=log, stderr=log) as tuned:
        equal(wait_for(lambda: sizes() == ["524288"] * 2, 120) or (sizes(), read("/run/tuned.log")), True, "it is applied")
        tuned.terminate()
        tuned.wait(120)
    equal(sizes(), before, "and taken back with tuned")


main()
done()
