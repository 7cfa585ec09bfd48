# SPDX-License-Identifier: MIT
"""Services of the real systemd."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tarfile

from boot import UNITS, add_redis_user, boot_systemd, choose_units, install_tools, systemctl
from kern import done, equal, mode, ok, read, refuses, run, skip, wait_for, write
from terminal import on_terminal

TOOLS = os.path.dirname(os.path.abspath(__file__))
# Packages have installed everything already.
INSTALLED = not os.path.exists(TOOLS + "/smc_unit")
LIBDIR = "/usr/lib/%s-linux-gnu" % os.uname().machine
LIBRARY = LIBDIR + "/ld_pre_smc.so"
OTHER = glob.glob(LIBDIR + "/libm.so.6")[0]
DROPIN = "zz-smc-tools.conf"
REDIS = "redis-server.service"
REDIS_UNIT = "/lib/systemd/system/" + REDIS
PORTS = {"redis": 6379, "one": 5201, "two": 5202, "env": 5203, "sock": 5204, "other": 5205, "static": 5206, "peers": 5207}


def write_units():
    """A template, a service with variables and an administrator's drop-in, a socket-activated one."""
    write(UNITS + "/lab.target", "[Unit]\nDefaultDependencies=no\nWants=smc-conf.service\n")
    if not INSTALLED:
        write(UNITS + "/smc-conf.service", read(TOOLS + "/smc-conf.service").replace("@BINDIR@", "/usr/bin"))
    write("/etc/smc-tools/smc.conf", "pnetid LABNET net lo\n")
    serve = "[Service]\nExecStart=/usr/bin/iperf3 -s -p %s\n"
    write(UNITS + "/lab@.service", serve % "520%i")
    write(UNITS + "/lab\\x2db@.service", "[Service]\nExecStart=/bin/sleep 999\n")
    write(UNITS + "/lab-env.service", serve % PORTS["env"] +
          "Environment=PLAIN=1 \"WITH=two words\" 'SMC_SNDBUF=64K'\n"
          "EnvironmentFile=-/etc/default/lab-env\nEnvironmentFile=/etc/default/lab-more\n"
          "RestrictAddressFamilies=AF_INET AF_INET6\n")
    write("/etc/default/lab-more", "FROM_FILE=yes\n")
    write(UNITS + "/lab-env.service.d/override.conf",
          "[Service]\nEnvironment=LD_PRELOAD=%s PERCENT=100%%%%\n" % OTHER)
    write(UNITS + "/lab-sock.socket", "[Socket]\nListenStream=127.0.0.1:%d\n" % PORTS["sock"])
    write(UNITS + "/lab-sock.service", serve % PORTS["other"])
    write(UNITS + "/lab-peers.service", serve % PORTS["peers"])
    write(UNITS + "/lab-static.service", "[Service]\nDynamicUser=yes\n"
          "ExecStart=/bin/busybox httpd -f -p 127.0.0.1:%d\n" % PORTS["static"])


def main_pid(unit):
    return int(systemctl("show", "-P", "MainPID", unit))


def smc_unit(*argv):
    return run("/usr/bin/smc_unit", *argv)


def smc_state(unit):
    """Status of a service: (way, SMC), from its table and its JSON."""
    status, out, err = smc_unit("status", unit)
    lines = out.splitlines()
    if status or err or len(lines) < 2:
        return status, out, err
    doc = json.loads(smc_unit("status", "-j", unit)[1])
    entry = doc["services"][0]
    assert doc["schema"] == "smc-tools/services/1"
    assert entry["unit"] == lines[1].split()[0] and entry["enabled"] == ("way" in entry)
    text = lines[1][len("%-32s " % entry["unit"]):]
    return text[:7].strip(), text[19:33].strip(), entry.get("smc")


def enable(unit, *options):
    status, out, err = smc_unit("enable", unit, *options)
    ok(status == 0, "enable %s %s" % (unit, " ".join(options)), (out, err))
    return out, err


def peers(nets):
    """Files of lab-peers."""
    status, out, err = smc_unit("peers", "lab-peers", nets)
    ok(status == 0, "peers " + nets, (out, err))
    return out, err


def dropin(unit):
    return "%s/%s.d/%s" % (UNITS, unit, DROPIN)


def refuse(words, *argv, tool="/usr/bin/smc_unit"):
    refuses((tool, *argv), words, "refused: smc_unit " + " ".join(argv))


def check_pnet():
    ok(wait_for(lambda: run("systemctl", "is-active", "smc-conf.service")[0] == 0),
       "smc-conf.service is started at boot", run("systemctl", "status", "smc-conf.service"))
    out = run("smc_pnet")[1]
    ok(out.startswith("LABNET ") and " lo " in out, "it set the PNET table at boot", out)


