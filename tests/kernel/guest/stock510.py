# SPDX-License-Identifier: MIT
"""The tools on kernel 5.10: SMC_GEN_NETLINK came with 5.11, seccomp user notification that can add
descriptors at once with 5.14, SMC-Rv2 and user EIDs with 5.16, sysctls with 5.18, IPPROTO_SMC with 6.11."""
import subprocess
import sys

from kern import Sockets, by_inode, doc, equal, ok, out_of, run

# Cases of the twin that differ on no other kernel, without the library's repairs for this one.
CASES = ["bind_reuseport", "connect_dup_later"]
NO_FAMILY = "this kernel's SMC has no netlink family SMC_GEN_NETLINK, which came with Linux 5.11"


def says(argv, status, words, name):
    """One message, with these words."""
    got = run(*argv)
    ok(got[0] == status and got[2].count("\n") == 1 and words in got[2], name, got)


def check_netlink():
    for command in (["info"], ["linkgroup"], ["stats", "reset"], ["ueid", "add", "A"], ["-j", "info"]):
        equal(run("smcr", *command), (1, "", "smcr: %s\n" % NO_FAMILY), "smcr " + " ".join(command))
    equal(run("smcd", "seid"), (1, "", "smcd: %s\n" % NO_FAMILY), "smcd seid")

def check_pnet():
    """The netlink family SMC_PNETID is as old as SMC-R."""
    out_of("smc_pnet", "-a", "NET", "-I", "lo")
    equal(out_of("smc_pnet"), "NET lo n/a 255\n", "smc_pnet: an entry")
    equal([row["pnetid"] for row in doc("smc_pnet", "-l", "-j")["devices"] if row["device"] == "lo"], ["NET"],
          "smc_pnet -l: the device has it")
    equal(run("smc_pnet", "-f"), (0, "", ""), "smc_pnet -f: an empty table")
    equal(out_of("smc_pnet"), "", "smc_pnet: gone")


def findings():
    status, out, err = run("smc_chk")
    ok(status == 1 and not err, "smc_chk ends", (status, err))
    return " ".join(out.split())


def check_doctor():
    text = findings()
    ok("warning netlink SMC_GEN_NETLINK is missing: smcd and smcr cannot work -> install kernel 5.11" in text,
       "smc_chk: no generic netlink", text)
    ok("modprobe rdma_rxe" not in text, "smc_chk: no advice to use soft-RoCE", text)
    subprocess.run(["rdma", "link", "add", "rxelo", "type", "rxe", "netdev", "lo"], check=True)
    equal([rnic["ib_device"] for rnic in doc("smc_rnics", "-j")["rnics"]], ["rxelo"], "smc_rnics: soft-RoCE")
    out_of("smc_pnet", "-a", "NET", "-I", "lo", "-D", "rxelo")
    text = findings()
    ok("problem rdma rxelo port 1 has GIDs of RoCE v2 only, which SMC uses from kernel 5.16 on" in text and
       "no SMC-R: rxelo port 1 has RoCE v2 only" in text and "hangs" not in text, "smc_chk: soft-RoCE", text)
    with Sockets("smc4:pair:127.0.0.1") as made:
        row = by_inode(made.one("smc4:pair:127.0.0.1", "client")["inode"])
        equal((row["mode"], row["reason"]["symbol"]), ("TCP", "NOSMCDEV"), "and so it is: the kernel does not use it")
    out_of("smc_pnet", "-f")
    out_of("rdma", "link", "delete", "rxelo")


def check_live():
    server = subprocess.Popen(["smc_chk", "serve", "-p", "4711"], stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    status, out, err = run("smc_chk", "connect", "127.0.0.1", "-p", "4711")
    ok(status == 2 and not err and "TCP, not SMC" in out and "0x03030000 NOSMCDEV" in out and
       "0x05000000 PEERDECL" in out, "smc_chk serve and connect: over TCP, and why on both sides", (status, out, err))
    server.terminate()
    server.wait()


def check_bundle():
    out_of("smc_chk", "bundle", "/run/host.tar.gz")
    equal(run("smc_chk", "from", "/run/host.tar.gz"), run("smc_chk"), "smc_chk from: says what the host says")
    says(["smc_chk", "from", "/run/host.tar.gz", "smcr", "info"], 1, NO_FAMILY, "smcr from the bundle")


def check_ways(programs):
    code = "import socket; print(socket.socket().getsockopt(1, 39))"
    says(["smc_run", "--bpf", "python3", "-c", code], 0, "no IPPROTO_SMC, which came with Linux 6.11", "smc_run --bpf")
    says(["smc_run", "--seccomp", "python3", "-c", code], 0, "it needs seccomp user notification (kernel 5.14)",
         "smc_run --seccomp")
    says(["smc_run", "--strict", "--seccomp", "true"], 125, "it needs seccomp user notification (kernel 5.14)",
         "smc_run --strict --seccomp")
    says(["smc_bpf", "check"], 1, "Linux 6.6 or later", "smc_bpf check")
    says(["smc_bpf", "attach", "--pid", "1"], 1, "Linux 6.6 or later", "smc_bpf attach")
    equal(doc("smc_chk", "program", "-j", "python3")["is_possible"], True, "smc_chk program: the library reaches Python")
    status, out, _ = run("smc_chk", "program", programs + "/gohttp")
    ok(status == 2 and "(kernel 6.11)" in out and "(kernel 5.14)" in out, "smc_chk program: nothing reaches Go", out)


def outcomes(*command):
    """Case of the twin -> what it prints, without kinds of sockets."""
    return dict(line.split("\t")[:2] for line in out_of(*command, "twin", *CASES).splitlines())


def check():
    equal(outcomes("smc_run"), outcomes(), "smc_run: connect() after a refusal and SO_REUSEPORT are as over TCP")
    check_netlink()
    check_pnet()
    check_doctor()
    check_live()
    check_bundle()
    check_ways(sys.argv[1])
