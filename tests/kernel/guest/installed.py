# SPDX-License-Identifier: MIT
"""Installed packages work together: tools, library, helper, units, completions, pages."""
import glob
import os
import platform
import shutil

from kern import Sockets, done, equal, listing, ok, out_of, run

LIBDIR = "/usr/lib/%s-linux-gnu" % platform.machine()
LIBRARY = LIBDIR + "/ld_pre_smc.so"
TOOLS = "smc_run smc_unit smc_ab smcss smcd smcr smc_pnet smc_rnics smc_chk smc_dump smc_conf smc_setup smc_bpf smc_top smc_events smc_advise".split()


def places():
    equal([shutil.which(tool) for tool in TOOLS], ["/usr/bin/" + tool for tool in TOOLS], "the tools are those that were installed")
    out = run("smc_run", "sh", "-c", "grep -o '/.*ld_pre_smc.so' /proc/self/maps | sort -u")[1]
    equal(out, LIBRARY + "\n", "smc_run takes the library of the package")
    status, out, _ = run("smc_chk", "program", "/usr/bin/redis-server", "-j")
    ok(status == 0 and LIBRARY in out, "smc_chk knows it, too", out)
    for name in LIBRARY + ".1", LIBDIR + "/libsmc-preload.so":
        out = run("sh", "-c", "grep -c ld_pre_smc.so /proc/self/maps | sed s/[1-9]/n/", env={"LD_PRELOAD": name})[1]
        equal(out, "n\n", "it can be preloaded as " + name)


def connection():
    """A connection with the installed library uses SMC-D at both ends."""
    with Sockets("tcp4:pair:127.0.0.1", prefix=("smc_run",)) as sockets:
        mine = [s["inode"] for s in sockets.all if s["what"] != "listener"]
        equal([s["mode"] for s in listing("-a") if s["inode"] in mine], ["SMCD"] * 2, "a connection over SMC-D, shown by smcss")


def shell():
    script = "for tool; do . /usr/share/bash-completion/completions/$tool && complete -p $tool >/dev/null || echo $tool; done"
    equal(out_of("bash", "-c", "type() { :; }; " + script, "bash", *TOOLS), "", "bash completes each tool")
    units = glob.glob("/usr/lib/systemd/system/smc-conf.service")
    ok(units and "ExecStart=/usr/bin/smc_conf " in open(units[0], encoding="ascii").read(), "the unit is where systemd looks", units)
    pages = [tool for tool in TOOLS if not os.path.exists("/usr/share/man/man8/%s.8.gz" % tool)]
    equal(pages, [], "each has its page")


places()
connection()
shell()
done()