def check_redis():
    """A vendor unit with a narrow sandbox, running while it is enabled."""
    before = read(REDIS_UNIT)
    systemctl("start", REDIS)
    equal(mode(PORTS["redis"]), "TCP", "redis as it is installed: TCP")
    equal(smc_state("redis-server"), ("none", "-", None), "status: nothing enabled")
    if INSTALLED:
        skip("a library that the sandbox forbids", "the package's is in none of its directories")
    else:
        refuse("redis-server.service: its NoExecPaths= forbids", "enable", "--preload", "redis-server",
               tool=TOOLS + "/smc_unit")
    out, err = enable("redis-server")
    ok(dropin(REDIS) in out and "systemctl restart redis-server.service" in out and not err,
       "it says which file and how to restart", (out, err))
    text = read(dropin(REDIS))
    ok("RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_SMC\n" in text, "AF_SMC is added", text)
    equal(smc_state(REDIS), ("preload", "restart needed", "restart"), "status: restart needed")
    systemctl("restart", REDIS)
    equal(mode(PORTS["redis"]), "SMCD", "redis after the restart: SMC-D")
    equal(smc_state(REDIS), ("preload", "in use", "yes"), "status: in use")
    equal(smc_unit("disable", "redis-server")[0], 0, "disable")
    ok(not os.path.exists(os.path.dirname(dropin(REDIS))), "the drop-in and its directory are gone")
    equal(smc_state(REDIS), ("none", "restart needed", "restart"), "status: still with the library")
    systemctl("restart", REDIS)
    equal(mode(PORTS["redis"]), "TCP", "redis afterwards: TCP")
    equal(read(REDIS_UNIT), before, "the vendor's file is as it was")
    systemctl("stop", REDIS)


def check_template():
    enable("lab@")
    systemctl("start", "lab@1")
    equal(mode(PORTS["one"]), "SMCD", "an instance of an enabled template: SMC-D")
    equal(smc_state("lab@1"), ("preload", "in use", "yes"), "status of the instance")
    names = [s["unit"] for s in json.loads(smc_unit("status", "-j")[1])["services"]]
    equal(names, ["lab@.service", "lab@1.service"], "status without a unit: the template, its instance")
    smc_unit("disable", "lab@.service")
    enable("lab@2")
    systemctl("restart", "lab@1", "lab@2")
    equal((mode(PORTS["one"]), mode(PORTS["two"])), ("TCP", "SMCD"), "one instance alone")
    smc_unit("disable", "lab@2")
    systemctl("stop", "lab@1", "lab@2")
    enable("lab\\x2db@")
    systemctl("start", "lab\\x2db@1\\x202")
    names = [s["unit"] for s in json.loads(smc_unit("status", "-j")[1])["services"]]
    equal(names, ["lab\\x2db@.service", "lab\\x2db@1\\x202.service"], "names that systemd-escape made")
    smc_unit("disable", "lab\\x2db@")
    systemctl("stop", "lab\\x2db@1\\x202")


def environ(unit):
    data = open("/proc/%d/environ" % main_pid(unit), encoding="ascii").read()
    return dict(item.split("=", 1) for item in data.split("\0") if item)


def check_environment():
    """Variables of the unit, of its files, and LD_PRELOAD of an administrator's drop-in stay."""
    enable("lab-env", "-r", "128K", "--strict")
    systemctl("start", "lab-env")
    equal(mode(PORTS["env"]), "SMCD", "a unit with variables: SMC-D")
    env = environ("lab-env")
    equal({key: env.get(key) for key in ("PLAIN", "WITH", "FROM_FILE", "PERCENT", "SMC_SNDBUF")},
          {"PLAIN": "1", "WITH": "two words", "FROM_FILE": "yes", "PERCENT": "100%", "SMC_SNDBUF": "64K"},
          "the unit's variables are kept")
    equal((env["LD_PRELOAD"], env["SMC_RCVBUF"], env["SMC_STRICT"]),
          (OTHER + ":" + LIBRARY, "131072", "1"), "its LD_PRELOAD is extended, options are written")
    enable("lab-env", "-f", "inet")
    systemctl("restart", "lab-env")
    equal(mode(PORTS["env"]), "SMCD", "IPPROTO_SMC within the unit's own address families")
    ok("AF_SMC" not in read(dropin("lab-env.service")) and environ("lab-env")["SMC_RCVBUF"].startswith("524288:"),
       "enabled again: other options, and the default where there is none", read(dropin("lab-env.service")))
    smc_unit("disable", "lab-env")
    equal(os.listdir(UNITS + "/lab-env.service.d"), ["override.conf"], "other drop-ins stay")


