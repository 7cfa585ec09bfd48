# SPDX-License-Identifier: MIT
"""smc_setup --apply between two hosts with the real systemd, and a reset of both: its unit sets all of it again, and the host that
was drained before still is.
This program is started at each boot. The root of the lab is in memory, so /etc is kept in SMC_LAB_OUT."""
import os
import sys
import tarfile

import agent
from boot import UNITS, boot_systemd, choose_units, install_tools
from kern import NODE, done, equal, ok, read, run, sync, wait_for, write
from setup_r import add_card, both, connect, tests_of

TOOLS = os.path.dirname(os.path.abspath(__file__))
UNIT = "smc-conf.service"
ETC = "/etc/smc-tools", UNITS
DISK = "%s/%d.tar" % (os.environ["SMC_LAB_OUT"], NODE)
IS_REBOOTED = os.path.exists(DISK)


def install():
    """As packages do: the unit is there, but not enabled."""
    install_tools(TOOLS, "smc_conf", "smc_chk", "smc_setup", "smcd", "smcr")
    write("/run/new/" + UNIT, read("%s/%s" % (TOOLS, UNIT)).replace("@BINDIR@", "/usr/bin"))
    choose_units("/run/new/" + UNIT, "/lib/systemd/system/multi-user.target")
    write(UNITS + "/lab.target", "[Unit]\nRequires=multi-user.target\nAfter=multi-user.target\n")
    add_card()
    write("/proc/sys/kernel/hostname", "host%d" % NODE)


def state(on):
    """Of the unit: enabled at boot, and its result at this one; and the EIDs."""
    return on("systemctl is-enabled %s; systemctl is-active %s; smcd ueid" % (UNIT, UNIT)).split()


def here(command):
    return run("sh", "-c", command)[1]


def there(command):
    return run("ssh", "--", "b", command)[1]


def apply():
    equal((state(here), state(there)), (["disabled", "inactive"],) * 2, "two bare hosts")
    status, out, err = run("smc_setup", "--apply", "--yes", "b")
    equal((status, tests_of(out), err), (0, both("SMC-R v2, 2 links SMC-R, 2 links"), ""), "--apply: SMC-R with two links")
    equal((state(here), state(there)), (["enabled", "inactive", "SMC-SETUP"],) * 2, "the unit is enabled on both")
    ok("SMC connections left" in there("smc_conf drain -t 1"), "the second host is drained")


def boot():
    for on in here, there:
        ok(wait_for(lambda on=on: state(on) == ["enabled", "active", "SMC-SETUP"]), "booted: the unit has set the EID", state(on))
    for name in "still drained", "and after a restart of the unit":
        status, out = connect()
        ok(status == 2 and "PEERNOSMC" in out, "%s: TCP" % name, (status, out))
        there("systemctl restart " + UNIT)
    there("smc_conf undrain")
    status, out = connect()
    ok(status == 0 and "using SMC-R" in out, "undrained: SMC-R again", out)
    status, out, err = run("smc_setup", "--apply", "--yes", "b")
    ok("Nothing to change" in out, "nothing is left to be done", out)
    equal((status, tests_of(out), err), (0, both("SMC-R v2, 2 links SMC-R, 2 links"), ""), "with two links, in both directions")


def inside():
    """Guest 2 serves the ssh of guest 1, in its systemd."""
    if NODE == 2:
        agent.serve()
    sync("up after the reset" if IS_REBOOTED else "up")
    if NODE == 1:
        agent.install()
        (boot if IS_REBOOTED else apply)()
    sync("end" if IS_REBOOTED else "before the reset")
    if NODE == 1:
        done()


def main():
    install()
    if IS_REBOOTED:
        with tarfile.open(DISK) as tar:
            tar.extractall("/")
    status = boot_systemd(__file__, "inside")
    if not IS_REBOOTED:
        with tarfile.open(DISK, "w") as tar:
            for path in ETC:
                tar.add(path)
        os.sync()
        write("/proc/sysrq-trigger", "b")
    return status


if sys.argv[1:] == ["inside"]:
    inside()
else:
    sys.exit(main())
