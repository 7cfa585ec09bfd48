# SPDX-License-Identifier: MIT
"""A bundle of a host with live connections gives the same answers as the host. It is kept in SMC_LAB_OUT."""
import json
import os
import sys
import tarfile

from kern import NOBODY, done, equal, listing, ok, read, record_live, run, Sockets

MODE = sys.argv[1] if len(sys.argv) > 1 else ("SMCR" if os.path.exists("/sys/class/infiniband/rxelo") else "SMCD")
OUT = os.environ["SMC_LAB_OUT"]
BUNDLE = OUT + "/bundle.tar.gz"
TMP = "/tmp/bundles"
SECRET = "correct-horse-battery-staple"
HERE = ["smcss -a", "smcr linkgroup", "smcd -j info"]
COMMANDS = HERE + [
    "smcss -a -p -j", "smcss -a -d", "smcss -R", "smcss -s", "smcd -d linkgroup", "smcr -d device",
    "smcr -dd linkgroup link-show", "smcd seid", "smcr -a -d stats", "smc_pnet -j",
    "smc_rnics -a -w", "smc_chk doctor", "smc_chk -s",
]


def check_replay():
    for command in COMMANDS:
        live = record_live(command)
        if command in HERE:
            equal(run("smc_chk", "from", BUNDLE, *command.split()), live, "from FILE %s is as live" % command)


def check_content():
    with tarfile.open(BUNDLE) as tar:
        files = {m.name[len("smc-bundle/"):]: tar.extractfile(m).read() for m in tar if m.isfile()}
    index = json.loads(files["index.json"])
    bad = [c for c in index["commands"] if c["status"] > (c["name"].startswith("smc_chk"))]
    ok(not bad, "every command succeeded, except for findings of the doctor", bad)
    sockets = json.loads(run("smc_chk", "from", BUNDLE, "smcss", "-a", "-p", "-j")[1])["sockets"]
    ok([s.get("mode") for s in sockets].count(MODE) == 2, "both ends of the connection", sockets)
    ok(any("sockets" in str(s.get("processes")) for s in sockets), "processes by their names", sockets)
    system = files["text/system.txt"].decode()
    ok("/proc/sys/net/smc\n" in system and "\n  rmem: " in system and "\nmodule smc\n" in system, "sysctls and modules", system)
    log = system.split("\nkernel log\n")[1].splitlines()
    ok(any("smc" in line.lower() for line in log) and not any("Linux version" in line for line in log),
       "lines of the kernel's log about SMC, and no others", log)
    leaks = [n for n, data in files.items() if SECRET.encode() in data or b"SMC_LAB" in data]
    ok(not leaks, "no environment, no command line", leaks)
    cmdline = read("/proc/cmdline").strip().encode()
    leaks = [n for n, data in files.items() if cmdline in data]
    ok(cmdline and not leaks, "nor the kernel's, which may have passwords", leaks)
    ok(b"sockets" in files["text/smcss.txt"], "and as text", files["text/smcss.txt"].decode())


def check_user():
    """Another user's bundle: less about processes and log, but complete, with the same sockets."""
    os.chmod(TMP, 0o1777)
    path = TMP + "/user.tar.gz"
    status, _, err = run(*NOBODY, "smc_chk", "bundle", path)
    equal((status, err), (0, ""), "a bundle without privileges")
    equal(run("smc_chk", "from", path, "smcss", "-a")[1], run("smcss", "-a")[1], "it has the same sockets")
    os.unlink(path)


def check_netns():
    run("ip", "netns", "add", "other")
    path = TMP + "/other.tar.gz"
    status, _, err = run("smc_chk", "bundle", "-N", "other", path)
    equal((status, err), (0, ""), "a bundle of another network namespace")
    equal(run("smc_chk", "from", path, "smcss", "-a")[1].count("\n"), 1, "none of our sockets is there")
    equal(run("smc_chk", "from", path, "smc_pnet", "-l"), run("smc_pnet", "-N", "other", "-l"),
          "but its net devices")
    os.unlink(path)


os.mkdir(TMP)
os.environ["TMPDIR"] = TMP
os.environ["SECRET"] = SECRET
# Both ends and a listener; a client that fell back shows its reason.
with Sockets("smc4:pair:127.0.0.1:7001", "smc4:listen:127.0.0.1:7002", "smc4:fastopen:127.0.0.1:7002"):
    ok(sum(s.get("mode") == MODE for s in listing()) == 2, "a connection over " + MODE, listing("-a"))
    if MODE == "SMCR":
        run("smc_pnet", "-a", "NET1", "-I", "lo", "-D", "rxelo")
    equal(run("smc_chk", "bundle", BUNDLE)[::2], (0, ""), "a bundle")
    check_replay()
    check_content()
    check_user()
    check_netns()
    equal(os.listdir(TMP), [], "nothing is left in TMPDIR")
done()