def check_socket():
    _, err = enable("lab-sock")
    ok("connections to lab-sock.socket stay TCP" in err, "a socket unit: said", err)
    systemctl("start", "lab-sock.socket")
    equal(mode(PORTS["sock"]), "TCP", "systemd's own socket: TCP")
    equal(wait_for(lambda: smc_state("lab-sock")[1] == "in use"), True, "though the service has the library")
    smc_unit("disable", "lab-sock")


def check_bpf():
    """A static program, and a vendor unit with a sandbox, by eBPF on their control groups."""
    if not os.path.exists("/usr/bin/smc_bpf"):
        skip("services by eBPF", "smc_bpf is not built")
        return
    subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/kernel/btf"], check=True)
    refuse("no eBPF either: the kernel has no type information for eBPF", "enable", "lab-static")
    refuse("the kernel has no type information for eBPF", "enable", "--bpf", "lab-static")
    subprocess.run(["umount", "/sys/kernel/btf"], check=True)
    equal(run("smc_bpf", "check", "--cgroup", "/"), (0, "eBPF can be used here\n", ""),
          "smc_bpf check: nothing is in the way")
    equal(os.listdir("/sys/fs/bpf"), [], "and nothing stays loaded")
    out, _ = enable("lab-static")
    ok("enabled by eBPF" in out, "a static program: eBPF is chosen", out)
    systemctl("start", "lab-static")
    equal(mode(PORTS["static"]), "SMCD", "a static program: SMC-D")
    equal(smc_state("lab-static"), ("ebpf", "in use", "yes"), "status by eBPF")
    smc_unit("disable", "lab-static")
    equal(os.listdir("/sys/fs/bpf"), [], "disable leaves nothing attached")
    equal(smc_state("lab-static"), ("none", "in use", "yes"), "status: its sockets are still SMC's")
    systemctl("restart", "lab-static")
    equal(smc_state("lab-static"), ("none", "-", None), "status after the restart")
    equal(mode(PORTS["static"]), "TCP", "a static program, disabled: TCP")
    odd = UNITS + "/50%n  tools"
    os.mkdir(odd)
    for tool in "smc_unit", "smc_bpf":
        shutil.copy("/usr/bin/" + tool, odd)
    run(odd + "/smc_unit", "enable", "lab-static")
    systemctl("restart", "lab-static")
    equal(mode(PORTS["static"]), "SMCD", "a static program, tools in a directory with an odd name: SMC-D")
    run(odd + "/smc_unit", "disable", "lab-static")
    shutil.rmtree(odd)
    systemctl("start", REDIS)
    enable(REDIS, "--bpf")
    equal(smc_state(REDIS), ("ebpf", "restart needed", "restart"), "status by eBPF: restart needed")
    systemctl("restart", REDIS)
    equal(mode(PORTS["redis"]), "SMCD", "redis by eBPF: SMC-D")
    smc_unit("disable", REDIS)
    systemctl("restart", REDIS)
    equal(mode(PORTS["redis"]), "TCP", "redis by eBPF, disabled: TCP")
    status, text = on_terminal(["smc_bpf", "attach", "--unit", "lab-static"])
    ok(status == 0 and "lab-static" in text and "'smc_unit enable --bpf'" in text, "smc_bpf attach to a service: it says that this ends", text)
    equal(run("smc_bpf", "attach", "--unit", "lab-static"), (0, "", ""), "not in scripts")
    systemctl("start", "lab.slice")
    equal(on_terminal(["smc_bpf", "attach", "--unit", "lab.slice"]), (0, ""), "a slice is attached before anything runs in it")
    write(UNITS + "/lab-static.service.d/slice.conf", "[Service]\nSlice=lab.slice\n")
    systemctl("daemon-reload")
    systemctl("restart", "lab-static")
    equal(mode(PORTS["static"]), "SMCD", "what starts in the slice: SMC-D")


