# SPDX-License-Identifier: MIT
"""Programs that AppArmor confines: with usual profiles, and with those of packaging/apparmor."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

from boot import UNITS, boot_systemd, choose_units, systemctl
from kern import counted, done, equal, go_on, mode, ok, read, run, skip, write

TOOLS = os.path.dirname(os.path.abspath(__file__))
LIBRARY = "/usr/lib/%s-linux-gnu/ld_pre_smc.so" % os.uname().machine
LIBRARIES = """/usr/lib/*-linux-gnu/{libc,libm,libiperf,libssl,libcrypto,libsctp,ld-linux-*}.so* mr,
  /etc/ld.so.cache r,
  /dev/urandom r,"""
INET = "network inet stream,\n  network inet6 stream,\n  network inet dgram,\n  network inet6 dgram,"
PROFILES = {
    "inet": "include <abstractions/base>\n  " + INET,  # as those of redis and mysqld are
    "narrow": LIBRARIES + "\n  " + INET,  # as those of snaps: libraries are named
    "network": "include <abstractions/base>\n  network,",
    "with": LIBRARIES + "\n  " + INET + "\n  include <abstractions/smc-tools>",
}
PROFILE = """include <tunables/global>
profile lab-%s /usr/local/bin/lab-%s {
  %s
  signal (receive) peer=unconfined,
  /tmp/iperf3.* rw,
  /usr/local/bin/lab-%s mr,
}
"""
# As snapd generates them: from a template without any socket, and the rules of plugs.
SNAP = """include <tunables/global>
profile snap.lab.iperf3 flags=(attach_disconnected,mediate_deleted) {
  include <abstractions/base>
  signal (receive) peer=unconfined,
  signal (send, receive) peer=snap.lab.*,
  ptrace (read) peer=snap.lab.*,
  /{usr/,}bin/env ixr,
  /snap/lab/** mrklix,
  /{dev,run}/shm/snap.lab.** mrwlkix,
  /tmp/{,**} mrwlkix,
  %s
}
"""
PLUG = "include <abstractions/nameservice>\n  network inet stream,\n  network inet6 stream,"
seen = 0
port = 5500


def install(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)
    os.chmod(target, 0o755)


def load(name, text):
    write("/etc/apparmor.d/lab-" + name, text)
    equal(run("apparmor_parser", "-r", "-K", "/etc/apparmor.d/lab-" + name), (0, "", ""), "profile " + name)


def set_up():
    subprocess.run(["mount", "-t", "securityfs", "none", "/sys/kernel/security"], check=True)
    write("/proc/sys/kernel/printk_ratelimit", "0")
    install(TOOLS + "/ld_pre_smc.so", LIBRARY)
    for tool in "smc_unit", "smc_bpf", "smc_run", "smc_chk":
        if os.path.exists(TOOLS + "/" + tool):
            install(TOOLS + "/" + tool, "/usr/bin/" + tool)
    install(TOOLS + "/smc_keep", "/usr/libexec/smc-tools/smc_keep")
    install(TOOLS + "/apparmor/abstractions/smc-tools", "/etc/apparmor.d/abstractions/smc-tools")
    for name, rules in PROFILES.items():
        install("/usr/bin/iperf3", "/usr/local/bin/lab-" + name)
        load(name, PROFILE % (name, name, rules, name))
    install("/usr/bin/setsid", "/usr/local/bin/lab-starter")
    load("starter", PROFILE % ("starter", "starter", "include <abstractions/base>\n  network,\n  /usr/local/bin/lab-network Px,", "starter"))


def denials():
    """Return: different denials since the last call, and the number of their log lines."""
    global seen
    lines = run("dmesg")[1].splitlines()
    new = [line for line in lines[seen:] if "apparmor=\"DENIED\"" in line]
    seen = len(lines)
    found = set()
    for line in new:
        fields = dict(re.findall(r'(\w+)="([^"]*)"', line))
        found.add((fields["operation"], fields.get("family") or fields.get("capname") or re.sub(r"\d+", "N", fields.get("name", ""))))
    return sorted(found), len(new)


def talk(command, way=(), **settings):
    """Run a server and a client with the same profile. Return: mode of their connections, status of the client, errors."""
    global port
    port += 1
    env = dict(os.environ, **settings)
    env.pop("SMC_LEARN", None)
    with open("/run/server", "w", encoding="utf-8") as log:
        server = subprocess.Popen([*way, *command, "-s", "-p", str(port)], env=env, stdout=log, stderr=log)
        time.sleep(1)
        found = mode(port)
        status = subprocess.run([*way, *command, "-c", "127.0.0.1", "-p", str(port), "-n", "200K", "-P", "2"], env=env, stdout=log,
                                stderr=log, timeout=100, check=False).returncode
        subprocess.run(["kill", "-9", str(server.pid)], check=True)
        server.wait()
    return found, status, read("/run/server")


def check_library():
    preload = {"LD_PRELOAD": LIBRARY}
    for name, words in (("inet", "as it is, AF_SMC and IPPROTO_SMC"), ("network", "that admits every family")):
        for family in ("smc", "inet"):
            denials()
            found, status, text = talk(["/usr/local/bin/lab-" + name], SMC_SOCK_FAMILY=family, **preload)
            equal((found, status), ("TCP" if name == "inet" else "SMCD", 0), "a profile %s, -f %s" % (words, family)) or print("# " + text)
            found, lines = denials()
            print("# %d lines in the log: %s" % (lines, found))
            ok(lines < 12, "and few lines in the audit log", found)
    found, status, text = talk(["/usr/local/bin/lab-narrow"], **preload)
    ok((found, status) == ("TCP", 0) and "cannot be preloaded" in text, "a profile that does not name the library: TCP, and ld.so says that",
       (found, status, text))
    denials()
    found, status, text = talk(["/usr/local/bin/lab-with"], **preload)
    equal((found, status), ("SMCD", 0), "abstractions/smc-tools: SMC-D") or print("# " + text)
    equal(denials(), ([], 0), "abstractions/smc-tools: nothing else is denied")
    equal([line.split()[3] for line in read("/proc/sysvipc/shm").splitlines()[1:]], ["65538"], "what is learned is shared")
    found, status, text = talk(["/usr/local/bin/lab-starter", "/usr/local/bin/lab-network"], **preload)
    equal((found, status), ("TCP", 0), "Px: the loader drops the library, and it is TCP") or print("# " + text)


def check_others():
    """eBPF knows of no profile: connections to a server break. The supervisor leaves confined programs alone."""
    if os.path.exists("/usr/bin/smc_bpf"):
        found, status, text = talk(["/usr/local/bin/lab-inet"], way=["smc_run", "--bpf"])
        ok(status and "Permission denied" in text, "eBPF under a profile that is not changed: what is accepted is denied", (found, status, text))
        denials()
        equal(talk(["/usr/local/bin/lab-with"], way=["smc_run", "--bpf"])[:2], ("SMCD", 0), "eBPF, abstractions/smc-tools: SMC-D")
        equal(denials(), ([], 0), "eBPF, abstractions/smc-tools: nothing is denied")
    found, status, text = talk(["/usr/local/bin/lab-inet"], way=["smc_run", "--seccomp"])
    equal((found, status), ("TCP", 0), "supervisor, a profile that is not changed: TCP") or print("# " + text)
    status, _, err = run("aa-exec", "-p", "lab-tool", "--", "smc_run", "-f", "smc", "true")
    ok(status == 0 and "AppArmor or SELinux denies" in err, "smc_run says that SMC is denied", (status, err))
    out = run("aa-exec", "-p", "lab-tool", "--", "smc_chk", "doctor")[1]
    ok("AppArmor's profile 'lab-tool' denies SMC sockets" in out, "smc_chk doctor names the profile", out)


def check_unit():
    unit = UNITS + "/lab-confined.service"
    write(unit, "[Service]\nAppArmorProfile=lab-inet\nExecStart=/usr/local/bin/lab-inet -s -p 5600\n")
    systemctl("daemon-reload")
    systemctl("start", "lab-confined")
    denials()
    status, _, err = run("/usr/bin/smc_unit", "enable", "--preload", "lab-confined")
    ok(status == 0 and "AppArmor's profile 'lab-inet' denies SMC sockets" in err, "enable names the profile", (status, err))
    equal(denials(), ([], 0), "which leaves nothing in the audit log")
    systemctl("restart", "lab-confined")
    equal(mode(5600), "TCP", "the service: TCP")
    ok(" denied " in run("/usr/bin/smc_unit", "status", "lab-confined")[1], "status: denied", run("/usr/bin/smc_unit", "status", "lab-confined"))
    if os.path.exists("/usr/bin/smc_bpf"):
        status, _, err = run("/usr/bin/smc_unit", "enable", "--bpf", "lab-confined")
        ok(status == 1 and "AppArmor's profile 'lab-inet' denies SMC sockets" in err, "enable --bpf is refused: connections would break", (status, err))
        status, _, err = run("/usr/bin/smc_bpf", "attach", "--unit", "lab-confined")
        ok(status == 1 and "AppArmor's profile 'lab-inet' denies SMC sockets" in err, "smc_bpf attach is refused, too", (status, err))
        equal(run("/usr/bin/smc_bpf", "attach", "--unit", "lab-confined", "--force")[0], 0, "unless it is forced")
        equal(run("/usr/bin/smc_bpf", "detach", "--all")[0], 0, "detach")
    ok("profile 'lab-inet' denies SMC sockets" in run("/usr/bin/smc_unit", "status", "lab-confined")[1], "status says why")
    write(unit, "[Service]\nAppArmorProfile=lab-with\nExecStart=/usr/local/bin/lab-with -s -p 5600\n")
    systemctl("daemon-reload")
    systemctl("restart", "lab-confined")
    equal(run("/usr/bin/smc_unit", "enable", "--preload", "lab-confined")[2], "", "with the abstraction: nothing to warn of")
    equal(mode(5600), "SMCD", "the service: SMC-D")
    ok(" in use " in run("/usr/bin/smc_unit", "status", "lab-confined")[1], "status: in use")


def check_snap():
    """Only the main process has the profile, as "snap run" changes to it."""
    program, name = "/snap/lab/x1/bin/iperf3", "snap.lab.iperf3"
    why = "AppArmor's profile '%s' denies SMC sockets" % name
    install("/usr/bin/iperf3", program)
    load("snap", SNAP % "")
    status, out, err = run("env", "LD_PRELOAD=" + LIBRARY, "aa-exec", "-p", name, "--", program, "-s", "-1", "-p", "5601")
    ok(status == 1 and "Permission denied" in out + err, "a snap without a plug: no socket, with the library either", (status, out, err))
    load("snap", SNAP % PLUG)
    write(UNITS + "/snap.lab.iperf3.service", "[Service]\nExecStart=/usr/bin/aa-exec -p %s -- %s -s -p 5601\n" % (name, program))
    systemctl("daemon-reload")
    equal(run("/usr/bin/smc_unit", "enable", "--preload", name)[0], 0, "a snap's service: enable")
    systemctl("start", name)
    equal(mode(5601), "TCP", "with the plug: TCP")
    status, _, err = run("/usr/bin/smc_unit", "enable", "--preload", name)
    ok(status == 0 and why in err, "enable warns", (status, err))
    services = json.loads(run("/usr/bin/smc_unit", "status", "-j", name)[1])["services"]
    equal([(service.get("smc"), service.get("why")) for service in services], [("denied", why)], "status, too")
    found = [f for f in json.loads(run("/usr/bin/smc_chk", "doctor", "-j")[1])["findings"] if f.get("object") == name + ".service"]
    equal([(f["level"], f["text"]) for f in found], [("warning", "stays on TCP: " + why)], "doctor, too")
    load("snap", SNAP % (PLUG + "\n  include <abstractions/smc-tools>"))
    systemctl("restart", name)
    equal(mode(5601), "SMCD", "until snapd drops it, the abstraction helps: SMC-D")


def main():
    if len(sys.argv) == 1:
        with open("/sys/module/apparmor/parameters/enabled", encoding="ascii") as enabled:
            if enabled.read() != "Y\n":
                skip("AppArmor", "this kernel does not use it")
                done()
        set_up()
        load("tool", "include <tunables/global>\nprofile lab-tool {\n  include <abstractions/base>\n  network inet stream,\n  /** rmix,\n}\n")
        check_library()
        check_others()
        write(UNITS + "/lab.target", "[Unit]\nDefaultDependencies=no\n")
        choose_units()
        sys.exit(boot_systemd(__file__, *map(str, counted())) or counted()[1])
    go_on(*map(int, sys.argv[1:3]))
    check_unit()
    check_snap()
    done()


if __name__ == "__main__":
    main()
