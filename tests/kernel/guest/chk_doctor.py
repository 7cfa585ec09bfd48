# SPDX-License-Identifier: MIT
"""smc_chk doctor on a correct host, and on hosts that are each broken in one way.

A case is a name, the finding that it must cause (check, object), a function that breaks the host and
one that mends it. Nothing else may be worse than a note then, and everything is as before afterwards.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

import sockmap
from chk_doctor_devices import device_cases, right_devices
from kern import done, equal, ok, run

KERNEL = os.environ["SMC_LAB_KERNEL"]
TOOLS = Path(sys.argv[0]).resolve().parent
KEPT = []


def doctor(*argv):
    """Exit status and the document."""
    status, out, err = run("smc_chk", "doctor", "-j", *argv)
    # ld.so itself reports a missing library.
    if [line for line in err.splitlines() if "from /etc/ld.so.preload" not in line] or not out:
        raise RuntimeError("smc_chk: status %d, %s" % (status, err))
    return status, json.loads(out)


def worse(doc):
    """Findings worse than a note: {(level, check, object)}."""
    return {(f["level"], f["check"], f.get("object", "")) for f in doc["findings"]
            if f["level"] in ("warning", "problem")}


def bad(status, doc):
    return "\n".join(["status %d" % status] + [str(f) for f in doc["findings"] if f["level"] in ("warning", "problem")])


def sh(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


def knob(path, value):
    """Break and mend functions that write into a file below /proc/sys."""
    file = Path("/proc/sys", path)
    old = file.read_text()
    return lambda: file.write_text(value), lambda: file.write_text(old)


def shell(broken, mended):
    return lambda: sh(broken), lambda: sh(mended)


def one_way(name, want, breaks, base=frozenset()):
    """One case: want is (level, check, object), base the expected other problems."""
    damage, repair = breaks
    damage()
    try:
        status, doc = doctor()
    finally:
        repair()
    levels = [finding[0] for finding in base | {want}]
    ok(worse(doc) == base | {want} and status == int("problem" in levels) and
       [doc["problems"], doc["warnings"]] == [levels.count("problem"), levels.count("warning")] and doc.get("first"),
       "%s: %s, and nothing else" % (name, " ".join(want).strip()), bad(status, doc))


def right_host():
    status, doc = doctor()
    ok(status == 0 and not worse(doc) and (doc["problems"], doc["warnings"]) == (0, 0) and "first" not in doc,
       "a correct host has no warning and no problem", bad(status, doc))
    status, out, err = run("smc_chk")
    ok(status == 0 and not err and out.endswith("SMC can work here.\n"),
       "in text as well, without an option", (status, out, err))


BLACKLIST = "/etc/modprobe.d/smc-test.conf"


def other_machine():
    library = bytearray((TOOLS / "ld_pre_smc.so").read_bytes())
    library[18:20] = b"\xb7\x00"  # e_machine: EM_AARCH64
    (TOOLS / "ld_pre_smc.so").rename(TOOLS / "kept.so")
    (TOOLS / "ld_pre_smc.so").write_bytes(library)


def rule(text, *modules):
    """A rule of modprobe.d, with the modules unloaded meanwhile."""
    def damage():
        Path(BLACKLIST).write_text(text)
        for module in modules:
            sh("rmmod " + module)

    def repair():
        Path(BLACKLIST).unlink()
        for module in reversed(modules):
            sh("modprobe " + module)
        if "smc" in modules:
            sh("smc-lab-eid add SMC-LAB-EID")
    return damage, repair


# Found on any host: kernel and module, sizes and switches, the library.
def host_cases():
    kept = "mv %s/kept.so %s/ld_pre_smc.so" % (TOOLS, TOOLS)
    old = "/usr/lib/libsmc-preload.so"
    preload = Path("/etc/ld.so.preload")
    return [
        ("eBPF that takes input", ("warning", "sockmap", ""), (lambda: KEPT.extend(sockmap.make()), lambda: sockmap.close(KEPT))),
        ("SYN cookies always", ("warning", "sysctl", "net.ipv4.tcp_syncookies"),
         knob("net/ipv4/tcp_syncookies", "2")),
        ("handshake limitation", ("warning", "hs-limit", ""), shell("smcr hs enable", "smcr hs disable")),
        ("no corking", ("warning", "sysctl", "net.smc.autocorking_size"), knob("net/smc/autocorking_size", "0")),
        ("no link test", ("warning", "sysctl", "net.smc.smcr_testlink_time"),
         knob("net/smc/smcr_testlink_time", "0")),
        ("buffers larger than blocks of memory", ("warning", "buffers", "net.smc.rmem"),
         knob("net/smc/rmem", "16777216")),
        ("no library", ("warning", "shim", "ld_pre_smc.so"), shell("mv %s/ld_pre_smc.so %s/kept.so" % (TOOLS, TOOLS), kept)),
        ("library of another machine", ("problem", "shim", str(TOOLS / "ld_pre_smc.so")), (other_machine, lambda: sh(kept))),
        ("library of another implementation", ("warning", "shim", old),
         shell("cp %s/ld_pre_smc.so %s" % (TOOLS, old), "rm " + old)),
        ("preloading a library that is gone", ("warning", "shim", "/etc/ld.so.preload"),
         (lambda: preload.write_text(old + "\n"), preload.unlink)),
        ("blacklisted for the next boot", ("warning", "module", "smc"), rule("blacklist smc\n")),
        ("no smc_diag", ("warning", "smc_diag", "smc_diag"), rule("install smc_diag /bin/false\n", "smc_diag")),
        ("blacklisted", ("problem", "module", "smc"), rule("# Not here\nblacklist smc\n", "smc_diag", "smc")),
        ("replaced by a command", ("problem", "module", "smc"),
         rule("install smc /bin/false\ninstall smc_diag /bin/true\n", "smc_diag", "smc")),
    ]


# Users other than root get the same findings.
def without_rights():
    code = "import os, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); os.execvp(sys.argv[1], sys.argv[1:])"
    status, out, err = run(sys.executable, "-c", code, "smc_chk", "-j")
    # Free memory varies.
    lists = [[f for f in doc["findings"] if f["check"] != "memory"] for doc in (json.loads(out), doctor()[1])]
    equal((status, err, lists[0]), (0, "", lists[1]), "without rights: the same list")


def of_a_namespace():
    sh("unshare -n sh -c 'echo 0 >/proc/sys/net/smc/autocorking_size; echo >/run/up; sleep 60' & echo $! >/run/pid; "
       "until [ -e /run/up ]; do sleep 0.1; done")
    pid = Path("/run/pid").read_text().strip()
    found = ("warning", "sysctl", "net.smc.autocorking_size")
    ok(found in worse(doctor("-N", pid)[1]) and found not in worse(doctor()[1]), "switches are those of the namespace",
       doctor("-N", pid))


NAMESPACE = """import json, os, sys
sys.path.insert(0, sys.argv[1])
from chk_doctor_devices import mode
from kern import run
status, out, _ = run("smc_chk", "-j")
print(json.dumps({"status": status, "doc": json.loads(out), "mode": mode(), "list": run("smc_pnet", "-l", "-j")[1]}))"""


def inside(commands):
    """View of a program in a new network namespace of unshare(1); /sys is still that of the other one."""
    return json.loads(subprocess.run(
        ["unshare", "-n", "sh", "-ec", commands + ' && exec "$@"', "sh", sys.executable, "-B", "-c", NAMESPACE, str(TOOLS)],
        check=True, stdout=subprocess.PIPE).stdout)


def texts(doc, check):
    return [(f["level"], f.get("object"), f["text"]) for f in doc["findings"] if f["check"] == check]


def beside_the_device():
    """RDMA devices are in all namespaces, their net devices in one."""
    got = inside("ip link set lo up")
    equal((got["mode"], got["status"], worse(got["doc"])), ("TCP", 1, {("problem", "device", "")}),
          "in another namespace: soft-RoCE on the first one's lo is not on this lo")
    equal(texts(got["doc"], "ebpf"), texts(doctor()[1], "ebpf"), "there eBPF can do what it can here")
    ok("of another network namespace" in str(texts(got["doc"], "rdma")), "the device is mentioned", got)
    sh("smc_pnet -a SHARED -D rxelo")
    got = inside("ip link set lo up; smc_pnet -a SHARED -I lo")
    equal((got["mode"], got["status"], worse(got["doc"])), ("SMCR", 0, set()),
          "by PNET ID it can be used, though the namespace's own table does not have the port")
    got = inside("ip link set lo up; smc_pnet -a OTHER -I lo")
    equal((got["mode"], got["status"], worse(got["doc"])), ("TCP", 1, {("problem", "pnetid", "lo")}),
          "not by another one")
    sh("smc_pnet -f")
    got = inside("ip link set lo up; ip link add dummy9 type dummy")
    ok("dummy9" in str(texts(got["doc"], "pnetid")) and "dummy9" in got["list"],
       "net devices are those of the namespace, not those of /sys", got)
    equal(texts(got["doc"], "sysfs"), [], "and nothing is said of /sys")
    status, out, _ = run("unshare", "-n", "sh", "-c", "ip link add dummy9 type dummy && exec setpriv --reuid=65534 "
                         "--regid=65534 --clear-groups smc_chk -j")
    ok("of another network namespace" in str(texts(json.loads(out), "sysfs")), "without rights there: a note", (status, out))
    sh("unshare -n sh -c 'ip link set lo up; smc_chk bundle /run/inside.tar.gz'")
    status, out, _ = run("smc_chk", "from", "/run/inside.tar.gz", "-j")
    equal((status, worse(json.loads(out)), texts(json.loads(out), "ebpf")),
          (1, {("problem", "device", "")}, texts(doctor()[1], "ebpf")), "a bundle of it gives the same findings")


def in_a_sandbox():
    """A filter of system calls: socket() of family 43 fails as if there were no SMC."""
    code = """import ctypes, os, struct, sys