def check_peers():
    """Peers of a service that is open to everybody: limited, and restored."""
    enable("lab-peers")
    systemctl("start", "lab-peers")
    equal(mode(PORTS["peers"]), "SMCD", "any peer gets SMC")
    out, err = peers("10.0.0.0/8")
    ok("smc.conf.d/lab-peers.service.conf" in out, "peers limits that", (out, err))
    ok("systemctl enable smc-conf" in err, "and says that nobody applies it at boot", err)
    equal(mode(PORTS["peers"]), "TCP", "at once, without a restart")
    rules = json.loads(run("smc_conf", "show", "-j")[1])["policies"][0]["rules"]
    equal([(rule["action"], rule["direction"], rule["first_port"], rule["networks"], rule["others_denied"] > 0) for rule in rules],
          [("allow", "from", PORTS["peers"], ["10.0.0.0/8"], True)], "smc_conf show has the rule, which counts")
    ok("smc.conf.d/lab-peers.service.conf:2" in run("smc_conf", "show")[1], "and where it is from")
    run("nft", "flush", "ruleset")
    systemctl("restart", "smc-conf")
    equal(mode(PORTS["peers"]), "TCP", "smc-conf.service applies it again")
    _, err = enable("lab-peers")
    equal(err, "", "enabled again: nothing to say")
    peers("127.0.0.0/8,::1")
    equal(mode(PORTS["peers"]), "SMCD", "other networks")
    peers("10.0.0.0/8")
    equal(mode(PORTS["peers"]), "TCP", "and back")
    peers("all")
    equal(mode(PORTS["peers"]), "SMCD", "all: any peer gets SMC again")
    peers("10.0.0.0/8")
    smc_unit("disable", "lab-peers")
    equal((os.listdir("/etc/smc-tools/smc.conf.d"), json.loads(run("smc_conf", "show", "-j")[1])["policies"]), ([], []),
          "disable takes the rules away")


def check_bundle():
    """A bundle has the drop-in that enable wrote, and the output of smc_unit status and smc_bpf status."""
    enable(REDIS)
    status, _, err = run("smc_chk", "bundle", "/run/bundle.tar.gz")
    equal((status, err), (0, ""), "a bundle")
    with tarfile.open("/run/bundle.tar.gz") as tar:
        system, text, ebpf = [tar.extractfile("smc-bundle/text/%s.txt" % name).read().decode()
                              for name in ("system", "smc_unit-status", "smc_bpf-status")]
    lines = system.split("\ndrop-in %s.d\n" % REDIS)[1].splitlines()
    wanted = ["  " + line for line in read(dropin(REDIS)).splitlines() if line]
    equal(lines[:len(wanted)], wanted, "with the drop-ins of services")
    ok("\n%s " % REDIS in text and " preload " in text, "and smc_unit status", text)
    ok(ebpf.startswith("$ smc_bpf status\n") and (" /lab.slice" in ebpf or not os.path.exists("/usr/bin/smc_bpf")), "and smc_bpf status", ebpf)
    smc_unit("disable", REDIS)


def traces():
    """Everything that the tools have set on this host: files, and changes in the kernel."""
    files = [path for name in ("/etc/smc-tools", "/run/smc-tools", UNITS + "/*/" + DROPIN, "/sys/fs/bpf/*") for path in glob.glob(name)]
    conf = json.loads(run("smc_conf", "show", "-j")[1])
    return files + [entry["setting"] for entry in conf["settings"] if entry["state"] != "default"] + conf["policies"]


def check_undo():
    """The commands of docs/uninstall.md, unchanged, remove everything that the tools have set."""
    if not os.path.exists("/usr/bin/smc_bpf"):
        skip("docs/uninstall.md", "smc_bpf is not built")
        return
    text = read(sys.argv[1] + "/docs/uninstall.md").split("\n```sh\n")[1].split("\n```\n")[0]
    systemctl("start", "lab-peers")
    enable("lab-peers")
    peers("10.0.0.0/8")
    write("/etc/smc-tools/smc.conf", "eid UNDONE\npnetid UNDONE net lo\nhandshake-limit on\nnet.smc.autocorking_size 4096\n")
    systemctl("restart", "smc-conf")
    run("smcd", "stats", "reset")
    before = traces()
    ok(len(before) > 10, "files, eBPF, EID, PNET ID, handshake limitation, net.smc and policy are set", before)
    result = run("sh", "-ec", text)
    after = traces()
    ok(result[0] == 0 and not after, "docs/uninstall.md: nothing of it is left", (result, after))


if len(sys.argv) == 1:
    if not INSTALLED:
        install_tools(TOOLS, "smc_unit", "smc_conf", "smc_bpf")
    add_redis_user()
    write_units()
    choose_units(REDIS_UNIT, *glob.glob("/lib/systemd/system/smc-*.service"))
    sys.exit(boot_systemd(__file__, os.getcwd()))
check_pnet()
check_redis()
check_template()
check_environment()
check_socket()
check_bpf()
check_peers()
check_bundle()
equal(glob.glob(UNITS + "/*.d/" + DROPIN), [], "nothing is left")
check_undo()
done()
