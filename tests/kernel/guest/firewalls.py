# SPDX-License-Identifier: MIT
"""Firewalls of packages, with rules by owner and by control group: whom they let through, and what the tools say."""
import os
import re
import shutil
import signal
import subprocess

from firewall import CLIENT, PORT, SERVER, findings
from kern import done, equal, ok, out_of, processes, read, run, wait_for, write

TOOLS = os.path.dirname(os.path.abspath(__file__))
BOX = "/sys/fs/cgroup/box"
INTO = ("sh", "-c", "echo 0 >%s/cgroup.procs && exec \"$@\"" % BOX, "sh", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
TCP = "-p tcp --dport %d " % PORT
OWNER = TCP + "-m owner --uid-owner 65534 -j "
OTHERS = TCP + "-m conntrack --ctstate NEW -j REJECT"
UFW = "/etc/ufw/before.rules"


def nft(*rules):
    subprocess.run(["nft", "-f", "-"], check=True, text=True, input="table inet lab {\n chain out {\n  type filter hook output priority 0;\n" +
                   "".join("  tcp dport %d %s\n" % (PORT, rule) for rule in rules) + " }\n}\n")


def output(tool, *rules):
    """Return: how a row sets rules of iptables."""
    return lambda: [out_of(*(tool + " -A OUTPUT " + rule).split()) for rule in rules]


def ufw(*rules):
    """Add rules to ufw as ufw-framework(8) describes."""
    write(UFW, read("/usr/share/ufw/iptables/before.rules").replace(
        "# End required lines\n", "# End required lines\n" + "".join("-A ufw-before-output %s\n" % rule for rule in rules)))
    out_of("ufw", "--force", "enable")
    out_of("ufw", "reload")


def handles_hangup(pid):
    caught = re.search(r"SigCgt:\s*(\w+)", read("/proc/%d/status" % pid)).group(1)
    return int(caught, 16) & 1 << signal.SIGHUP - 1


def start_firewalld():
    os.makedirs("/run/dbus")
    for path, line in ("/etc/passwd", "messagebus:x:986:986::/nonexistent:/usr/sbin/nologin\n"), ("/etc/group", "messagebus:x:986:\n"):
        write(path, line, "a")
    run("dbus-daemon", "--system", "--fork")
    with open("/run/firewalld.log", "w", encoding="ascii") as log:
        subprocess.Popen(["firewalld", "--nofork", "--nopid"], stdout=log, stderr=log)
    # Wait until firewalld handles SIGHUP: before that, the signal would end it.
    ok(wait_for(lambda: any(handles_hangup(pid) for pid in processes("firewalld")), 600), "firewalld runs", read("/run/firewalld.log"))
    ok("table inet firewalld" in out_of("nft", "list", "tables"), "and has its rules")


def direct(rule):
    """Add a direct rule by writing the file and sending SIGHUP: firewall-cmd waits for 25 seconds only, too short on a busy
    host."""
    write("/etc/firewalld/direct.xml", "<?xml version='1.0'?>\n<direct><rule priority='0' table='filter' ipv='ipv4' chain='OUTPUT'>%s</rule></direct>\n" % rule)
    os.kill(processes("firewalld")[0], signal.SIGHUP)
    ok(wait_for(lambda: "skuid" in run("nft", "list", "ruleset")[1], 600), "firewalld has read it", read("/run/firewalld.log"))


# What is set, how, how it is removed, whether TCP and SMC connect, and what the doctor shows, if anything.
CLEAR = "nft flush ruleset"
ROWS = (
    ("nft: skuid != 0 reject", lambda: nft("meta skuid != 0 reject"), CLEAR, (False, True), "inet lab out: tcp dport 7100 meta skuid != 0 reject"),
    ("nft: socket cgroupv2 reject", lambda: nft('socket cgroupv2 level 1 "box" reject'), CLEAR, (False, False), None),
    ("nft: socket cgroupv2 accept, then reject", lambda: nft('socket cgroupv2 level 1 "box" accept', "reject"), CLEAR, (True, True), None),
    ("iptables-nft: --uid-owner REJECT", output("iptables-nft", OWNER + "REJECT"), CLEAR, (False, True), "ip filter OUTPUT: tcp dport 7100 skuid 65534"),
    ("iptables-nft: --uid-owner ACCEPT, then REJECT", output("iptables-nft", OWNER + "ACCEPT", OTHERS), CLEAR, (True, False), "skuid 65534"),
    ("iptables-nft: ! --uid-owner 0 REJECT", output("iptables-nft", TCP + "-m owner ! --uid-owner 0 -j REJECT"), CLEAR, (False, False), "skuid != 0"),
    ("iptables-nft: --socket-exists REJECT", output("iptables-nft", TCP + "-m owner --socket-exists -j REJECT"), CLEAR, (False, False),
     "xt match owner"),
    ("iptables-nft: cgroup REJECT", output("iptables-nft", TCP + "-m cgroup --path box -j REJECT"), CLEAR, (False, False), None),
    ("iptables-legacy: --uid-owner REJECT", output("iptables-legacy", OWNER + "REJECT"), "iptables-legacy -F", (False, True),
     "iptables-legacy filter: -A OUTPUT -p tcp -m tcp --dport 7100 -m owner --uid-owner 65534"),
    ("iptables-legacy: --uid-owner ACCEPT, then REJECT", output("iptables-legacy", OWNER + "ACCEPT", OTHERS), "iptables-legacy -F", (True, False),
     "--uid-owner 65534"),
    ("ip6tables-legacy: --uid-owner REJECT", output("ip6tables-legacy", OWNER + "REJECT"), "ip6tables-legacy -F", (True, True),
     "ip6tables-legacy filter: -A OUTPUT"),
    ("ufw", ufw, "true", (True, True), None),
    ("ufw: --uid-owner REJECT in before.rules", lambda: ufw(OWNER + "REJECT"), "true", (False, True), "ip filter ufw-before-output: tcp dport 7100 skuid 65534"),
    ("ufw: --uid-owner ACCEPT, then REJECT", lambda: ufw(OWNER + "ACCEPT", OTHERS), "ufw --force disable", (True, False), "skuid 65534"),
    ("firewalld", start_firewalld, "true", (True, True), None),
    ("firewalld: a direct rule, --uid-owner REJECT", lambda: direct(OWNER + "REJECT"), "true", (False, True), "ip filter OUTPUT: tcp dport 7100 skuid 65534"),
)


def set_up():
    os.mkdir(BOX)
    for suffix in "", "-save", "-restore":
        for tool in "iptables", "ip6tables":
            os.symlink("%s-nft%s" % (tool, suffix), "/usr/sbin/%s%s" % (tool, suffix))  # as update-alternatives has it
    shutil.copytree("/usr/share/ufw", "/etc/ufw", dirs_exist_ok=True)
    shutil.copytree("/usr/share/ufw/iptables", "/etc/ufw", dirs_exist_ok=True)
    shutil.copy(TOOLS + "/ld_pre_smc.so", "/usr/lib/%s-linux-gnu" % os.uname().machine)
    os.chmod("/usr/lib/%s-linux-gnu/ld_pre_smc.so" % os.uname().machine, 0o755)
    write("/run/lab/systemctl", "#!/bin/sh\nfor unit; do :; done\nprintf '%s\\n' Id=$unit LoadState=loaded ActiveState=inactive MainPID=0\n")
    os.chmod("/run/lab/systemctl", 0o755)


def reaches(*way):
    """Does the client of user 65534, in the control group, get an answer?"""
    return run(*INTO, *way, "python3", "-c", CLIENT)[1] == "ok"


def enable(*options):
    status, _, err = run("smc_unit", "enable", "--preload", *options, "x", env={"PATH": "/run/lab:" + os.environ["PATH"]})
    return status, "a firewall rule matches the owner" in err


def check(name, want, found):
    equal((reaches(), reaches("smc_run", "--no-learn")), want, name + ": TCP, SMC")
    seen = findings()
    if found:
        ok(len(seen) == 1 and seen[0][0] == "warning" and found in seen[0][1], name + ": the doctor shows it", seen)
        equal(enable(), (1, True), name + ": enable is refused")
    else:
        equal([level for level, _ in seen], ["ok"], name + ": the doctor finds no rule by owner")
        equal(enable(), (0, False), name + ": enable has nothing to say")


def main():
    set_up()
    with subprocess.Popen(["smc_run", "python3", "-c", SERVER]) as server:
        try:
            ok(wait_for(lambda: reaches("smc_run")), "without rules: SMC")
            for name, setting, removal, want, found in ROWS:
                setting()
                check(name, want, found)
                run(*removal.split())
        finally:
            server.kill()
    equal(enable("--force"), (0, True), "--force: a warning only")
    done()


if __name__ == "__main__":
    main()
