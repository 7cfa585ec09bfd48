# SPDX-License-Identifier: MIT
"""Services that systemd confines: settings that let SMC through, and output of the tools inside."""
import json
import os
import sys
import time

from boot import UNITS, boot_systemd, choose_units, install_tools, systemctl
from kern import done, equal, listing, mode, ok, read, run, wait_for, write

TOOLS = os.path.dirname(os.path.abspath(__file__))
SANDBOX = """DynamicUser=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
SystemCallFilter=@system-service
SystemCallArchitectures=native
ProtectSystem=strict
PrivateTmp=yes
PrivateDevices=yes
PrivateIPC=yes
ProtectProc=invisible
ProcSubset=pid
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
RestrictNamespaces=yes
CapabilityBoundingSet="""
# Name, settings, and whether enable has to add AF_SMC.
SERVICES = (
    ("families", "RestrictAddressFamilies=AF_INET AF_INET6", True),
    ("forbidden", "RestrictAddressFamilies=~AF_SMC", False),
    ("calls", "SystemCallFilter=@system-service\nSystemCallErrorNumber=EPERM", False),
    ("sandbox", SANDBOX, True),
)
INSIDE = """[Service]
Type=oneshot
Environment=PATH=%s:/usr/bin:/bin
RestrictAddressFamilies=%s
StandardOutput=append:/run/inside
StandardError=append:/run/inside
ExecStart=-%s
"""


def dropin(name):
    return read("%s/c-%s.service.d/zz-smc-tools.conf" % (UNITS, name))


def check(way, name, port, adds):
    unit = "c-" + name
    status, _, err = run("/usr/bin/smc_unit", "enable", "--" + way, unit)
    equal((status, err), (0, ""), "%s by %s: enabled, nothing to warn of" % (name, way))
    equal("AF_SMC" in dropin(name), adds and way == "preload", "%s by %s: AF_SMC is added where the list lacks it" % (name, way))
    systemctl("start", unit)
    equal(mode(port), "SMCD", "%s by %s: SMC-D" % (name, way))
    ok(" in use " in run("/usr/bin/smc_unit", "status", unit)[1], "%s by %s: status" % (name, way))
    systemctl("stop", unit)
    run("/usr/bin/smc_unit", "disable", unit)


def check_services():
    for i, (name, settings, adds) in enumerate(SERVICES):
        write(UNITS + "/c-%s.service" % name, "[Service]\nExecStart=/usr/bin/iperf3 -s -p %d\n%s\n" % (5300 + i, settings))
    systemctl("daemon-reload")
    for i, (name, _, adds) in enumerate(SERVICES):
        check("preload", name, 5300 + i, adds)
    if os.path.exists("/usr/bin/smc_bpf"):
        check("bpf", "families", 5300, False)


def check_socket():
    """systemd opens the socket in the control group of the socket unit, after ExecStartPre=."""
    write(UNITS + "/c-sock.socket", "[Socket]\nListenStream=127.0.0.1:5400\n")
    write(UNITS + "/c-sock.service", "[Service]\nExecStart=/bin/cat\n")
    systemctl("daemon-reload")
    systemctl("start", "c-sock.socket")
    equal(mode(5400), "TCP", "a socket unit: TCP")
    systemctl("stop", "c-sock.socket")
    if not os.path.exists("/usr/bin/smc_bpf"):
        return
    write(UNITS + "/c-sock.socket.d/smc.conf", "[Socket]\nExecStartPre=/usr/bin/smc_bpf attach --unit %n\n"
          "ExecStopPost=-/usr/bin/smc_bpf detach --unit %n\n")
    systemctl("daemon-reload")
    systemctl("start", "c-sock.socket")
    equal(mode(5400), "SMCD", "a socket unit whose own control group is attached: SMC-D")
    systemctl("stop", "c-sock.socket")


def inside(families, command):
    write(UNITS + "/c-inside.service", INSIDE % (TOOLS, families, command))
    systemctl("daemon-reload")
    if os.path.exists("/run/inside"):
        os.remove("/run/inside")
    systemctl("start", "c-inside")
    wait_for(lambda: os.path.exists("/run/inside"))
    time.sleep(0.2)
    return read("/run/inside")


def check_words():
    """A filter answers like a kernel without SMC: tools distinguish them."""
    for command, words in ((TOOLS + "/smc_events --count 1", "a system call filter forbids this process SMC sockets"),
                           (TOOLS + "/smc_run --strict -f smc /bin/true", "a system call filter forbids this process SMC sockets"),
                           (TOOLS + "/smc_run --seccomp --strict /bin/true", "a system call filter forbids this process SMC sockets"),
                           (TOOLS + "/smc_chk doctor", "has SMC, but this process may not use it")):
        text = inside("AF_UNIX AF_NETLINK", command)
        ok(words in text and "this kernel has no SMC" not in text, "in a unit without the families: " + command.replace(TOOLS + "/", ""), text)


def uses(unit, port):
    """Start a service. Return: does it listen with SMC, levels of the doctor's findings about it, its status."""
    systemctl("daemon-reload")
    systemctl("restart", unit)
    wait_for(lambda: run("iperf3", "-c", "127.0.0.1", "-p", str(port), "-n", "1")[0] == 0)
    found = json.loads(run(TOOLS + "/smc_chk", "doctor", "-j")[1])["findings"]
    levels = [f["level"] for f in found if (f["check"], f.get("object")) == ("confinement", unit)]
    return (port in [s["local"]["port"] for s in listing("-l")], levels,
            json.loads(run("/usr/bin/smc_unit", "status", "-j", unit)[1])["services"][0]["smc"])


def check_families():
    """Units that have been changed since they were enabled, without IPPROTO_SMC."""
    for port, families in (5500, "AF_INET AF_INET6"), (5501, "~AF_SMC AF_PACKET"):
        unit = "c-%d.service" % port
        write(UNITS + "/" + unit, "[Service]\nExecStart=/usr/bin/iperf3 -s -p %d\n" % port)
        systemctl("daemon-reload")
        run("/usr/bin/smc_unit", "enable", unit)
        equal(uses(unit, port), (True, [], "yes"), "without RestrictAddressFamilies=: SMC")
        write(UNITS + "/" + unit, "RestrictAddressFamilies=%s\n" % families, "a")
        equal(uses(unit, port), (False, ["warning"], "denied"), families + ": TCP; doctor and status")
        write("%s/%s.d/override.conf" % (UNITS, unit), "[Service]\nRestrictAddressFamilies=AF_SMC\n")
        equal(uses(unit, port), (True, [], "yes"), "with AF_SMC in the list: SMC")


if sys.argv[-1] != "inside":
    install_tools(TOOLS, "smc_unit", "smc_bpf")
    write(UNITS + "/lab.target", "[Unit]\nDefaultDependencies=no\n")
    choose_units()
    sys.exit(boot_systemd(__file__, *sys.argv[1:], "inside"))
if sys.argv[1] == "families":
    check_families()
else:
    check_services()
    check_socket()
    check_words()
done()
