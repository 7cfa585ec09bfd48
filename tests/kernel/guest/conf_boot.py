# SPDX-License-Identifier: MIT
"""smc-conf.service at boot: everything is set before the first service starts, or all is TCP with the reason in the journal."""
import glob
import json
import os
import shutil
import sys

import kern
from boot import UNITS, boot_systemd, choose_units, systemctl
from kern import done, equal, ok, out_of, read, run, skip, wait_for, write

TOOLS = os.path.dirname(os.path.abspath(__file__))
UDEVD = "/lib/systemd/systemd-udevd"
INSTALLED = not os.path.exists(TOOLS + "/smc_conf")
CONF = "/etc/smc-tools/smc.conf"
RULES = "/etc/udev/rules.d/90-smc-conf.rules"
GOOD = """eid LAB
handshake-limit on
net.smc.autocorking_size 131072
pnetid lab net lo
netns blue
handshake-limit on
"""
# Settings seen by the first service, before anything else can have changed them.
FIRST = """[Unit]
After=network.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'smcd -j ueid >/run/first-ueid; smcd -j hs >/run/first-hs; cat /proc/sys/net/smc/autocorking_size >/run/first-knob; \
%s >/run/first-mode; exit 0'
"""
# Both ends in one process, and the transport.
MODE = """import json, subprocess, sys
sys.path.append("%s")
from smcsock import smc_client, smc_listener
server, client = smc_listener(4711), smc_client(4711)
found = json.loads(subprocess.run(["smcss", "-a", "-j"], capture_output=True, check=True).stdout)["sockets"]
print([s["mode"] for s in found if (s.get("peer") or {}).get("port") == 4711][0])
""" % TOOLS
SCOPES = "scope /system.slice exclude-comm sshd\nscope /late.slice\n"
LATE = """[Service]
Slice=late.slice
ExecStart=/bin/sh -c 'until [ "$(protocol inet)" = 256 ]; do sleep 0.1; done; >/run/late; exec sleep 1000'
"""


def install():
    if INSTALLED:
        return
    for tool in [name for name in ("smc_conf", "smcd", "smcss", "smc_bpf", "smc_netns", "smc-metrics") if os.path.exists(TOOLS + "/" + name)]:
        shutil.copy(TOOLS + "/" + tool, "/usr/bin/" + tool)
        os.chmod("/usr/bin/" + tool, 0o755)
    write(UNITS + "/smc-metrics.service", read(TOOLS + "/smc-metrics.service").replace("@LIBEXECDIR@", "/usr/bin"))
    for to in (UNITS + "/smc-conf.service", UNITS + "/smc-conf-watch.service", RULES):
        write(to, read(TOOLS + "/" + os.path.basename(to)).replace("@BINDIR@", "/usr/bin"))


def journal():
    return run("journalctl", "-o", "cat", "-u", "smc-conf.service", "-u", "smc-conf-watch.service")[1]


def boot(text, how):
    """A boot with this file, and the checks inside."""
    write(CONF, text)
    return boot_systemd(__file__, how)


def first(name):
    return json.loads(read("/run/first-" + name))


def settled():
    """Both units have finished, with any result."""
    return wait_for(lambda: all(run("systemctl", "show", "-P", "ActiveState", unit)[1].strip() in ("active", "failed")
                                for unit in ("smc-conf.service", "first.service")))


def mode():
    return read("/run/first-mode").strip()


def has_loopback():
    """Came with Linux 6.10; without it there is no device here."""
    return '"loopback":true' in out_of("smcd", "-j", "info")


def can_scopes():
    """Linux 6.11, and smc_bpf was built."""
    return bool(shutil.which("smc_bpf")) and not run("smc_bpf", "check")[0]


def check_good():
    ok(settled(), "systemd has booted with a good file")
    state = run("systemctl", "is-active", "smc-conf.service")[1]
    ok(state == "active\n", "smc-conf.service is active", state + journal())
    equal((sorted(first("ueid")["ueids"]), first("hs")["enabled"], first("knob")), (["INCLUDED", "LAB"], True, 131072),
          "the first service found everything set")
    equal(mode(), "SMCD" if has_loopback() else "TCP", "and SMC worked, where there is a device")
    if can_scopes():
        ok('"name":"/system.slice"' in out_of("smc_bpf", "status", "-j"), "also scopes are attached")
    else:
        skip("scopes", "they need smc_bpf and Linux 6.11")
    equal(out_of("smc_conf", "diff"), "", "nothing is left to be done")
    equal(json.loads(out_of("smcd", "-j", "-N", "blue", "hs"))["enabled"], True, "also in another network namespace")
    check_scope_later()
    write(CONF, "net.smc.autocorking_size 140000\n")
    systemctl("reload", "smc-conf.service")
    equal(out_of("cat", "/proc/sys/net/smc/autocorking_size"), "140000\n", "systemctl reload takes a changed file")


