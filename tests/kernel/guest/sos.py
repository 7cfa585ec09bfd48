# SPDX-License-Identifier: MIT
"""sos report with the plugin of packaging/sos."""
import glob
import os
import shutil
import socket
import tarfile

from kern import IPPROTO_SMC, done, equal, ok, run, write

PLUGINS = glob.glob("/usr/lib/python3*/*-packages/sos/report/plugins")[0]
WORK = "/run/sos"


def report():
    """Return: name without the directory of the host -> text, of the files of the plugin."""
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    status, out, err = run("python3", "/usr/bin/sos", "report", "--batch", "-o", "smc_tools", "--tmp-dir", WORK, timeout=600)
    found = glob.glob(WORK + "/*.tar.?z")
    ok(status == 0 and len(found) == 1, "sos report with the plugin", (status, out, err))
    return texts(found[0])


def texts(path):
    with tarfile.open(path) as tar:
        return {member.name.partition("/")[2]: tar.extractfile(member).read().decode("utf-8", "replace") for member in tar if member.isfile()}


def main():
    shutil.copy("/usr/share/smc-tools/smc_tools.py", PLUGINS)
    write("/etc/smc-tools/smc.conf", "pnetid LABNET net lo\n")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC)
    listener.bind(("127.0.0.1", 7001))
    listener.listen()
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC)
    client.connect(("127.0.0.1", 7001))
    files = report()
    commands = {os.path.basename(name): text for name, text in files.items() if name.startswith("sos_commands/smc_tools/")}
    print("# " + " ".join(sorted(commands)))
    ok(any("SMCD" in text and "7001" in text for name, text in commands.items() if name.startswith("smcss_")), "it has the open connection", commands)
    equal([name for name in ("smc_chk_doctor", "smcd_linkgroup", "smcd_ueid", "smc_bpf_status") if not commands.get(name)], [],
          "and the output of the tools")
    ok("LABNET" in files.get("etc/smc-tools/smc.conf", ""), "smc.conf", sorted(files))
    ok(files.get("proc/sys/net/smc/rmem", "").strip().isdigit(), "and the sysctls", sorted(files))


main()
done()
