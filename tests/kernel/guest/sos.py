# SPDX-License-Identifier: MIT
"""sos report with the plugin of packaging/sos; sos clean as docs/troubleshooting.md says."""
import glob
import os
import re
import shutil
import socket
import sys
import tarfile

from kern import Sockets, done, equal, ok, out_of, run, write

PLUGINS = glob.glob("/usr/lib/python3*/*-packages/sos/report/plugins")[0]
WORK = "/run/sos"
ADDRESS = "192.0.2.7"
# Names of a host, its domain and address, an EID, a PNET ID, a user
NAMES = "labnode", "rack.test", ADDRESS, "LABCLUSTER", "LABNET", "labuser"


def sos(command):
    """Run sos, whose program of the package expects its modules' directory. Return: archives that are new."""
    before = set(glob.glob(WORK + "/*.tar.?z"))
    status, out, err = run("sh", "-c", command.replace("sos ", "python3 /usr/bin/sos ", 1) + " --batch --tmp-dir " + WORK, timeout=600)
    made = set(glob.glob(WORK + "/*.tar.?z")) - before
    ok(status == 0 and len(made) == 1, command, (status, out, err))
    return made.pop()


def texts(path):
    """Return: name without the directory of the host -> text."""
    with tarfile.open(path) as tar:
        return {member.name.partition("/")[2]: tar.extractfile(member).read().decode("utf-8", "replace") for member in tar if member.isfile()}


def names(files):
    return {name for name in NAMES for path, text in files.items() if name in path + text}


def set_up():
    socket.sethostname("labnode.rack.test")
    out_of("ip", "address", "add", ADDRESS + "/32", "dev", "lo")
    out_of("smcd", "ueid", "add", "LABCLUSTER")
    out_of("smc_pnet", "-a", "LABNET", "-I", "lo")
    write("/etc/passwd", "labuser:x:4711:4711::/nonexistent:/bin/sh\n", "a")
    write("/etc/smc-tools/smc.conf", "eid LABCLUSTER\npnetid LABNET net lo\n")
    shutil.copy("/usr/share/smc-tools/smc_tools.py", PLUGINS)
    os.makedirs(WORK)


def main():
    set_up()
    with Sockets("inet4:pair:%s:7001" % ADDRESS, prefix=("setpriv", "--reuid=4711", "--clear-groups")):
        archive = sos("sos report -o smc_tools,host")
    files = texts(archive)
    commands = {os.path.basename(name): text for name, text in files.items() if name.startswith("sos_commands/smc_tools/")}
    print("# " + " ".join(sorted(commands)))
    ok(any("SMCD" in text and "7001" in text for name, text in commands.items() if name.startswith("smcss_")), "it has the open connection", commands)
    equal([name for name in ("smc_chk_doctor", "smcd_linkgroup", "smcd_ueid", "smc_bpf_status") if not commands.get(name)], [],
          "and the output of the tools")
    ok("LABNET" in files.get("etc/smc-tools/smc.conf", ""), "smc.conf", sorted(files))
    ok(files.get("proc/sys/net/smc/rmem", "").strip().isdigit(), "and the sysctls", sorted(files))
    equal(names(files) | {"labuser"}, set(NAMES), "it has names")
    command = re.search(r"^sos clean .*", open(sys.argv[1], encoding="utf-8").read(), re.M)[0]
    path = sos(command.replace("ARCHIVE", "--no-update " + archive))
    cleaned = texts(path)
    ok(len(cleaned) >= len(files), "with all files", set(files) - set(cleaned))
    equal(names({path: "", **cleaned}), set(), "and no name")


main()
done()