def check_scope_later():
    """A slice is created with its first service, and removed with its last."""
    if not can_scopes():
        skip("a control group that comes later", "it needs smc_bpf and Linux 6.11")
        return
    for name in ("a slice that comes later gets its scope", "so when it comes again"):
        systemctl("start", "late.service")
        ok(wait_for(lambda: os.path.exists("/run/late")), name, journal())
        systemctl("stop", "late.service", "late.slice")
        equal(os.path.exists("/sys/fs/cgroup/late.slice"), False, "it goes")
        os.remove("/run/late")


def check_devices():
    """PNET IDs of new devices by the udev rule, as udevd runs it in the sandbox of its unit."""
    if not os.path.exists(UDEVD):
        skip("devices that come later", "there is no udevd")
        return
    systemctl("start", "systemd-udevd.service")
    many = ["many%d" % number for number in range(16)]
    write(CONF, "pnetid late net late0\npnetid late mac 02:00:00:00:00:01\npnetid other net late2\npnetid many net " +
          " net ".join(many) + "\n")
    systemctl("reload", "smc-conf.service")
    before = out_of("smc_pnet").split()
    out_of("ip", "link", "add", "late1", "address", "02:00:00:00:00:01", "type", "dummy")
    ok(wait_for(lambda: "LATE late1 n/a 255" in out_of("smc_pnet")), "a device that appears has its PNET ID by udev", before)
    out_of("ip", "link", "add", "late0", "type", "dummy")
    ok(wait_for(lambda: "late0 applied user defined pnetid LATE" in run("dmesg")[1]), "also one that the file has by its name",
       run("dmesg")[1][-2000:])
    out_of("ip", "link", "set", "late0", "name", "late2")
    ok(wait_for(lambda: "late2 applied user defined pnetid OTHER" in run("dmesg")[1]), "one that gets another name, that of it",
       run("dmesg")[1][-2000:])
    write("/run/many", "".join("link add %s type dummy\n" % name for name in many))
    out_of("ip", "-batch", "/run/many")
    ok(wait_for(lambda: run("udevadm", "settle")[0] == 0), "udev has come to an end with them", run("dmesg")[1][-1000:])
    equal(sorted(line for line in out_of("smc_pnet").splitlines() if line.split()[0] in ("LATE", "MANY", "OTHER")),
          sorted("%s n/a 255" % device for device in ["LATE late0", "LATE late1", "OTHER late2"] +
                 ["MANY " + name for name in many]), "also where many appear at once")
    equal(out_of("smc_conf", "diff"), "", "nothing is left to be done")
    check_device_names()
    systemctl("stop", "systemd-udevd.service", "systemd-udevd-kernel.socket", "systemd-udevd-control.socket")


def check_device_names():
    """Names are untrusted, with blanks and quotes: smc_conf gets each as one word, and not as an option."""
    names = ["a'b\"$(id)", "-n"]
    os.rename("/usr/bin/smc_conf", "/usr/bin/smc_conf.real")
    write("/usr/bin/smc_conf", "#!/bin/sh\n{ printf '<%s>' \"$@\"; echo; } >>/run/udev-said\n")
    os.chmod("/usr/bin/smc_conf", 0o755)
    for name in names:
        out_of("ip", "link", "add", "name", name, "type", "dummy")
    if run("modprobe", "rdma_rxe")[0] == 0:
        names.append("x --netns N -f")
        out_of("rdma", "link", "add", "rxe7", "type", "rxe", "netdev", "lo")
        out_of("rdma", "dev", "set", "rxe7", "name", names[-1])
    want = ["<apply><--device=%s>\n" % name for name in names]
    ok(wait_for(lambda: os.path.exists("/run/udev-said") and all(line in read("/run/udev-said") for line in want)),
       "a name of a device stays one word", read("/run/udev-said"))
    if len(names) == 3:
        out_of("rdma", "link", "delete", names[-1])
    for name in names[:2]:
        out_of("ip", "link", "delete", "dev", name)
    os.rename("/usr/bin/smc_conf.real", "/usr/bin/smc_conf")


