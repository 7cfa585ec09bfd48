# SPDX-License-Identifier: MIT
"""smc_unit enable postgresql: Debian's unit, whose start script clears the environment, in the real systemd."""
import glob
import os
import shutil
import sys

from boot import UNITS, boot_systemd, choose_units, systemctl
from kern import done, equal, mode, ok, out_of, run, wait_for, write

TOOLS = os.path.dirname(os.path.abspath(__file__))
UNIT = "/lib/systemd/system/postgresql@.service"


def install():
    """As packages do: tools, profile, user and cluster."""
    for name in "smc_unit", "smc_bpf":
        shutil.copy(TOOLS + "/" + name, "/usr/bin/" + name)
        os.chmod("/usr/bin/" + name, 0o755)
    shutil.copy(TOOLS + "/ld_pre_smc.so", glob.glob("/usr/lib/*-linux-gnu")[0])
    shutil.copytree(TOOLS + "/profiles", "/usr/bin/profiles")
    shutil.rmtree("/var/run")
    os.symlink("/run", "/var/run")
    write("/etc/passwd", "postgres:x:986:986::/var/lib/postgresql:/bin/sh\n", "a")
    write("/etc/group", "postgres:x:986:\n", "a")
    for path in "/var/lib/postgresql", "/etc/postgresql", "/var/log/postgresql", "/run/postgresql":
        os.makedirs(path, exist_ok=True)
        os.chown(path, 986, 986)
    version = os.path.basename(glob.glob("/usr/lib/postgresql/*")[0])
    status, out, err = run("pg_createcluster", version, "main", "--", "--no-sync", "--locale=C")
    return version if status == 0 else sys.exit(out + err)


def check(version):
    instance = "postgresql@%s-main" % version
    out = out_of("/usr/bin/smc_unit", "enable", "postgresql")
    ok(out.startswith("postgresql@.service: enabled by eBPF, "), "smc_unit enable postgresql: the template, by eBPF", out)
    systemctl("start", instance)
    equal(wait_for(lambda: mode(5432) == "SMCD") or mode(5432), True, "the cluster serves over SMC-D")
    systemctl("restart", instance)
    equal(wait_for(lambda: mode(5432) == "SMCD") or mode(5432), True, "restarted, too")
    out = out_of("/usr/bin/smc_unit", "disable", "postgresql")
    ok(out.startswith("postgresql@.service: disabled"), "smc_unit disable postgresql", out)
    systemctl("restart", instance)
    equal(wait_for(lambda: mode(5432) == "TCP") or mode(5432), True, "TCP")
    out = out_of("/usr/bin/smc_unit", "enable", instance)
    ok(out.startswith(instance + ".service: enabled by eBPF, "), "smc_unit enable %s: by eBPF, too" % instance, out)
    systemctl("restart", instance)
    equal(wait_for(lambda: mode(5432) == "SMCD") or mode(5432), True, "it serves over SMC-D")
    out_of("/usr/bin/smc_unit", "disable", instance)
    out = out_of("/usr/bin/smc_unit", "enable", "--quiet", "--preload", "postgresql")
    systemctl("restart", instance)
    equal(wait_for(lambda: mode(5432) == "TCP") or mode(5432), True, "the library alone does not reach it")
    systemctl("stop", instance)


if len(sys.argv) == 1:
    made = install()
    write(UNITS + "/lab.target", "[Unit]\nDefaultDependencies=no\n")
    choose_units(UNIT)
    sys.exit(boot_systemd(__file__, made))
check(sys.argv[1])
done()