rules = ((0x20, 0, 0, 0), (0x15, 0, 3, 41), (0x20, 0, 0, 16), (0x15, 0, 1, 43), (6, 0, 0, 0x50000 | 97), (6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
filter = ctypes.create_string_buffer(struct.pack("@HP", len(rules), ctypes.addressof(program)))
prctl = ctypes.CDLL(None).prctl
if prctl(38, 1, 0, 0, 0) or prctl(22, 2, filter, 0, 0):
    sys.exit("prctl failed")
os.execvp(sys.argv[1], sys.argv[1:])"""
    status, out, err = run(sys.executable, "-c", code, "smc_chk", "-j")
    found = worse(json.loads(out))
    ok(status == 3 and not err and [f[:2] for f in found] == [("problem", "kernel")] and "sandbox" in out,
       "in a sandbox: cannot be tested here, and nothing else is wrong", (status, out, err))


def main():
    right_host()
    if KERNEL == "6.12":
        without_rights()
        of_a_namespace()
        beside_the_device()
        in_a_sandbox()
    right_devices(lambda: worse(doctor()[1]))
    for name, want, breaks in (host_cases() if KERNEL != "lo" else []) + device_cases():
        one_way(name, want, breaks)
    equal(worse(doctor()[1]), set(), "and at the end the host is correct again")
    done()


if __name__ == "__main__":
    main()