def start_metrics(directory):
    """Run smc-metrics in the sandbox of its unit. Return: status, output."""
    write(UNITS + "/smc-metrics.service.d/log.conf", "[Service]\nEnvironment=SMC_TOOLS_METRICS=%s\nReadWritePaths=%s\n"
          "StandardError=truncate:/run/smc-metrics.log\n" % (directory, directory))
    systemctl("daemon-reload")
    status = run("systemctl", "start", "smc-metrics.service")[0]
    return status, read("/run/smc-metrics.log")


def check_metrics_elsewhere():
    """As in Debian: the parent of the exporter's directory belongs to another user, who can put a link there."""
    os.makedirs("/run/theirs/exporter")
    os.chown("/run/theirs", 65534, 65534)
    os.mkdir("/run/mine")
    equal((start_metrics("/run/theirs/exporter"), os.listdir("/run/theirs/exporter")), ((0, ""), ["smc-tools.prom"]),
          "so where another user could replace the directory")
    os.rename("/run/theirs/exporter", "/run/theirs/old")
    os.symlink("/run/mine", "/run/theirs/exporter")
    status, said = start_metrics("/run/theirs/exporter")
    equal((status != 0, said.count("\n"), "symbolic link" in said, os.listdir("/run/mine")), (True, 1, True, []),
          "but not through a link that this user made")
    ok('ProtectSystem=strict\n' in out_of("systemctl", "show", "smc-metrics.service"), "nothing else can be written")


def check_metrics():
    os.mkdir("/run/exporter")
    equal(start_metrics("/run/exporter"), (0, ""), "smc-metrics.service writes metrics")
    text = read("/run/exporter/smc-tools.prom")
    states = [line.split()[-1] for line in text.splitlines() if line.startswith("smc_collector_success")]
    ok(states.count("1") == len(states) >= 4, "all parts of it work", text)
    ok('smc_network_namespaces{what="denied"} 0\nsmc_network_namespaces{what="failed"} 0\n' in text,
       "it may enter all network namespaces", text)
    ok('smc_link_groups{tech="smcd"} ' in text and "smc_policy_syns_total" in text, "with link groups and policy", text)


def check_broken():
    ok(settled(), "systemd has booted with a broken file")
    equal(run("systemctl", "is-failed", "smc-conf.service")[1], "failed\n", "smc-conf.service has failed")
    message = "smc_conf: %s:2: lab_2: an EID may contain only" % CONF
    ok(wait_for(lambda: message in journal()), "the journal has file, line and word", journal())
    equal(systemctl("is-active", "network.target", "first.service"), "active\nactive", "the network is still up")
    equal((first("ueid")["ueids"], first("hs")["enabled"], first("knob")), ([], False, 65536), "nothing of the file is set")
    equal(mode(), "TCP", "and connections are TCP")


def leave():
    """The next boot goes on counting."""
    write("/run/count", "%d %d" % kern.counted())
    sys.exit()


if len(sys.argv) == 1:
    install()
    write("/run/mode.py", MODE)
    write("/etc/smc-tools/smc.conf.d/10.conf", "eid INCLUDED\n")
    write(UNITS + "/lab.target", "[Unit]\nDefaultDependencies=no\nWants=smc-conf.service first.service network.target systemd-journald.service\n")
    write(UNITS + "/first.service", FIRST % "python3 /run/mode.py")
    write(UNITS + "/late.service", LATE.replace("protocol", TOOLS + "/protocol"))
    choose_units(*glob.glob("/lib/systemd/system/smc-*.service"), *glob.glob("/lib/systemd/system/systemd-udevd*"),
                 *glob.glob("/lib/systemd/system/systemd-journald*"))
    out_of("ip", "netns", "add", "blue")
    boot((SCOPES if can_scopes() else "") + GOOD, "good")
    for name in glob.glob("/run/first-*"):
        os.remove(name)
    out_of("smc_conf", "reset")
    sys.exit(boot("eid LAB\neid lab_2\nhandshake-limit on\n", "broken"))
if sys.argv[1] == "good":
    check_good()
    check_devices()
    check_metrics()
    check_metrics_elsewhere()
    leave()
kern.go_on(*map(int, read("/run/count").split()))
check_broken()
done()
