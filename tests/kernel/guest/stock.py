# SPDX-License-Identifier: MIT
"""Kernels of distributions: 6.12 with SMC-R over Soft-RoCE on lo, 6.1 and 5.10 where everything falls back."""
import os
import subprocess

import stock510
from kern import NOBODY, by_inode, done, equal, listing, ok, run, smcss, Sockets, write

KERNEL = os.environ["SMC_LAB_KERNEL"]
SPEC4, SPEC6 = "smc4:pair:127.0.0.1", "smc6:pair:[::1]"


def check_612():
    with Sockets(SPEC4, SPEC6, "inet4:pair:127.0.0.1") as made:
        for spec in (SPEC4, "inet4:pair:127.0.0.1"):
            for what in ("client", "accepted"):
                item = made.one(spec, what)
                row = by_inode(item["inode"])
                equal((row["mode"], row["local"]), ("SMCR", item["local"]), "%s %s: SMC-R" % (spec, what))
        row = by_inode(made.one(SPEC6, "client")["inode"])
        equal((row["mode"], row["reason"]["symbol"]), ("TCP", "NOSMCDEV"), "IPv6: no SMC-R, and why")
        row = by_inode(made.one(SPEC6, "accepted")["inode"])
        equal((row["reason"]["symbol"], row["peer_reason"]["symbol"]), ("PEERDECL", "NOSMCDEV"),
              "IPv6: the server's side")


def check_old():
    with Sockets(SPEC4, SPEC6) as made:
        for spec in (SPEC4, SPEC6):
            client, accepted = made.one(spec, "client"), made.one(spec, "accepted")
            row = by_inode(client["inode"])
            equal((row["mode"], row["reason"]["symbol"], row["local"], row["peer"]),
                  ("TCP", "NOSMCDEV", client["local"], client["peer"]), spec + ": client's row")
            row = by_inode(accepted["inode"])
            equal((row["mode"], row["reason"]["symbol"], row["peer_reason"]["symbol"]),
                  ("TCP", "PEERDECL", "NOSMCDEV"), spec + ": server's row")
    code = "import socket; print(socket.socket().getsockopt(1, 39))"
    for family, want in (("smc", "43"), ("inet", "43"), ("auto", "43")):
        status, out, _ = run("smc_run", "--raw", "-f", family, "python3", "-c", code)
        equal((status, out), (0, want + "\n"), "-f %s without IPPROTO_SMC: AF_SMC" % family)


def check_modules():
    """Only a socket loads smc; smcss must not depend on an earlier one."""
    subprocess.run(["modprobe", "-r", "smc_diag"], check=False)
    gone = subprocess.run(["modprobe", "-r", "smc"], check=False).returncode == 0
    ok(gone, "modules unloaded")
    equal(listing("-a"), [], "smcss loads the modules itself")
    status, out, err = run(*NOBODY, "smcss", "-a")
    equal((status, err, out), (0, "", smcss("-a")), "and needs no rights")


def check_no_smc():
    """The same kernel without the modules: the usual case."""
    subprocess.run(["modprobe", "-r", "smc_diag", "smc"], check=False)
    write("/proc/sys/kernel/modprobe", "/bin/false")
    status, out, err = run("smcss")
    equal((status, out), (1, ""), "no SMC: exit 1, nothing on stdout")
    ok(err.startswith("smcss: this kernel has no SMC") and err.count("\n") == 1, "no SMC: one sentence", err)
    status, out, err = run("smc_run", "python3", "-c",
                           "import socket; s=socket.create_server(('127.0.0.1',0)); print(s.getsockopt(1, 39))")
    equal((status, out), (0, "2\n"), "no SMC: the program runs over TCP")
    ok(err.startswith("smc_run: ") and err.count("\n") == 1, "no SMC: smc_run warns in one line", err)


def main():
    check_modules()
    if KERNEL == "6.12":
        subprocess.run(["rdma", "link", "add", "rxelo", "type", "rxe", "netdev", "lo"], check=True)
        subprocess.run(["smc-lab-eid", "add", "STOCK-TEST"], check=True)
        check_612()
    else:
        check_old()
    if KERNEL == "5.10":
        stock510.check()
    if KERNEL != "6.12":
        check_no_smc()
    done()


main()
